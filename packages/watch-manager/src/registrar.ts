import type { View } from '@wherry/client'

export interface RegistrarOptions {
  /**
   * How many objects may wait to be tried again at once. Beyond that no others are told until some succeed.
   * @default 1_000
   */
  readonly maxRetrying?: number | undefined
  /** After the first failure of an object's call it is tried again within this to twice this, in milliseconds. @default 100 */
  readonly retryInitialMs?: number | undefined
  /** What the doubling of that wait ends at, in milliseconds. @default 30_000 */
  readonly retryMaxMs?: number | undefined
}

export interface WaitOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}

export interface SyncedOptions extends WaitOptions {
  /** Does not wait for views whose resource the server does not serve, and the cache waits for (`whenUnknown: 'wait'`). @default false */
  readonly orAbsent?: boolean | undefined
}

export interface ReplaceOptions extends WaitOptions {
  /**
   * What becomes of a view that can't be watched.
   *
   * - `retry`: it stays wanted, is pending, and is tried until it can be or is not wanted any more. `replace` resolves once
   *   the set is accepted and what left it is gone.
   * - `rollback`: nothing changes until all of the new views have synced; then `replace` resolves. If one can't be watched,
   *   or the signal is aborted before, the old set stays, and `replace` rejects.
   *
   * @default 'retry'
   */
  readonly onFailure?: 'retry' | 'rollback' | undefined
}

/** A view that is wanted and not watched (yet). */
export interface PendingView {
  readonly view: View
  /** Why not, where that is known. */
  readonly reason: Error | undefined
}

/** Where a registrar stands. */
export interface RegistrarStats {
  readonly intended: number
  readonly watched: number
  /** Changes that its sink has not taken yet, at most one for each object of a view; an upper bound during a replay. */
  readonly lag: number
  /** How long the oldest of them has been waiting, in milliseconds, to within a second. */
  readonly lagMs: number
  /** Changes of objects that its sink took. */
  readonly delivered: number
  /** Calls that were made again after a failure. */
  readonly retried: number
  /** How often a view began anew: it fell too far behind, or one of `failed` is gone. */
  readonly resets: number
  /** Objects whose call failed and is to be made again. */
  readonly retrying: number
  /** Calls to its sink that are under way. */
  readonly running: number
}

/**
 * One consumer's subscriptions: a set of views, and the sink that hears of their objects ({@link Sink} says what it can rely on).
 *
 * It is a place in each view's journal: it lags as it likes, costs next to nothing while it does, and delays nobody.
 *
 * It has no state that is lost with it: a new one of the same name hears all there is from the start.
 */
export interface Registrar<C = unknown> {
  readonly name: string
  /** `closing`: `close` was called, and calls to its sink are still under way. */
  readonly state: 'open' | 'closing' | 'closed'
  /** The views that it wants. */
  readonly intended: readonly View<C>[]
  /** Of those, the ones that are watched: their first state is in the cache, and changes are heard of. */
  readonly watched: readonly View<C>[]
  /** The others: not begun, not synced, not known to the server, or failed. */
  readonly pending: readonly PendingView[]
  /**
   * Wants a view. The first registrar to do so starts its informer; to a later one what is cached is replayed, without a
   * request (rule W2). Resolves when the intent is accepted, watched or pending. A view that it wants already is none the less
   * accepted, and not replayed.
   *
   * @throws RegistrarClosedError
   * @throws OptionTypeError for what is no view.
   */
  add(view: View<C>): Promise<void>
  /**
   * Wants a view no more. Nothing of it is told from the call on. Resolves when calls to the sink that were under way
   * have come back (but for one that this is called from within) and, if this was the last registrar to want it, its
   * informer is gone; at most after the manager's `closeTimeoutMs` or when `signal` is aborted, which `onError` hears of
   * with a `SinkStillRunningError`. Harmless for a view that it does not want.
   */
  remove(view: View<C>, options?: WaitOptions): Promise<void>
  /**
   * Wants these views and no others. Only the difference is done: what stays is not replayed. Where one view leaves and
   * another of the same resource and projection comes, the informer moves from one to the other while it runs, if nobody
   * else wants either, the cache can do that, and the sink has `rescoped` (or there is none).
   *
   * @throws ViewsFailedError with `onFailure: 'rollback'`; it lists each view that can't be watched, with its reason.
   * @throws ReplaceSupersededError with `onFailure: 'rollback'`, if another `replace` came before this one's end.
   */
  replace(views: Iterable<View<C>>, options?: ReplaceOptions): Promise<void>
  /**
   * Resolves when the sink took a `synced` of each view that is wanted now (without a sink: when each has synced), and the
   * server serves the resource of each. Those
   * that are removed meanwhile are not waited for.
   *
   * Rejects with the signal's reason; with a {@link RegistrarClosedError}; or, as soon as the others have synced, with a
   * {@link ViewsFailedError} that lists those that can't be watched now. They stay wanted and are tried again.
   */
  synced(options?: SyncedOptions): Promise<void>
  stats(): RegistrarStats
  /**
   * Removes all that it wants, as {@link remove} does. Its name is free when that has resolved. Idempotent.
   */
  close(options?: WaitOptions): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
