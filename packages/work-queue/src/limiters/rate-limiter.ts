/**
 * Decides how long a key waits before it is tried again. The queue calls it in `addRateLimited`, with
 * the present time, so that it needs no clock.
 *
 * Its methods are called synchronously. The caller of the queue gets their errors.
 */
export interface RateLimiter<K> {
  /**
   * Records that `key` has to be tried again. Returns its wait in milliseconds, finite, 0 or more.
   *
   * @param now the queue's monotonic time, in milliseconds
   * @param due the time at which the key is due already (`now` or before: it is ready), so that a limiter need not
   *   reserve a later time for it. Undefined if the key is not pending.
   */
  when(key: K, now: number, due: number | undefined): number
  /** Forgets the failures of `key`, because it has succeeded or is given up. */
  forget(key: K): void
  /** The number of failures of `key` since it was last forgotten. */
  failures(key: K): number
}
