/**
 * Says how long a key waits before it is tried again. The queue asks it on `addRateLimited`, and
 * gives it the time, so that it needs no clock.
 *
 * Its methods are called synchronously. What they throw goes to the caller of the queue.
 */
export interface RateLimiter<K> {
  /**
   * Notes that `key` has to be tried again, and gives how long it has to wait: milliseconds, finite, 0 or more.
   *
   * @param now the queue's monotonic time, in milliseconds
   * @param due when the key is due anyway, if it waits already (`now` or before: it is ready): a place
   *   that a limiter kept for it in a line of its own would go unused. Undefined if it does not wait.
   */
  when(key: K, now: number, due: number | undefined): number
  /** Forgets the failures of `key`, because it succeeded or is given up. */
  forget(key: K): void
  /** How many failures of `key` are noted since it was last forgotten. */
  failures(key: K): number
}
