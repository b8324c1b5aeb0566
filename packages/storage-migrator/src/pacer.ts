import type { Clock } from '@wherry/client'
import { sleep } from '@wherry/client/internal'

/** Spreads requests evenly in time: no more than so many in a second. */
export class Pacer {
  readonly #clock: Clock
  readonly #everyMs: number
  #nextAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock
    this.#everyMs = 1000 / perSecond
  }

  /** Resolves when the next request may be sent. Rejects with the signal's reason. */
  async turn(signal: AbortSignal): Promise<void> {
    if (this.#everyMs === 0) return
    const now = this.#clock.monotonic()
    const at = Math.max(now, this.#nextAt)
    this.#nextAt = at + this.#everyMs
    if (at > now) await sleep(this.#clock, at - now, signal)
  }
}
