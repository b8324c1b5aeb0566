import type { Client, KubernetesObject, ObjectKey, Scope, View, Whole } from '@wherry/client'
import type { Applied, ApplyIfChangedOptions } from '@wherry/hash-compare/compare'
import type { RecordedEvent } from '../events/event-recorder.ts'
import type { Logger } from '../logging/logger.ts'
import type { OwnerOptions } from '../objects/owner.ts'
import type { Read } from '../reads/read.ts'
import type { ReconcileResult } from './result.ts'

/** How an object is made as desired. */
export interface DesiredOptions extends ApplyIfChangedOptions {
  /**
   * Whether the primary object owns it, and how. Without owner it stays when the primary is gone. An object in another
   * namespace, or in none, can't be owned by a namespaced one.
   * @default true
   */
  readonly owner?: boolean | OwnerOptions | undefined
}

/**
 * Makes an object as desired, with no request where it is: hash-compare's `applyIfChanged` of what a cache has. It is tracked as
 * what `read` reads is, by what is compared: where somebody changes that, the key runs again. Where none of the controller's
 * informers has it whole, it is watched by its name for that. Also where it rejects: what it was refused for is tracked then,
 * such as another that controls the object, or an object of that name that is not in the view.
 *
 * Set on the desired object: the primary's namespace where it names none, the labels that the view selects by, and the primary
 * as its controlling owner. Labels and annotations that it does not name, and finalizers and owners of others, are left as they
 * are.
 *
 * What the server makes of a desired object (defaults, pruned fields) is learned from its answer, so that it does not make a
 * difference the next time.
 *
 * What somebody else changes again and again is repaired ever later (rule H6): after three repairs within 10 minutes the next one waits, for 1 s,
 * 2 s … 5 min. What the reconcile itself wants differently without end, is gone each time, or is not changed by a write, and what is written by
 * server-side apply, is written once a second after thirty times. Until then this resolves with a `reason` of `differs` (`missing` where there is
 * none), and the key runs again when the time has come. `onError` hears of it once, as a `FlappingError`.
 * What was refused three times waits as long, and rejects with what was said the last time: unless something else is desired by then,
 * another controls the object, or what was refused is as desired. After thirty refusals in a row, whatever they were of (what is never the same,
 * what is to be created, what conflicts), the next request waits for 1 s … 5 s.
 *
 * A `signal` ends it beside that of the run. An object of that name that is not in the view is `isAlreadyExists` in each mode.
 * Rejects as `applyIfChanged` does, among others with a conflict where the cache was behind: throw it on, and the key runs again.
 */
export type Apply = <T extends KubernetesObject, S extends Scope>(
  view: View<T, S>,
  desired: Whole<NoInfer<T>>,
  options?: DesiredOptions,
) => Promise<Applied<T>>

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
  /** The primary object, as the cache has it: change a `clone`. One with a `deletionTimestamp` is being deleted. */
  readonly object: C
  /** Reads, and depends on what it reads: the key runs again when any of it changes, comes or goes. */
  readonly read: Read
  readonly apply: Apply
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

/** What is given when a primary object is gone. */
export interface GoneContext<C, S extends Scope = Scope> {
  readonly key: ObjectKey<S>
  /** As it was last; of several of one name that went, the last one. */
  readonly last: C
  readonly client: Client
  readonly signal: AbortSignal
  readonly log: Logger
}

/** Ends what the object stood for outside the cluster. Not called for what went while nobody watched: finalizers are for that. */
export type OnGone<C, S extends Scope = Scope> = (context: GoneContext<C, S>) => unknown
