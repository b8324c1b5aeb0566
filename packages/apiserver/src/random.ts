/**
 * A stream of random numbers from a seed: the same seed, the same numbers, on every machine.
 *
 * The generator is sfc32 (Chris Doty-Humphrey's Small Fast Counting generator, 128 bits of state). The steps of splitmix32 fill three of its four words from the
 * seed, and the counter begins at 1. Each number has 32 random bits. Not for secrets.
 */
export interface Random {
  /** The next number: at least 0, less than 1. */
  (): number
  /**
   * Returns a separate stream that depends only on the seed and the names of all forks on the way, not on the numbers drawn so far. So a draw that is added in one place does
   * not shift the numbers of another place. The same name returns the same numbers again: each use needs its own name.
   */
  fork(name: string): Random
}

/**
 * A {@link Random} of `seed`, any finite number. Safe integers have streams of their own; of a fraction, 31 bits count.
 *
 * @throws RangeError for NaN and infinities
 *
 * @example
 * ```ts
 * import { chance, choose, integer, seededRandom, shuffle } from '@wherry/testing'
 *
 * const random = seededRandom(1) // the same numbers in each run
 * console.log(integer(random, 1, 6), choose(random, ['chess', 'go']), chance(random, 0.5), shuffle(random, [1, 2, 3]))
 * ```
 */
export function seededRandom(seed: number): Random {
  if (!Number.isFinite(seed)) throw new RangeError(`a seed is a finite number, not ${seed}`)
  return stream(seed | 0, Math.floor(seed / 0x1_0000_0000) | 0, Math.imul((seed % 1) * 0x7fff_ffff, 0x85eb_ca6b))
}

/**
 * An integer from `low` to `high`, both included. Both are integers, fewer than 2^32 apart.
 *
 * @example
 * ```ts
 * import { integer, seededRandom } from '@wherry/testing'
 *
 * console.log(integer(seededRandom(1), 1, 6))
 * ```
 */
export function integer(random: () => number, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1))
}

/**
 * A random item of `list`, which must not be empty.
 *
 * @example
 * ```ts
 * import { choose, seededRandom } from '@wherry/testing'
 *
 * console.log(choose(seededRandom(1), ['chess', 'go']))
 * ```
 */
export function choose<T>(random: () => number, list: readonly T[]): T {
  if (list.length === 0) throw new RangeError('nothing to choose from: the list is empty')
  return list[Math.floor(random() * list.length)] as T
}

/**
 * True with probability `probability` (0 never, 1 always).
 *
 * @example
 * ```ts
 * import { chance, seededRandom } from '@wherry/testing'
 *
 * console.log(chance(seededRandom(1), 0.5))
 * ```
 */
export function chance(random: () => number, probability: number): boolean {
  return random() < probability
}

/**
 * A new array with the elements of `list` in random order (Fisher-Yates).
 *
 * @example
 * ```ts
 * import { seededRandom, shuffle } from '@wherry/testing'
 *
 * console.log(shuffle(seededRandom(1), [1, 2, 3]))
 * ```
 */
export function shuffle<T>(random: () => number, list: readonly T[]): T[] {
  const result = [...list]
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const swapped = result[i] as T
    result[i] = result[j] as T
    result[j] = swapped
  }
  return result
}

function stream(low: number, high: number, salt: number): Random {
  let a = scramble(0x243f_6a88, low, high, salt)
  let b = scramble(0x85a3_08d3, low, high, salt)
  let c = scramble(0x1319_8a2e, low, high, salt)
  let counter = 1
  const random = (): number => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 0x1_0000_0000
  }
  for (let i = 0; i < 12; i++) random() // sfc32's own advice: the first outputs still show the seed
  return Object.assign(random, {
    fork: (name: string): Random => stream(low, high, fold(salt, name)),
  })
}

/** Mixes three words into a word, by splitmix32's steps. Another `start` results in another word. */
function scramble(start: number, ...words: readonly number[]): number {
  let state = start
  for (const word of words) {
    state = ((state ^ word) + 0x9e37_79b9) | 0
    state = Math.imul(state ^ (state >>> 16), 0x85eb_ca6b)
    state = Math.imul(state ^ (state >>> 13), 0xc2b2_ae35)
    state ^= state >>> 16
  }
  return state
}

/** FNV-1a over `salt`, the code units of `name`, and an end, so that `fork('a').fork('b')` is not `fork('ab')`. */
function fold(salt: number, name: string): number {
  let hash = Math.imul(salt ^ 0x811c_9dc5, 0x0100_0193)
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x0100_0193)
  return Math.imul(hash ^ 0xffff, 0x0100_0193) | 0
}
