import type { Clock, Timer } from '@wherry/client'
import { systemClock } from '@wherry/client/internal'

interface Pending {
  readonly due: number
  readonly fn: () => void
  cancel(): void
}

/**
 * The machine's clock, which a test may move forward. A jump is what a suspended machine sees when it wakes up: the wall clock
 * shows a later time, and all timers that were due meanwhile fire at once, in order.
 */
export class MovableClock implements Clock {
  readonly #system = systemClock()
  /** What the machine's clock does for each timer that has not fired. */
  readonly #timers = new Map<Pending, Timer>()
  #ahead = 0

  now(): number {
    return this.#system.now() + this.#ahead
  }

  monotonic(): number {
    return this.#system.monotonic() + this.#ahead
  }

  turn(): Promise<void> {
    return this.#system.turn()
  }

  timer(ms: number, fn: () => void): Timer {
    return this.#arm(this.monotonic() + ms, fn)
  }

  /** Moves the clock forward to a wall-clock time. */
  moveTo(time: Date): void {
    this.moveBy(time.getTime() - this.now())
  }

  moveBy(ms: number): void {
    this.#ahead += ms
    const pending = [...this.#timers.keys()].sort((a, b) => a.due - b.due)
    for (const one of pending) {
      if (!this.#timers.has(one)) continue
      if (one.due > this.monotonic()) this.#rearm(one)
      else {
        one.cancel()
        one.fn()
      }
    }
  }

  #arm(due: number, fn: () => void): Pending {
    const one: Pending = { due, fn, cancel: () => this.#forget(one) }
    this.#rearm(one)
    return one
  }

  #rearm(one: Pending): void {
    this.#timers.get(one)?.cancel()
    const fire = () => {
      this.#forget(one)
      one.fn()
    }
    this.#timers.set(one, this.#system.timer(Math.max(0, one.due - this.monotonic()), fire))
  }

  #forget(one: Pending): void {
    this.#timers.get(one)?.cancel()
    this.#timers.delete(one)
  }
}
