import type { Clock } from '@wherry/client'

/** Something with work to do, a bit at a time. */
export interface Worker {
  /** It waits for its turn. Kept by {@link FairScheduler}. */
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
export class FairScheduler {
  readonly #clock: Clock
  readonly #failed: (error: unknown) => void
  /** Workers of this round, in reverse order; and workers that came since, in order. */
  #next: Worker[] = []
  #added: Worker[] = []
  #going = false

  constructor(clock: Clock, failed: (error: unknown) => void) {
    this.#clock = clock
    this.#failed = failed
  }

  /** Gives the worker a turn, once. */
  add(worker: Worker): void {
    if (worker.queued) return
    worker.queued = true
    this.#added.push(worker)
    if (this.#going) return
    this.#going = true
    void this.#go()
  }

  async #go(): Promise<void> {
    do await this.#clock.turn()
    while (this.#slice(this.#clock.monotonic() + sliceMs))
    this.#going = false
  }

  /** Works until then. False: there is nothing left to do. */
  #slice(until: number): boolean {
    do {
      const worker = this.#first()
      if (worker === undefined) return false
      worker.queued = false
      try {
        if (worker.step(until)) this.add(worker)
      } catch (error) {
        // A cache that breaks its contract ends one delivery, not all.
        this.#failed(error)
      }
    } while (this.#clock.monotonic() < until)
    return true
  }

  /** Takes the first out of the line. */
  #first(): Worker | undefined {
    if (this.#next.length === 0) {
      this.#next = this.#added.reverse()
      this.#added = []
    }
    return this.#next.pop()
  }
}
