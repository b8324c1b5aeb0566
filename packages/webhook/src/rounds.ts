import type { Environment, Timer } from '@wherry/client'
import { asError, Backoff } from '@wherry/client/internal'

/** Options of {@link Rounds}. */
export interface RoundsOptions {
  readonly environment: Environment
  /** Names the activity in errors. */
  readonly phase: string
  /** Runs a round. Its error is reported, and another round follows after a backoff. */
  readonly round: () => Promise<void>
}

/** Runs rounds one after the other, never two at a time: on request, at a set time, and after a failure. */
export class Rounds {
  readonly #options: RoundsOptions
  readonly #backoff: Backoff
  #running: Promise<void> | undefined
  #isAsked = false
  #isClosed = false
  #timer: Timer | undefined
  #at = Number.POSITIVE_INFINITY

  constructor(options: RoundsOptions) {
    this.#options = options
    this.#backoff = new Backoff(options.environment, { initialMs: 200, maxMs: 10_000 })
  }

  /** Asks for a round, which begins after this call, and after the round that runs. */
  ask(): void {
    if (this.#isClosed) return
    this.#isAsked = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#isAsked) this.ask()
    })
  }

  /** Asks for a round in `ms` milliseconds, unless a round is due before. */
  askIn(ms: number): void {
    const { clock } = this.#options.environment
    const at = clock.monotonic() + ms
    if (this.#isClosed || at >= this.#at) return
    this.#timer?.cancel()
    this.#at = at
    this.#timer = clock.timer(Math.max(ms, 0), () => {
      this.#at = Number.POSITIVE_INFINITY
      this.ask()
    })
  }

  /** Starts no further round. Resolves when the running round has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#isAsked = false
    this.#timer?.cancel()
    await this.#running
  }

  async #run(): Promise<void> {
    const { environment, phase, round } = this.#options
    // The caller of `ask` may have to finish its own work before the round.
    await Promise.resolve()
    while (this.#isAsked && !this.#isClosed) {
      this.#isAsked = false
      try {
        await round()
        this.#backoff.reset()
      } catch (thrown) {
        if (this.#isClosed) return
        environment.onError(asError(thrown, 'a round failed'), { phase })
        this.askIn(this.#backoff.next())
      }
    }
  }
}
