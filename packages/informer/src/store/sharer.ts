import { freezeDeep } from './freeze.ts'

/** How many values are remembered, two in each place: of a list that comes in key order siblings are near each other. */
const places = 512

/**
 * Gives one value for equal ones: labels that siblings have, their owners, their finalizers. Plain JSON only.
 *
 * What is shared is frozen, whatever the store's `freeze` says: a change of it would be one of all that share it. Holds at
 * most some thousand values, and nothing beside them; a new one takes the place of an older one.
 */
export class Sharer {
  readonly #newer: (object | undefined)[] = Array.from({ length: places })
  readonly #older: (object | undefined)[] = Array.from({ length: places })

  /** One that is equal and was given before, or else the value itself. */
  shared<T extends object>(value: T): T {
    const place = mixed(value) & (places - 1)
    const newer = this.#newer[place]
    if (newer !== undefined && isSame(newer, value)) return frozen(newer as T)
    const older = this.#older[place]
    this.#older[place] = newer
    if (older === undefined || !isSame(older, value)) {
      this.#newer[place] = value
      return value
    }
    this.#newer[place] = older
    return frozen(older as T)
  }
}

function frozen<T extends object>(value: T): T {
  if (!Object.isFrozen(value)) freezeDeep(value)
  return value
}

/** A number that equal values have in common, and others mostly not: from a few characters of each text. */
function mixed(value: unknown): number {
  if (typeof value === 'string') {
    const { length } = value
    if (length === 0) return 1
    const ends = (value.charCodeAt(0) << 10) ^ (value.charCodeAt(length >> 1) << 5) ^ value.charCodeAt(length - 1)
    return Math.imul(ends ^ length, 0x9e3779b1) >>> 7
  }
  if (typeof value !== 'object' || value === null) return 2
  let mix = 3
  for (const key in value) mix = (Math.imul(mix, 31) + mixed((value as Record<string, unknown>)[key])) | 0
  return mix
}

/** Keys in the same order too, so that nobody sees that it is another one. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const others = Object.keys(b)
  let index = 0
  for (const key in a) {
    if (key !== others[index++]) return false
    if (!isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key])) return false
  }
  return index === others.length
}
