import type { Clock, Timer } from '../environment.ts'
import { TokenBucket } from '../token-bucket.ts'

/**
 * Paces the resets of streams: a few at once, further ones one by one. A Go server treats many RST_STREAMs as an attack
 * (CVE-2023-44487), and ends the connection with ENHANCE_YOUR_CALM.
 */
export class ResetPacer {
  readonly #clock: Clock
  readonly #bucket: TokenBucket
  readonly #waiting = new Set<() => void>()
  #timer: Timer | undefined

  /** `burst` resets are sent at once, then one each `everyMs` milliseconds. */
  constructor(clock: Clock, burst: number, everyMs: number) {
    this.#clock = clock
    this.#bucket = new TokenBucket(burst, everyMs)
  }

  /** Calls `reset` now or when its turn comes, unless {@link takeBack} removes it first. */
  pass(reset: () => void): void {
    if (this.#waiting.size === 0 && this.#bucket.tryTake(this.#clock.monotonic())) {
      reset()
      return
    }
    this.#waiting.add(reset)
    this.#arm()
  }

  /** Forgets `reset`: its stream ended by itself. */
  takeBack(reset: () => void): void {
    if (!this.#waiting.delete(reset) || this.#waiting.size > 0) return
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** Forgets all resets: the connection is gone. */
  stop(): void {
    this.#waiting.clear()
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #arm(): void {
    this.#timer ??= this.#clock.timer(this.#bucket.waitMs(this.#clock.monotonic()), () => {
      this.#timer = undefined
      for (const reset of this.#waiting) {
        if (!this.#bucket.tryTake(this.#clock.monotonic())) break
        this.#waiting.delete(reset)
        reset()
      }
      if (this.#waiting.size > 0) this.#arm()
    })
  }
}
