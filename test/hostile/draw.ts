/** Draws from a seed: the same seed gives the same draws. */
export class Draw {
  #state: number

  constructor(seed: number) {
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0
    for (let i = 0; i < 3; i++) this.next()
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.next() * from.length)] as T
  }

  shuffle<T>(from: readonly T[]): T[] {
    const all = [...from]
    for (let i = all.length - 1; i > 0; i--) {
      const j = this.integer(0, i)
      const kept = all[i] as T
      all[i] = all[j] as T
      all[j] = kept
    }
    return all
  }

  /** A source of its own, for what happens in an order that is not this one's. */
  fork(): Draw {
    return new Draw(Math.floor(this.next() * 2 ** 32))
  }
}
