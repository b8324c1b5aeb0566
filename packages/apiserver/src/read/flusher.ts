import type { Clock } from '../clock.ts'

/** A stream that can send its pending data. */
interface Flushable {
  flush(): void
}

/** Flushes streams once in each turn of the event loop, so that many changes are sent together. */
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
