import type { Clock, Timer } from '../clock.ts'
import { StatusError } from '../status.ts'

/** The first and the longest pause before the next attempt at a key, in milliseconds. */
const [firstPauseMs, longestPauseMs] = [1000, 60_000]

/**
 * Keys to be processed a moment later, each once, however often it was added. If the server refuses a write, for example because the object does not meet a
 * newer schema, its key is tried again, as by a real controller.
 */
export class Work {
  readonly #clock: Clock
  readonly #delayMs: number
  readonly #handle: (key: string) => void
  readonly #keys = new Set<string>()
  readonly #retries = new Map<string, Timer>()
  #timer: Timer | undefined

  constructor(clock: Clock, delayMs: number, handle: (key: string) => void) {
    this.#clock = clock
    this.#delayMs = delayMs
    this.#handle = handle
  }

  add(key: string): void {
    this.#keys.add(key)
    this.#timer ??= this.#clock.timer(this.#delayMs, () => this.#run())
  }

  #run(): void {
    this.#timer = undefined
    const keys = [...this.#keys]
    this.#keys.clear()
    for (const key of keys) this.#attempt(key, firstPauseMs)
  }

  #attempt(key: string, pauseMs: number): void {
    this.#retries.get(key)?.cancel()
    this.#retries.delete(key)
    try {
      this.#handle(key)
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      const again = (): void => this.#attempt(key, Math.min(2 * pauseMs, longestPauseMs))
      this.#retries.set(key, this.#clock.timer(pauseMs, again))
    }
  }
}
