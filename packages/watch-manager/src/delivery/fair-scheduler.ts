import type { Clock } from '@wherry/client'

/** Something with work to do, a bit at a time. */
export interface Worker {
  /** Whether it waits for its turn. {@link FairScheduler} sets this. */
  queued: boolean
  /** Does a bit of work, not much past `until` on the monotonic clock. Returns whether there is more to do at once. */
  step(until: number): boolean
}

/** How long the work goes on before it yields to the event loop, in milliseconds. */
const sliceMs = 10

/**
 * Shares the event loop among workers: each in its turn, in slices, so that a thousand busy workers hold the loop no longer
 * than a single one. If there was no work, new work begins in the next turn of the loop: changes that come together are read
 * together.
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

  /** Works up to the time `until`. Returns false if there is nothing left to do. */
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

  /** Takes the worker that has waited longest. */
  #first(): Worker | undefined {
    if (this.#next.length === 0) {
      this.#next = this.#added.reverse()
      this.#added = []
    }
    return this.#next.pop()
  }
}
