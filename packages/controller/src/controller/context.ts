import type { Client, FromServer, KubernetesObject, ObjectKey, Scope, View } from '@wherry/client'
import type { Apply } from '../apply/options.ts'
import type { ApplyStatus } from '../apply/status.ts'
import type { RecordedEvent } from '../events/event-recorder.ts'
import type { Logger } from '../logging/logger.ts'
import type { Read } from '../reads/read.ts'
import type { ReconcileResult } from './result.ts'

/** Records events, as `kubectl describe` shows them. Never throws, and never waits. */
export interface ContextEvents {
  /** About the primary object. */
  record(event: RecordedEvent): void
  /** About another object. */
  about(view: View, object: KubernetesObject, event: RecordedEvent): void
}

/** What a reconcile is given. It is good until the reconcile returns. */
export interface ReconcileContext<C, S extends Scope = Scope> {
  readonly key: ObjectKey<S>
  /** The primary object, as the cache has it: change a `structuredClone(object)`. One with a `deletionTimestamp` is being deleted. */
  readonly object: FromServer<C>
  /** Reads, and depends on what it reads: the key runs again when any of it changes, comes or goes. */
  readonly read: Read
  readonly apply: Apply
  readonly status: ApplyStatus<C>
  /**
   * Reads live, and writes; what it writes is seen by later reads of `read` (rule C10). Of a controller that runs on a leader
   * only, it sends nothing outside its term.
   */
  readonly client: Client
  /** Aborted when the controller stops, when its term is over, and when `reconcileTimeoutMs` have passed. */
  readonly signal: AbortSignal
  /** The time now, by the clock that timers and backoffs go by: in a test on simulated time, that of the simulation. */
  now(): Date
  /** 1, and one more for each failure since the last success. */
  readonly attempt: number
  /** Its lines say the controller and the key. */
  readonly log: Logger
  readonly events: ContextEvents
}

/**
 * Makes the world as the object says. It is called again whenever something that it depends on has changed, and must come to the same
 * end however often it is. What it throws is tried again with backoff, but for a `TerminalError`.
 */
export type Reconcile<C, S extends Scope = Scope> = (context: ReconcileContext<C, S>) => Returned | Promise<Returned>

// biome-ignore lint/suspicious/noConfusingVoidType: what a function without a return gives
type Returned = ReconcileResult | undefined | void

/** What is given when a primary object is gone, or has left the view. */
export interface GoneContext<C, S extends Scope = Scope> {
  readonly key: ObjectKey<S>
  /** As it was last; of several of one name that went, the last one. */
  readonly last: FromServer<C>
  readonly client: Client
  readonly signal: AbortSignal
  readonly log: Logger
}

/** Ends what the object stood for outside the cluster. Not called for what happened while nobody watched: finalizers are for that. */
export type OnGone<C, S extends Scope = Scope> = (context: GoneContext<C, S>) => unknown
