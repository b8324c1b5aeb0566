import type { Clock } from '@wherry/client'
import type { Gate } from '@wherry/informer/internal'

/** Lets one through each `everyMs` milliseconds; those without a state first, for somebody may be waiting for it. */
export class RateLimiter implements Gate {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #first = new Set<() => void>()
  readonly #others = new Set<() => void>()
  /** One was let through less than `everyMs` ago. */
  #isPausing = false

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
  }

  enter(pass: () => void, isFirst: boolean): (() => void) | undefined {
    if (!this.#isPausing) return this.#pause()
    const queue = isFirst ? this.#first : this.#others
    // The same function twice is twice.
    const turn = (): void => pass()
    queue.add(turn)
    return () => queue.delete(turn)
  }

  #pause(): undefined {
    this.#isPausing = true
    this.#clock.timer(this.#everyMs, () => {
      this.#isPausing = false
      const queue = this.#first.size > 0 ? this.#first : this.#others
      const [turn] = queue
      if (turn === undefined) return
      queue.delete(turn)
      this.#pause()
      turn()
    })
  }
}
