import type { CallOptions, KubernetesObject } from '@wherry/client'
import type { PartDifference } from '../parts/compare-parts.ts'

/** How `applyIfChanged` writes. */
export interface ApplyIfChangedOptions extends CallOptions {
  /**
   * How what differs is written. `update`: the object is replaced, so that what somebody added by hand goes, and what others
   * have on its metadata stays. `apply`: server-side apply, which sends and owns what is desired only: fields that others
   * added stay, and a part that has them goes on to differ.
   * @default 'update'
   */
  readonly mode?: 'update' | 'apply' | undefined
  /** With `apply`: take fields over that other managers own, instead of a conflict. @default false */
  readonly force?: boolean | undefined
  /** The name that the server notes as the fields' manager. @default the client's `fieldManager` */
  readonly fieldManager?: string | undefined
  /** What unknown fields are. @default the server's ('Warn') */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined
  /** Most paths reported of each part that differs. @default 10 */
  readonly maxPaths?: number | undefined
  /**
   * Called after each write that was made, with what the server answered, also if the next one is refused. It is waited for, and what it
   * throws is thrown on.
   */
  readonly onWrite?: ((what: Write, object: KubernetesObject) => void | Promise<void>) | undefined
}

/** A write of the object, or of its status. */
export type Write = 'create' | 'update' | 'apply' | 'status'

/** What `applyIfChanged` did, and why. */
export interface Applied<T, N extends string = string> {
  /** `equal`: nothing was sent. `missing`: there was none. `differs`: `differences` says in what. */
  readonly reason: 'equal' | 'missing' | 'differs'
  /** The parts in which the observed object was not as desired; with paths where it was observed whole. */
  readonly differences: readonly PartDifference<N>[]
  /** The writes made, in their order. */
  readonly writes: readonly Write[]
  /** What the server answered to the last one; `undefined`: nothing was sent. */
  readonly object: T | undefined
  /**
   * The parts in which that answer is still not as desired: the server defaulted or pruned fields, a webhook changed them, or
   * another manager has some. Each time they are compared they will differ, and be written: put the fields into the desired
   * object, or leave them out of the parts.
   */
  readonly remaining: readonly N[]
}
