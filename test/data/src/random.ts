/** Numbers from a seed: one seed, one sequence, on every machine. Not for secrets. */
export interface SeededRandom {
  /** At least 0, below 1. */
  next(): number
  /** An integer, at least 0 and below `bound`. */
  below(bound: number): number
  /** One of `from`, which must not be empty. */
  pick<T>(from: readonly T[]): T
}

/** The mulberry32 generator: 32 bits of state, fast, evenly spread. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const below = (bound: number): number => Math.floor(next() * bound)
  return {
    next,
    below,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new RangeError('pick: nothing to pick from')
      return from[below(from.length)] as T
    },
  }
}

const HEX = '0123456789abcdef'

/** A uid as API servers give them: a version 4 UUID. */
export function seededUid(random: SeededRandom): string {
  const eight = (): string => {
    let bits = random.below(0x1_0000_0000)
    let text = ''
    for (let i = 0; i < 8; i++) {
      text += HEX[bits & 15]
      bits >>>= 4
    }
    return text
  }
  const [a, b, c, d] = [eight(), eight(), eight(), eight()]
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${HEX[8 + random.below(4)]}${c.slice(1, 4)}-${c.slice(4)}${d}`
}
