import type { Clock } from '@wherry/client'

/** How long a refusal is remembered, in milliseconds. Later, the server may be a newer version, and is asked again. */
const rememberedMs = 3_600_000

/**
 * The known support of a server for streaming lists, by resource (rule R11). Share it among all reflectors of a
 * client, so that a server without them refuses only once an hour for each resource.
 */
export class StreamingSupport {
  readonly #clock: Clock
  readonly #refusedAt = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether to ask for a streaming list, because no refusal is known. `resource`: `group/version/plural`. */
  expected(resource: string): boolean {
    const refusedAt = this.#refusedAt.get(resource)
    return refusedAt === undefined || this.#clock.monotonic() - refusedAt >= rememberedMs
  }

  /** Records that the server did not stream a resource, and listed it. */
  refused(resource: string): void {
    this.#refusedAt.set(resource, this.#clock.monotonic())
  }
}
