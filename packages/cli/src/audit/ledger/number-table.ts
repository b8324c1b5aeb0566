import type { Fingerprint } from './fingerprint.ts'

/** The number of slots of an empty table. */
const fewest = 16

/**
 * A map of numbers by fingerprint. It takes 21 to 32 bytes an entry, outside of V8's heap, where a `Map` by text takes more than a hundred. The times of
 * `get`, `set` and `delete` do not depend on the number of entries.
 */
export class NumberTable {
  /** Pairs of a fingerprint and its number. The fingerprint 0 is an empty slot. An entry lies at its slot, or after it, with no empty slot between. */
  #pairs = new Float64Array(2 * fewest)
  #size = 0

  get size(): number {
    return this.#size
  }

  get(fingerprint: Fingerprint): number | undefined {
    const at = this.#find(fingerprint)
    return this.#pairs[at] === 0 ? undefined : this.#pairs[at + 1]
  }

  has(fingerprint: Fingerprint): boolean {
    return this.#pairs[this.#find(fingerprint)] !== 0
  }

  set(fingerprint: Fingerprint, value: number): void {
    let at = this.#find(fingerprint)
    if (this.#pairs[at] === 0) {
      // At most three quarters of the slots are full.
      if (8 * (this.#size + 1) > 3 * this.#pairs.length) {
        this.#grow()
        at = this.#find(fingerprint)
      }
      this.#size++
    }
    this.#pairs[at] = fingerprint
    this.#pairs[at + 1] = value
  }

  delete(fingerprint: Fingerprint): void {
    let empty = this.#find(fingerprint)
    if (this.#pairs[empty] === 0) return
    this.#size--
    // Entries after it that the empty slot would hide move into it.
    for (let at = this.#next(empty); this.#pairs[at] !== 0; at = this.#next(at)) {
      const home = this.#home(this.#pairs[at] as number)
      const isReached = empty < at ? empty < home && home <= at : empty < home || home <= at
      if (isReached) continue
      this.#pairs.copyWithin(empty, at, at + 2)
      empty = at
    }
    this.#pairs[empty] = 0
  }

  /** The place of a fingerprint, or of the empty slot where it would be. */
  #find(fingerprint: Fingerprint): number {
    let at = this.#home(fingerprint)
    while (this.#pairs[at] !== 0 && this.#pairs[at] !== fingerprint) at = this.#next(at)
    return at
  }

  #home(fingerprint: Fingerprint): number {
    return 2 * (fingerprint % (this.#pairs.length / 2))
  }

  #next(at: number): number {
    return at + 2 === this.#pairs.length ? 0 : at + 2
  }

  #grow(): void {
    const before = this.#pairs
    this.#pairs = new Float64Array(2 * Math.floor(1.5 * (before.length / 2)))
    for (let at = 0; at < before.length; at += 2) {
      const fingerprint = before[at] as number
      if (fingerprint === 0) continue
      const place = this.#find(fingerprint)
      this.#pairs[place] = fingerprint
      this.#pairs[place + 1] = before[at + 1] as number
    }
    // Otherwise the memory would be free only after a collection.
    before.buffer.transfer(0)
  }
}
