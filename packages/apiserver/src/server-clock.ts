import type { Clock, Timer } from './clock.ts'

/** The clock of one server: its timers end with the server, and no timer is set after that. */
export class ServerClock implements Clock {
  readonly #clock: Clock
  readonly #now: () => number
  readonly #timers = new Set<Timer>()
  #closed = false

  /** Runs as `clock` does. `now` returns the wall-clock time for requests. */
  constructor(clock: Clock, now: () => number) {
    this.#clock = clock
    this.#now = now
  }

  now(): number {
    return this.#now()
  }

  monotonic(): number {
    return this.#clock.monotonic()
  }

  timer(ms: number, fn: () => void): Timer {
    if (this.#closed) return { cancel: () => undefined }
    const inner = this.#clock.timer(ms, () => {
      this.#timers.delete(timer)
      fn()
    })
    const timer = {
      cancel: () => {
        this.#timers.delete(timer)
        inner.cancel()
      },
    }
    this.#timers.add(timer)
    return timer
  }

  turn(): Promise<void> {
    return this.#clock.turn()
  }

  /** Cancels every timer. */
  close(): void {
    this.#closed = true
    for (const timer of [...this.#timers]) timer.cancel()
  }
}
