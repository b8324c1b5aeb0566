import type { Clock } from '@wherry/client'

/** How long a refusal is remembered: a server that is newer by then is asked again. */
const rememberedMs = 3_600_000

/**
 * Whether a server can stream the first state of a resource (rule R11), as far as it is known. Give one to all reflectors of a
 * client, so that a server which can't has to show it only once an hour for each resource.
 */
export class StreamingSupport {
  readonly #clock: Clock
  readonly #refusedAt = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Worth asking for: nothing is known that speaks against it. `resource`: `group/version/plural`. */
  expected(resource: string): boolean {
    const refusedAt = this.#refusedAt.get(resource)
    return refusedAt === undefined || this.#clock.monotonic() - refusedAt >= rememberedMs
  }

  /** The server does not stream this resource, and gave a list of it. */
  refused(resource: string): void {
    this.#refusedAt.set(resource, this.#clock.monotonic())
  }
}
