import type { Clock } from '@wherry/client'
import { sleep, TokenBucket } from '@wherry/client/internal'

/** Spreads requests evenly in time: no more than `perSecond`. */
export class RequestPacer {
  readonly #clock: Clock
  readonly #bucket: TokenBucket

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock
    this.#bucket = new TokenBucket(1, 1000 / perSecond)
  }

  /** Resolves when the next request may be sent. Rejects with the signal's reason. */
  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic()
    const waitMs = this.#bucket.waitMs(now)
    this.#bucket.take(now)
    if (waitMs > 0) await sleep(this.#clock, waitMs, signal)
  }
}
