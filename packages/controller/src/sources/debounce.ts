import type { Clock, Timer } from '@wherry/client'
import { type Check, checkOptions, milliseconds } from '@wherry/client/internal'
import type { Cause } from './cause.ts'

/** How long a controller waits for further events of a source before the key runs. */
export interface Debounce {
  /** A key runs this long after its last event, in milliseconds; 1 or more. */
  readonly debounceMs: number
  /** A key runs at the latest this long after its first event, in milliseconds. @default 10 × `debounceMs` */
  readonly maxWaitMs?: number | undefined
}

const checks: Readonly<Record<keyof Debounce, Check>> = {
  debounceMs: milliseconds({ min: 1 }),
  maxWaitMs: milliseconds({ min: 1, infinite: true }),
}

/** @throws OptionTypeError, OptionRangeError */
export function checkDebounce(option: string, debounce: unknown): void {
  checkOptions(option, debounce as Debounce, checks, ['debounceMs'])
}

/** A key that waits. All times are the clock's monotonic ones, in milliseconds. */
interface Waiting {
  /** The first event of the key. */
  readonly cause: Cause
  /** The latest time of the run. */
  readonly latest: number
  /** The time of the run, if no further event comes. */
  due: number
  timer: Timer
}

/** Holds keys back until their events have paused. An event costs a timer only if its key does not wait yet. */
export class Debouncer {
  readonly #debounceMs: number
  readonly #maxWaitMs: number
  readonly #clock: Clock
  readonly #run: (key: string, cause: Cause) => void
  readonly #waiting = new Map<string, Waiting>()
  #isClosed = false

  /** @param run makes a key run when its wait is over */
  constructor(
    { debounceMs, maxWaitMs = 10 * debounceMs }: Debounce,
    clock: Clock,
    run: (key: string, cause: Cause) => void,
  ) {
    this.#debounceMs = debounceMs
    this.#maxWaitMs = maxWaitMs
    this.#clock = clock
    this.#run = run
  }

  /** The keys that wait. */
  keys(): Iterable<string> {
    return this.#waiting.keys()
  }

  /** The cause of a waiting key, and its remaining wait if no further event comes, in milliseconds. */
  waits(key: string): { readonly cause: Cause; readonly dueInMs: number } | undefined {
    const waiting = this.#waiting.get(key)
    return waiting && { cause: waiting.cause, dueInMs: Math.max(0, waiting.due - this.#clock.monotonic()) }
  }

  /** Handles an event for a key. */
  add(key: string, cause: Cause): void {
    if (this.#isClosed) return
    const now = this.#clock.monotonic()
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) {
      waiting.due = Math.min(now + this.#debounceMs, waiting.latest)
      return
    }
    const due = now + Math.min(this.#debounceMs, this.#maxWaitMs)
    this.#waiting.set(key, { cause, latest: now + this.#maxWaitMs, due, timer: this.#timer(key, due - now) })
  }

  /** Forgets the events of a key, because its run begins and sees their changes. */
  begun(key: string): void {
    this.#waiting.get(key)?.timer.cancel()
    this.#waiting.delete(key)
  }

  close(): void {
    this.#isClosed = true
    for (const { timer } of this.#waiting.values()) timer.cancel()
    this.#waiting.clear()
  }

  #timer(key: string, ms: number): Timer {
    return this.#clock.timer(ms, () => {
      const waiting = this.#waiting.get(key) as Waiting
      const left = waiting.due - this.#clock.monotonic()
      if (left > 0) {
        waiting.timer = this.#timer(key, left)
        return
      }
      this.#waiting.delete(key)
      this.#run(key, waiting.cause)
    })
  }
}
