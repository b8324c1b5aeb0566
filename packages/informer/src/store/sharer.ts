import { freezeDeep } from './freeze.ts'

/** The number of places, each with two values. So few are enough, because siblings are near each other in a list, which has the order of the keys. */
const places = 512
/** Longer texts are not shared, nor values that contain one: most of them are different. */
const mostLength = 256
/** Longer lists are not shared either. */
const mostItems = 8
/** Maps of a greater total length, with keys, are not shared either: the writer of an object chooses the number of its keys. */
const mostLengthInAll = 2048

interface Known {
  readonly value: object
  /** The value's {@link partsOf}, from its first comparison on: the value is frozen by then. */
  parts: Part[] | undefined
}

/** A text, or a number of keys and values that follow. */
type Part = string | number | boolean | null

/**
 * Returns the same value for equal values: maps of texts, lists of texts, and lists of such maps, as labels, annotations, finalizers and owners
 * of siblings are. A shared value is always frozen, even without the store's `freeze`: a change would affect all objects that share it.
 * It keeps at most 1,024 values: maps of up to 2,048 characters, and lists of up to eight texts or maps. A new value takes the place of an older one.
 */
export class Sharer {
  readonly #newer: (Known | undefined)[] = Array.from({ length: places })
  readonly #older: (Known | undefined)[] = Array.from({ length: places })

  /** Returns an equal value from before, or else the value itself. */
  shared<T extends object>(value: T): T {
    const parts = partsOf(value)
    if (parts === undefined) return value
    const place = mixed(parts) & (places - 1)
    const newer = this.#newer[place]
    if (newer !== undefined && isKnown(newer, value, parts)) return newer.value as T
    const older = this.#older[place]
    this.#older[place] = newer
    const known = older !== undefined && isKnown(older, value, parts) ? older : { value, parts: undefined }
    this.#newer[place] = known
    return known.value as T
  }
}

function isKnown(known: Known, value: object, parts: readonly Part[]): boolean {
  if (Array.isArray(known.value) !== Array.isArray(value)) return false
  if (known.parts === undefined) {
    freezeDeep(known.value)
    known.parts = partsOf(known.value) ?? []
  }
  const others = known.parts
  if (others.length !== parts.length) return false
  for (let index = 0; index < parts.length; index++) if (parts[index] !== others[index]) return false
  return true
}

/** The contents of a value, in their order; `undefined` for a value that is not shared. Two maps, or two lists, with equal parts are equal. */
function partsOf(value: object): Part[] | undefined {
  if (!Array.isArray(value)) return partsOfMap(value)
  if (value.length > mostItems) return undefined
  const parts: Part[] = []
  for (const item of value as readonly unknown[]) {
    if (typeof item === 'string' && item.length <= mostLength) parts.push(item)
    else {
      const isMap = typeof item === 'object' && item !== null && !Array.isArray(item)
      const inner = isMap ? partsOfMap(item) : undefined
      if (inner === undefined) return undefined
      // A number is only ever a count.
      parts.push(inner.length)
      for (const part of inner) parts.push(part)
    }
  }
  return parts
}

function partsOfMap(map: object): Part[] | undefined {
  const parts: Part[] = Object.keys(map)
  let length = 0
  for (const key of parts as string[]) length += key.length
  for (const value of Object.values(map) as unknown[]) {
    if (typeof value === 'string' ? value.length > mostLength : typeof value !== 'boolean' && value !== null) {
      return undefined
    }
    if (typeof value === 'string') length += value.length
    if (length > mostLengthInAll) return undefined
    parts.push(value as Part)
  }
  return parts
}

/** A hash of a value's parts, from a few characters of each text. */
function mixed(parts: readonly Part[]): number {
  let mix = parts.length
  for (const part of parts) {
    if (typeof part !== 'string') continue
    const last = part.length - 1
    const text = (part.charCodeAt(0) << 12) ^ (part.charCodeAt(last >> 1) << 6) ^ (part.charCodeAt(last) << 1) ^ last
    mix = Math.imul(mix ^ text, 0x9e3779b1)
    mix ^= mix >>> 15
  }
  return mix
}
