import type { CallOptions, KubernetesObject } from '@wherry/client'
import type { PartDifference } from '../parts/compare-parts.ts'

/** How `applyIfChanged` writes. */
export interface ApplyIfChangedOptions extends CallOptions {
  /** How long each request may take, with its repeats, in milliseconds; `Infinity`: as long as it takes. @default the client's `timeoutMs` */
  readonly timeoutMs?: number | undefined
  /**
   * How a difference is written. `update`: the object is replaced, so that fields that others added are removed, except for their
   * metadata. `apply`: server-side apply, which sends and owns only the desired fields. Fields that others added stay, and a part with
   * such fields will differ again.
   * @default 'update'
   */
  readonly mode?: 'update' | 'apply' | undefined
  /** With `apply`: takes over fields that other managers own, instead of a conflict. @default false */
  readonly force?: boolean | undefined
  /** The name that the server notes as the fields' manager. @default the client's `fieldManager` */
  readonly fieldManager?: string | undefined
  /** The treatment of unknown fields by the server. @default the server's ('Warn') */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined
  /** The maximum number of reported paths of each part that differs. @default 10 */
  readonly maxPaths?: number | undefined
  /**
   * Called after each successful write, with the server's answer, even if the next write is refused. The call is awaited, and
   * `applyIfChanged` rejects with its error.
   */
  readonly onWrite?: ((what: Write, object: KubernetesObject) => void | Promise<void>) | undefined
}

/** A write of the object, or of its status. */
export type Write = 'create' | 'update' | 'apply' | 'status'

/** The writes of `applyIfChanged`, and the reason for them. */
export interface Applied<T, N extends string = string> {
  /** `equal`: nothing was written. `missing`: the object did not exist. `differs`: the parts in `differences` differ. */
  readonly reason: 'equal' | 'missing' | 'differs'
  /** The parts in which the observed object was not as desired; with paths if the whole object was observed. */
  readonly differences: readonly PartDifference<N>[]
  /** The writes, in their order. */
  readonly writes: readonly Write[]
  /** The server's answer to the last write; `undefined`: nothing was written. */
  readonly object: T | undefined
  /**
   * The parts in which `object` is still not as desired: the server defaulted or pruned fields, a webhook changed them, or
   * another manager owns some of them. Such parts differ at each comparison, and are written each time: put the fields into the desired
   * object, or leave them out of the parts.
   */
  readonly remaining: readonly N[]
}
