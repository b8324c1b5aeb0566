import type { Clock, Timer } from '@wherry/client'
import type { Gate } from '@wherry/informer'

/** Lets one through each `everyMs` milliseconds; those without a state first, for somebody may be waiting for it. */
export class RateLimiter implements Gate {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #first = new Set<() => void>()
  readonly #others = new Set<() => void>()
  #passedAt = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
  }

  enter(pass: () => void, isFirst: boolean): (() => void) | undefined {
    const now = this.#clock.monotonic()
    if (this.#timer === undefined && now - this.#passedAt >= this.#everyMs) {
      this.#passedAt = now
      return undefined
    }
    const queue = isFirst ? this.#first : this.#others
    // The same function twice is twice.
    const turn = (): void => pass()
    queue.add(turn)
    this.#timer ??= this.#clock.timer(Math.max(1, this.#passedAt + this.#everyMs - now), () => this.#next())
    return () => {
      queue.delete(turn)
      if (this.#first.size + this.#others.size > 0) return
      this.#timer?.cancel()
      this.#timer = undefined
    }
  }

  #next(): void {
    const queue = this.#first.size > 0 ? this.#first : this.#others
    const [turn] = queue
    if (turn === undefined) return
    queue.delete(turn)
    this.#passedAt = this.#clock.monotonic()
    this.#timer =
      this.#first.size + this.#others.size > 0 ? this.#clock.timer(this.#everyMs, () => this.#next()) : undefined
    turn()
  }
}
