import type { Change } from '../change.ts'

/**
 * One reader's place in a store's journal. It costs a few dozen bytes, however far it lags and however many there are,
 * and nobody waits for it.
 *
 * It begins at the start: `reset`, all that is there, `synced` (not before the store itself has synced), then what
 * changes. A cursor that falls behind the bounds on tombstones reads `reset` and everything again (rule R39). It may read a
 * state twice, but never an older one after a newer one (rule R38).
 */
export interface Cursor<C> {
  /**
   * Up to `max` further changes, in order; none when it has reached the end, and once it is closed.
   *
   * @throws OptionRangeError where `max` is no whole number from 1 on.
   */
  take(max: number): Change<C>[]
  /**
   * Calls `fn` once, as soon as `take` gives something: in a microtask if it does already, otherwise after the change that
   * makes it so, or after the close. Never from within this call, and never twice for one `wake`. Another `wake` before
   * that replaces `fn`.
   */
  wake(fn: () => void): void
  /**
   * How many changes `take` would give if nothing else changed; an upper bound during a replay, or a lap. Costs about a
   * microsecond for each hundred thousand objects.
   */
  readonly lag: number
  /** How long the oldest change that was not taken has been waiting, in milliseconds, to within a second; 0 at the end. */
  readonly lagMs: number
  /**
   * How often it was sent back to the start: because it fell behind, or because an object is gone that its user may hold and
   * no event can say so (see {@link Change}).
   */
  readonly resets: number
  /** Closed by {@link close} or with its store. */
  readonly closed: boolean
  /** Leaves the journal. Idempotent. */
  close(): void
}
