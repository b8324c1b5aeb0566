/** The requests of the last seconds, by which a report shows the requests of a program at rest. */
export class LastRequests {
  readonly #spanMs: number
  readonly #requests: { readonly atMs: number; readonly name: string }[] = []
  /** How many at the front are too old. */
  #old = 0

  constructor(spanMs: number) {
    this.#spanMs = spanMs
  }

  add(atMs: number, name: string): void {
    this.#requests.push({ atMs, name })
    while ((this.#requests[this.#old]?.atMs ?? atMs) <= atMs - this.#spanMs) this.#old++
    if (this.#old <= this.#requests.length / 2) return
    this.#requests.splice(0, this.#old)
    this.#old = 0
  }

  /** The number of requests by name in the span before a time. */
  counts(untilMs: number): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { atMs, name } of this.#requests)
      if (atMs > untilMs - this.#spanMs && atMs <= untilMs) counts.set(name, (counts.get(name) ?? 0) + 1)
    return counts
  }
}
