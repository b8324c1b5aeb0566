import type { Clock, Timer } from '../environment.ts'

/**
 * Lets resets through at a pace: a few at once, further ones one by one. A Go server takes many RST_STREAMs for an attack
 * (CVE-2023-44487) and ends the connection with ENHANCE_YOUR_CALM.
 */
export class Pacer {
  readonly #clock: Clock
  readonly #burst: number
  readonly #everyMs: number
  readonly #waiting = new Set<() => void>()
  #spent = 0
  #spentAt = 0
  #timer: Timer | undefined

  /** `burst` pass at once, then one each `everyMs` milliseconds. */
  constructor(clock: Clock, burst: number, everyMs: number) {
    this.#clock = clock
    this.#burst = burst
    this.#everyMs = everyMs
  }

  /** Calls `reset` now or when its turn comes, unless it is taken back first. */
  pass(reset: () => void): void {
    if (this.#waiting.size === 0 && this.#take()) {
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

  /** Forgets them all: the connection is gone. */
  stop(): void {
    this.#waiting.clear()
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #take(): boolean {
    const now = this.#clock.monotonic()
    const earned = Math.floor((now - this.#spentAt) / this.#everyMs)
    this.#spent = Math.max(0, this.#spent - earned)
    this.#spentAt = this.#spent === 0 ? now : this.#spentAt + earned * this.#everyMs
    if (this.#spent >= this.#burst) return false
    this.#spent += 1
    return true
  }

  #arm(): void {
    this.#timer ??= this.#clock.timer(this.#everyMs, () => {
      this.#timer = undefined
      for (const reset of this.#waiting) {
        if (!this.#take()) break
        this.#waiting.delete(reset)
        reset()
      }
      if (this.#waiting.size > 0) this.#arm()
    })
  }
}
