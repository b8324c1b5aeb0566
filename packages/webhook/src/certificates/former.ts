import type { Clock } from '@wherry/client'

/** How long a replaced authority stays in bundles, in milliseconds, because other replicas may still serve a certificate that it signed. */
export const graceMs = 3_600_000

/** Authorities that were replaced within the last hour. */
export class Former {
  readonly #clock: Clock
  readonly #until = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(cert: string): void {
    this.#until.set(cert, this.#clock.monotonic() + graceMs)
  }

  get certs(): readonly string[] {
    const now = this.#clock.monotonic()
    for (const [cert, until] of this.#until) if (until <= now) this.#until.delete(cert)
    return [...this.#until.keys()]
  }
}
