import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock, Timer } from './clock.ts'

/** Something that has to be over by a time. */
export interface Bounded {
  /** On the monotonic clock. */
  readonly deadlineAt: number
  /** Called when the time has come. */
  late(): void
}

/** Runs the timer outside of the callers' async contexts, which it would otherwise keep in memory. */
const apart = AsyncLocalStorage.snapshot()

/**
 * One timer for all deadlines of one clock, because a timer for each of thousands of watches would cost 350 bytes. It is set for the earliest
 * deadline, and then checks all of them. Most watches end before their deadline, so this is rare.
 */
export class Deadlines {
  readonly #clock: Clock
  readonly #all = new Set<Bounded>()
  #timer: Timer | undefined
  #timerAt = Number.POSITIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(one: Bounded): void {
    this.#all.add(one)
    this.#arm(one.deadlineAt)
  }

  /** Removes a deadline. Does nothing for an unknown one. */
  remove(one: Bounded): void {
    this.#all.delete(one)
    if (this.#all.size === 0) this.#disarm()
  }

  #arm(at: number): void {
    if (at >= this.#timerAt) return
    this.#disarm()
    this.#timerAt = at
    this.#timer = apart(() => this.#clock.timer(Math.max(1, at - this.#clock.monotonic()), () => this.#look()))
  }

  #disarm(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#timerAt = Number.POSITIVE_INFINITY
  }

  #look(): void {
    this.#disarm()
    const now = this.#clock.monotonic()
    let failure: { readonly error: unknown } | undefined
    for (const one of this.#all) {
      try {
        if (one.deadlineAt > now) this.#arm(one.deadlineAt)
        else if (this.#all.delete(one)) one.late()
      } catch (error) {
        failure ??= { error }
      }
    }
    // The error is thrown last, so that all other deadlines are handled.
    if (failure !== undefined) throw failure.error
  }
}
