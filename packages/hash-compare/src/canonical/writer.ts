import { type Integers, isExactNumber, isPlainObject, maxDepth } from './json-rules.ts'
import { sortedKeys } from './key-order.ts'
import { problemOf } from './problem.ts'

const bufferBytes = 64 * 1024
/** The longest piece of a string that is encoded at once, in UTF-16 code units: at most six bytes of JSON each. */
const pieceLength = 4096
/** The position after which the buffer is flushed. The rest of the buffer has room for a piece of a string and the characters around it. */
const highWater = bufferBytes - 6 * pieceLength - 4 * maxDepth
/** Strings up to this length are copied character by character, because a call of the engine costs more. */
const shortLength = 48

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
const tilde = 0x7e

/** Thrown if a value can't be printed. A second walk finds the value and the reason. */
const unprintable = Symbol('unprintable')

/**
 * Prints a value as canonical JSON (RFC 8785) in UTF-8, through a single buffer that is reused, so that a long JSON is never in memory as a
 * whole.
 *
 * Recursive, and bounded by {@link maxDepth}. A getter that prints another value meanwhile needs another writer.
 */
class CanonicalWriter {
  readonly #bytes = Buffer.allocUnsafeSlow(bufferBytes)
  #at = 0
  /** The highest position that was written to. */
  #most = 0
  #integers: Integers = 'number'
  #sink: (piece: Buffer) => void = ignored

  /**
   * Prints `value`. Full buffers go to `sink`, which must not use a buffer after it returns. The rest is returned, and must be
   * read before the next call. Each piece ends with a complete character.
   * @throws NotJsonError
   * @throws InexactIntegerError
   */
  write(value: unknown, integers: Integers, sink: (piece: Buffer) => void): Buffer {
    this.#at = 0
    this.#integers = integers
    this.#sink = sink
    try {
      this.#value(value, 0)
    } catch (error) {
      throw error === unprintable ? problemOf(value, integers) : error
    } finally {
      this.#sink = ignored
      this.#most = Math.max(this.#most, this.#at)
    }
    return this.#bytes.subarray(0, this.#at)
  }

  /** Overwrites the buffer, because it may have held a Secret. */
  wipe(): void {
    this.#bytes.fill(0, 0, this.#most)
    this.#most = 0
  }

  #value(value: unknown, depth: number): void {
    if (this.#at > highWater) this.#flush()
    switch (typeof value) {
      case 'string':
        return this.#text(value)
      case 'number':
        if (!isExactNumber(value)) throw unprintable
        return this.#ascii(`${value}`)
      case 'boolean':
        return this.#ascii(value ? 'true' : 'false')
      case 'object':
        if (value === null) return this.#ascii('null')
        if (depth === maxDepth) throw unprintable
        return Array.isArray(value) ? this.#list(value, depth) : this.#object(value, depth)
      case 'bigint':
        if (this.#integers !== 'bigint') throw unprintable
        return this.#pieces(value.toString())
      default:
        throw unprintable
    }
  }

  #list(list: readonly unknown[], depth: number): void {
    this.#bytes[this.#at++] = openList
    for (let i = 0; i < list.length; i++) {
      if (i > 0) this.#bytes[this.#at++] = comma
      this.#value(list[i], depth + 1)
    }
    this.#bytes[this.#at++] = closeList
  }

  #object(object: object, depth: number): void {
    if (!isPlainObject(object)) throw unprintable
    const keys = sortedKeys(object)
    let before = openObject
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string
      const held = (object as Record<string, unknown>)[key]
      if (held === undefined) continue
      if (this.#at > highWater) this.#flush()
      this.#bytes[this.#at++] = before
      before = comma
      this.#text(key)
      this.#bytes[this.#at++] = colon
      // Most members are strings, so this saves a call for them.
      if (typeof held === 'string') this.#text(held)
      else this.#value(held, depth + 1)
    }
    if (before === openObject) this.#bytes[this.#at++] = openObject
    this.#bytes[this.#at++] = closeObject
  }

  #text(text: string): void {
    const { length } = text
    if (length > shortLength) return this.#longText(text)
    const bytes = this.#bytes
    let at = this.#at
    bytes[at++] = quote
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code < 0x20 || code > tilde || code === quote || code === backslash) {
        // The text is written again, at another position if the buffer is flushed, or not at all if it can't be printed.
        this.#most = Math.max(this.#most, at)
        return this.#longText(text)
      }
      bytes[at++] = code
    }
    bytes[at++] = quote
    this.#at = at
  }

  #longText(text: string): void {
    if (!text.isWellFormed()) throw unprintable
    if (this.#at > highWater) this.#flush()
    // JSON.stringify escapes the same characters as RFC 8785, in the same way, except for lone surrogates.
    if (text.length <= pieceLength) this.#at += this.#bytes.write(JSON.stringify(text), this.#at)
    else {
      this.#bytes[this.#at++] = quote
      this.#pieces(text)
      this.#bytes[this.#at++] = quote
    }
  }

  /** Writes the text between the quotes, piece by piece. */
  #pieces(text: string): void {
    for (let from = 0; from < text.length; ) {
      let to = Math.min(from + pieceLength, text.length)
      // A character of two code units is not cut in two.
      if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to -= 1
      if (this.#at > highWater) this.#flush()
      this.#at += this.#bytes.write(JSON.stringify(text.slice(from, to)).slice(1, -1), this.#at)
      from = to
    }
  }

  #ascii(text: string): void {
    for (let i = 0; i < text.length; i++) this.#bytes[this.#at++] = text.charCodeAt(i)
  }

  #flush(): void {
    this.#sink(this.#bytes.subarray(0, this.#at))
    this.#most = Math.max(this.#most, this.#at)
    this.#at = 0
  }
}

function ignored(): void {}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

/** An unused writer, which is kept for the next call. While it is in use, a nested call, for example by a getter, makes another writer. */
let spare: CanonicalWriter | undefined

/** Prints `value` as `CanonicalWriter.write` does, and returns the result of `done` for the rest. */
export function printed<R>(
  value: unknown,
  integers: Integers,
  sink: (piece: Buffer) => void,
  done: (rest: Buffer) => R,
): R {
  const writer = spare ?? new CanonicalWriter()
  spare = undefined
  try {
    return done(writer.write(value, integers, sink))
  } finally {
    writer.wipe()
    spare = writer
  }
}
