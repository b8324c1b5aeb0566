import type { Clock } from '../clock.ts'

/** What can be asked to send what it holds. */
interface Flushable {
  flush(): void
}

/** Has streams send once a turn of the event loop, so that many changes leave in one piece. */
export class Flusher {
  readonly #clock: Clock
  #dirty = new Set<Flushable>()
  #scheduled = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  schedule(stream: Flushable): void {
    this.#dirty.add(stream)
    if (this.#scheduled) return
    this.#scheduled = true
    void this.#clock.turn().then(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    const dirty = this.#dirty
    this.#dirty = new Set()
    for (const stream of dirty) stream.flush()
  }
}
