import type { Change } from '../change.ts'

/**
 * The place of a reader in a store's journal. It costs a few dozen bytes, however far it lags and however many cursors there are,
 * and it delays nothing.
 *
 * It reads `reset`, all existing objects, `synced` (not before the store has synced), and then changes. A cursor that falls behind the bounds
 * on tombstones reads `reset` and all objects again (rule R39). It may read a state twice, but never an older state of an object after a newer one
 * (rule R38).
 */
export interface Cursor<C> {
  /**
   * Takes up to `max` further changes, in order; none at the end of the journal, and after `close`.
   *
   * @throws OptionRangeError if `max` is not a whole number, 1 or more
   */
  take(max: number): Change<C>[]
  /**
   * Calls `fn` once, as soon as `take` has a change: in a microtask if it has one already, otherwise after the next change,
   * or after the close. It never calls `fn` from within this call. Another `wake` before the call of `fn` replaces `fn`.
   */
  wake(fn: () => void): void
  /**
   * How many changes `take` would give if nothing else changed; an upper bound while the cursor passes over all objects. Costs
   * about a microsecond for each hundred thousand objects.
   */
  readonly lag: number
  /** How long the oldest change that was not taken has been waiting, in milliseconds, to within a second; 0 at the end. */
  readonly lagMs: number
  /**
   * How often the cursor had to begin again: because it fell behind, or because an object without a value was deleted, and its
   * user may hold an earlier object of that name (see {@link Change}).
   */
  readonly resets: number
  /** Closed by {@link close} or with its store. */
  readonly closed: boolean
  /** Leaves the journal. Idempotent. */
  close(): void
}
