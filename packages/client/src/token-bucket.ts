/**
 * A token bucket: after a quiet time `burst` tokens are there at once, then one comes each `everyMs` milliseconds. It has no timer: a caller
 * gives the time of its monotonic clock, in milliseconds.
 *
 * It stores one time and no count, as the generic cell rate algorithm does, because a count that grows by fractions may never be exactly one.
 */
export class TokenBucket {
  readonly #burst: number
  readonly #everyMs: number
  /** When the bucket is full again. */
  #fullAt = Number.NEGATIVE_INFINITY

  constructor(burst: number, everyMs: number) {
    this.#burst = burst
    this.#everyMs = everyMs
  }

  /** How long until a token is there, in whole milliseconds; 0: a token is there, or comes in less than a millisecond, which is the resolution of timers. */
  waitMs(now: number): number {
    const waitMs = this.#fullAt - (this.#burst - 1) * this.#everyMs - now
    return waitMs < 1 ? 0 : Math.ceil(waitMs)
  }

  /** Takes a token, also if it is still to come: then the next wait is longer. */
  take(now: number): void {
    this.#fullAt = Math.max(this.#fullAt, now) + this.#everyMs
  }

  /** Takes a token if one is there; returns false if none is. */
  tryTake(now: number): boolean {
    if (this.waitMs(now) > 0) return false
    this.take(now)
    return true
  }
}
