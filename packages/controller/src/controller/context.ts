import type { Client, FromServer, KubernetesObject, ObjectKey, Scope, View } from '@wherry/client'
import type { Apply } from '../apply/options.ts'
import type { Prune } from '../apply/prune.ts'
import type { ApplyStatus } from '../apply/status.ts'
import type { RecordedEvent } from '../events/event-recorder.ts'
import type { Logger } from '../logging/logger.ts'
import type { Read } from '../reads/read.ts'
import type { Gone, Ready } from './ready.ts'
import type { ReconcileResult } from './result.ts'

/** Records events, which `kubectl describe` shows. Never throws and never waits. */
export interface ContextEvents {
  /** About the primary object. */
  record(event: RecordedEvent): void
  /** About another object. */
  about(view: View, object: KubernetesObject, event: RecordedEvent): void
}

/** What a reconcile receives. It is valid until the reconcile returns. */
export interface ReconcileContext<C, S extends Scope = Scope> {
  readonly key: ObjectKey<S>
  /**
   * The primary object from the cache. Do not change it; change a `structuredClone(object)`. An object with a `deletionTimestamp` is being deleted.
   */
  readonly object: FromServer<C>
  /** Reads objects and tracks what was read: the key runs again when any of it changes, appears or disappears. */
  readonly read: Read
  readonly apply: Apply
  readonly prune: Prune
  readonly status: ApplyStatus<C>
  /**
   * Reads from the server, and writes. Later reads of `read` see its writes (rule C10). The client of a controller that runs only on the leader
   * sends nothing outside the leader's term.
   */
  readonly client: Client
  /** Aborted when the controller stops, when the leader's term ends, and after `reconcileTimeoutMs`. */
  readonly signal: AbortSignal
  /** The current time, by the clock of timers and backoffs. In a test on simulated time, this is the simulated time. */
  now(): Date
  /**
   * Waits for this many milliseconds, on the clock of {@link ReconcileContext.now}. Rejects with the signal's reason when the signal is aborted. The
   * key holds one of the controller's workers meanwhile: to wait for long, return `{ requeueAfterMs }`.
   */
  sleep(ms: number): Promise<void>
  readonly ready: Ready
  readonly gone: Gone
  /** 1, plus one for each failure since the last success. */
  readonly attempt: number
  /** Its lines carry the controller and the key. */
  readonly log: Logger
  readonly events: ContextEvents
}

/**
 * Makes the cluster match the object: a reconcile is level-based. It is given the present state, and not what has changed. Several changes may make one
 * run, and a run may come without any change, so it must reach the same result however often it runs.
 *
 * **Flow.** Read the desired state from `object`, read what else it depends on by `read`, write the result by `apply` and `status`, and return. The key
 * runs again when any of these changes.
 *
 * **Guarantees.** One key never runs twice at once. `read` returns what earlier runs have written.
 *
 * **Caveats.** Do not count or remember events in variables: after a restart they are gone, and a key that has run twice for one change counts it
 * twice. The example shows a wrong reconcile and the right one.
 *
 * **Errors.** If it throws, the key runs again with backoff. After a `TerminalError`, it does not run again until something changes.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import type { Reconcile } from '@wherry/controller'
 *
 * let seen = 0
 * export const wrong: Reconcile<object> = async ({ apply }) => {
 *   seen += 1 // an event that is merged, repeated or missed during a restart makes it wrong
 *   await apply(configMaps, { metadata: { name: 'count' }, data: { seen: `${seen}` } })
 * }
 * export const right: Reconcile<object> = async ({ apply, read }) => {
 *   await apply(configMaps, { metadata: { name: 'count' }, data: { seen: `${(await read.list(configMaps)).length}` } })
 * }
 * ```
 */
export type Reconcile<C, S extends Scope = Scope> = (
  context: ReconcileContext<C, S>,
  // Named here, not by an alias: the compiler's message then names ReconcileResult.
  // biome-ignore lint/suspicious/noConfusingVoidType: what a function without a return gives
) => ReconcileResult | undefined | void | Promise<ReconcileResult | undefined | void>

/** What `onGone` and `onLeft` receive when a primary object is gone, or has left the view. */
export interface GoneContext<C, S extends Scope = Scope> {
  readonly key: ObjectKey<S>
  /** The last known state. If several objects of that name are gone, that of the last one. */
  readonly last: FromServer<C>
  readonly client: Client
  readonly signal: AbortSignal
  readonly log: Logger
}

/**
 * Cleans up what the object stood for outside the cluster. It is not called for objects that were deleted while the operator was not running: use a
 * finalizer for those.
 */
export type OnGone<C, S extends Scope = Scope> = (context: GoneContext<C, S>) => unknown
