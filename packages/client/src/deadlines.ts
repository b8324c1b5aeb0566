import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock, Timer } from './clock.ts'

/** Something that has to be over by a time. */
export interface Bounded {
  /** On the monotonic clock. */
  readonly deadlineAt: number
  /** Its time has come. */
  late(): void
}

/** The timer runs in no caller's async context: it would keep that for as long as others wait. */
const apart = AsyncLocalStorage.snapshot()

/**
 * One timer for all that have a deadline by one clock: one for each of thousands of watches would cost 350 bytes. It is set for the first
 * that was due when it was set, and all are looked at then. Most watches end before, so that this is seldom.
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

  /** Harmless where it is not there. */
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
    // Only now: all others have ended in time.
    if (failure !== undefined) throw failure.error
  }
}
