import type { Clock } from '@wherry/client'

/** Something with work to do, a bit at a time. */
export interface Worker {
  /** It waits for its turn. Kept by {@link Turns}. */
  queued: boolean
  /** Does a bit, not much past `until` on the monotonic clock. True: there is more to do at once. */
  step(until: number): boolean
}

/** Our code gives the event loop back this often, in milliseconds. */
const sliceMs = 10

/**
 * Shares the event loop among workers: each in its turn, in slices, so that a thousand busy ones don't hold it any longer
 * than one does. What becomes ready within one turn of the loop is worked on in the next: changes that come together are
 * read together.
 */
export class Turns {
  readonly #clock: Clock
  readonly #failed: (error: unknown) => void
  #queue: Worker[] = []
  #head = 0
  #going = false

  constructor(clock: Clock, failed: (error: unknown) => void) {
    this.#clock = clock
    this.#failed = failed
  }

  /** Gives the worker a turn, once. */
  add(worker: Worker): void {
    if (worker.queued) return
    worker.queued = true
    this.#queue.push(worker)
    if (this.#going) return
    this.#going = true
    void this.#go()
  }

  async #go(): Promise<void> {
    while (this.#head < this.#queue.length) {
      await this.#clock.turn()
      this.#slice(this.#clock.monotonic() + sliceMs)
      if (this.#head * 2 >= this.#queue.length) {
        this.#queue = this.#queue.slice(this.#head)
        this.#head = 0
      }
    }
    this.#going = false
  }

  #slice(until: number): void {
    for (;;) {
      const worker = this.#queue[this.#head]
      if (worker === undefined) return
      this.#head++
      worker.queued = false
      try {
        if (worker.step(until)) this.add(worker)
      } catch (error) {
        // A cache that breaks its contract ends one delivery, not all.
        this.#failed(error)
      }
      if (this.#clock.monotonic() >= until) return
    }
  }
}
