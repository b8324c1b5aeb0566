import type { Clock } from '@wherry/client'

/** How long a refusal is remembered: a server that is newer by then is asked again. */
const rememberedMs = 3_600_000

/**
 * What is known of whether a server can stream a first state (rule R11). Give one to all reflectors of a client, so that
 * an older server has to refuse only once an hour.
 */
export class StreamingSupport {
  readonly #clock: Clock
  #refusedAt: number | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Worth asking for: nothing is known that speaks against it. */
  get expected(): boolean {
    return this.#refusedAt === undefined || this.#clock.monotonic() - this.#refusedAt >= rememberedMs
  }

  /** The server has refused the very request for it, and gave a list. */
  refused(): void {
    this.#refusedAt = this.#clock.monotonic()
  }
}
