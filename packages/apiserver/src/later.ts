import type { Clock, Timer } from './clock.ts'

/** Carries out work `delayMs` milliseconds after it was given, in the order in which it was given. */
export class Later {
  readonly #clock: Clock
  readonly #waiting = new Map<() => void, Timer>()
  /** The delay in milliseconds. With 0, work is carried out at once. */
  readonly delayMs: number

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock
    this.delayMs = delayMs
  }

  run(work: () => void): void {
    if (this.delayMs === 0) return work()
    const once = (): void => {
      this.#waiting.delete(once)
      work()
    }
    this.#waiting.set(once, this.#clock.timer(this.delayMs, once))
  }

  /** Carries out now all work that waits. */
  flush(): void {
    for (const [once, timer] of [...this.#waiting]) {
      timer.cancel()
      once()
    }
  }

  /** Drops all work that waits. */
  drop(): void {
    for (const timer of this.#waiting.values()) timer.cancel()
    this.#waiting.clear()
  }
}
