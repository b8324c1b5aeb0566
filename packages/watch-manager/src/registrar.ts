import type { View } from '@wherry/client'

/** How a registrar retries failed calls to its sink. */
export interface RegistrarOptions {
  /**
   * How many objects may wait for a retry at the same time. Above that, no further objects are delivered until some succeed.
   * @default 1_000
   */
  readonly maxRetrying?: number | undefined
  /** After the first failed call for an object, the retry comes after this to twice this time, in milliseconds. @default 100 */
  readonly retryInitialMs?: number | undefined
  /** The time up to which that time doubles with each failure, in milliseconds: the longest wait is twice as long. @default 30_000 */
  readonly retryMaxMs?: number | undefined
}

/** How long a call waits. */
export interface WaitOptions {
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined
}

/** How long {@link Registrar.synced} waits. */
export interface SyncedOptions extends WaitOptions {
  /** Does not wait for views of resources that the server does not serve and the cache waits for (`whenUnknown: 'wait'`). @default false */
  readonly orAbsent?: boolean | undefined
}

/** How the views of a registrar are replaced. */
export interface ReplaceOptions extends WaitOptions {
  /**
   * What happens to a view that can't be watched.
   * - `retry`: it stays intended and pending, and is retried until it succeeds or is removed. `replace` resolves when the set is accepted and the
   *   removed views are closed.
   * - `rollback`: nothing changes until all new views have synced; then `replace` resolves. If one can't be watched, or the signal is aborted
   *   before, the old set stays, and `replace` rejects.
   * @default 'retry'
   */
  readonly onFailure?: 'retry' | 'rollback' | undefined
}

/** An intended view that is not watched (yet). */
export interface PendingView {
  readonly view: View
  /** The reason, if it is known. */
  readonly reason: Error | undefined
}

/** The state of a registrar, in numbers. */
export interface RegistrarStats {
  readonly intended: number
  readonly watched: number
  /**
   * The number of changes that the sink has not taken yet: at most one for each object of a view, and another for an object that is being delivered or
   * retried. An upper bound during a replay.
   */
  readonly lag: number
  /** How long the oldest of these has waited, in milliseconds, to within a second. */
  readonly lagMs: number
  /** Changes of objects that its sink has taken. */
  readonly delivered: number
  /** Calls that were repeated after a failure. */
  readonly retried: number
  /** How often a view was replayed: the sink fell too far behind, an object of `failed` was deleted, or others closed the informer. */
  readonly resets: number
  /** Objects that wait for a retry after their call failed. */
  readonly retrying: number
  /** Running calls to its sink. */
  readonly running: number
}

/**
 * The subscriptions of one consumer: a set of views, and the sink that receives the events of their objects ({@link Sink} says what it can rely
 * on). A registrar is a position in each view's journal: it may lag, costs almost nothing while it does, and delays no other registrar. It keeps no
 * state beyond its life: a new registrar of the same name receives everything from the start.
 */
export interface Registrar<C = unknown> {
  readonly name: string
  /** `closing`: `close` was called, and calls to its sink are still running. */
  readonly state: 'open' | 'closing' | 'closed'
  /** The views that were added and not removed. */
  readonly intended: readonly View<C>[]
  /** The intended views that are watched: their first state is in the cache, and changes arrive. */
  readonly watched: readonly View<C>[]
  /** The other intended views: not started, not synced, unknown to the server, or failed. */
  readonly pending: readonly PendingView[]
  /**
   * Adds a view. The first registrar of a view starts its informer; later ones receive the cached objects without a request (rule W2). Resolves
   * when the view is accepted, whether it is watched or pending. Adding a view that it has already is accepted and replays nothing.
   *
   * @throws RegistrarClosedError
   * @throws OptionTypeError for a value that is not a view
   */
  add(view: View<C>): Promise<void>
  /**
   * Removes a view. After the call no event of it arrives. Resolves when running calls to the sink have returned (except a call that this is called
   * from) and, if no other registrar uses the view, its informer is stopped; at the latest after the manager's `closeTimeoutMs` or when `signal` is
   * aborted, and then `onError` gets a `SinkStillRunningError`. Does nothing for a view that it does not have.
   */
  remove(view: View<C>, options?: WaitOptions): Promise<void>
  /**
   * Sets the views. Only the difference is done: views in both sets are not replayed. If one view leaves and another of the same resource and
   * projection comes, the informer moves from one to the other while it runs, provided that no other registrar uses either view, the cache supports
   * it, and the sink has `rescoped` (or there is no sink).
   *
   * @throws ViewsFailedError with `onFailure: 'rollback'`; it lists each view that can't be watched, with its reason
   * @throws ReplaceSupersededError with `onFailure: 'rollback'`, if another `replace` started before the end of this one
   */
  replace(views: Iterable<View<C>>, options?: ReplaceOptions): Promise<void>
  /**
   * Resolves when the sink has taken a `synced` of each intended view (without a sink: when each has synced) and the server serves all their
   * resources. Views that are removed meanwhile do not count.
   *
   * Rejects with the signal's reason; with a {@link RegistrarClosedError}; or, when the others have synced, with a {@link ViewsFailedError} that
   * lists the views that can't be watched now. These stay intended and are retried.
   */
  synced(options?: SyncedOptions): Promise<void>
  stats(): RegistrarStats
  /** Removes all views, as {@link remove} does. Its name can be used again when this has resolved. Idempotent. */
  close(options?: WaitOptions): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
