import type { Finds, Place, Scanner } from './place.ts'

const quote = 34
const comma = 44
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** The number of bytes of a text that are read one by one. The end of a longer text is found by a search, which is faster for it. */
const shortText = 48

/** The maximum length of the searched keys, even if each character is an escape. */
const longestKey = 128

/** An object or array that is open, and of interest. */
interface Open {
  readonly place: Place
  readonly isArray: boolean
  readonly start: number
  /** Whether the next text in an object is a key. */
  awaitsKey: boolean
  /** The place of the next value. */
  next: Place | undefined
}

/**
 * Finds places in JSON: in one document, or in several that follow each other, as in a watch. Its time is proportional to the bytes, for chunks
 * of any size. It skips an object without such places by counting its braces.
 */
export class JsonScanner implements Scanner {
  readonly #root: Place
  readonly #finds: Finds
  readonly #open: Open[] = []
  /** The bytes before the current chunk. */
  #offset = 0
  /** How many objects and arrays of no interest are open. */
  #passedOver = 0
  #inString = false
  #escaped = false
  /** Why the text that is open is kept. */
  #keeps: 'key' | 'value' | undefined
  #kept = ''
  #hasEscape = false
  /** The bytes of a character that the last chunk ended in. */
  #partial: Buffer | undefined
  /** The position of the next quote and the next backslash in the chunk, if they were searched for. */
  readonly #next = { [quote]: -1, [backslash]: -1 }
  /** The name under which the open text, number, true, false or null is reported. */
  #scalar: string | undefined

  constructor(root: Place, finds: Finds) {
    this.#root = root
    this.#finds = finds
  }

  write(chunk: Buffer): void {
    let at = 0
    this.#next[quote] = -1
    this.#next[backslash] = -1
    while (at < chunk.length) {
      if (this.#inString) at = this.#text(chunk, at)
      else if (this.#passedOver > 0) at = this.#passOver(chunk, at)
      else at = this.#step(chunk, at)
    }
    this.#offset += chunk.length
  }

  /** Goes on to the end of a container of no interest. */
  #passOver(chunk: Buffer, from: number): number {
    let depth = this.#passedOver
    let at = from
    const { length } = chunk
    while (at < length) {
      const byte = chunk[at++] as number
      // Most bytes: those of numbers, colons and commas.
      if (byte < openBracket && byte !== quote) continue
      if (byte === quote) {
        // A short text without an escape, which most keys are, is read here.
        const near = Math.min(length, at + shortText)
        let end = at
        while (end < near && chunk[end] !== quote && chunk[end] !== backslash) end++
        if (end < near && chunk[end] === quote) {
          at = end + 1
          continue
        }
        this.#inString = true
        break
      }
      if (byte === openBrace || byte === openBracket) depth++
      else if (byte === closeBrace || byte === closeBracket) {
        depth--
        if (depth === 0) break
      }
    }
    this.#passedOver = depth
    return at
  }

  /** Goes on to the end of a text. */
  #text(chunk: Buffer, from: number): number {
    const { length } = chunk
    let at = from
    if (this.#escaped) {
      this.#escaped = false
      at++
    }
    while (at < length) {
      at = this.#endOrEscape(chunk, at)
      if (at >= length) break
      if (chunk[at] === quote) {
        this.#inString = false
        if (this.#keeps !== undefined) this.#endText(chunk, from, at)
        return at + 1
      }
      this.#hasEscape = true
      this.#escaped = at + 1 === length
      at += 2
    }
    if (this.#keeps !== undefined) this.#keep(chunk, from, length)
    return length
  }

  /** The position of the next quote or backslash in a chunk, or its length. */
  #endOrEscape(chunk: Buffer, from: number): number {
    const near = Math.min(chunk.length, from + shortText)
    for (let at = from; at < near; at++) {
      const byte = chunk[at]
      if (byte === quote || byte === backslash) return at
    }
    return near === chunk.length ? near : Math.min(this.#ahead(chunk, near, quote), this.#ahead(chunk, near, backslash))
  }

  /** The position of the next `sign` in a chunk, or the chunk's length. Each byte is searched only once for each sign. */
  #ahead(chunk: Buffer, at: number, sign: typeof quote | typeof backslash): number {
    const known = this.#next[sign]
    if (known >= at) return known
    const found = chunk.indexOf(sign, at)
    this.#next[sign] = found < 0 ? chunk.length : found
    return this.#next[sign]
  }

  /** Keeps a part of a text. The bytes of an incomplete character wait for the next chunk. */
  #keep(chunk: Buffer, from: number, to: number): void {
    // No searched key has this length.
    if (this.#keeps === 'key' && this.#kept.length > longestKey) return
    const part = chunk.subarray(from, to)
    const bytes = this.#partial === undefined ? part : Buffer.concat([this.#partial, part])
    const whole = wholeCharacters(bytes)
    this.#kept += bytes.toString('utf8', 0, whole)
    this.#partial = whole === bytes.length ? undefined : Buffer.from(bytes.subarray(whole))
  }

  #endText(chunk: Buffer, from: number, to: number): void {
    const open = this.#open.at(-1)
    const isWhole = this.#kept === '' && this.#partial === undefined && !this.#hasEscape
    if (this.#keeps === 'key' && isWhole && open !== undefined) {
      open.next = placeAt(open.place, chunk, from, to)
      this.#keeps = undefined
      return
    }
    if (this.#kept === '' && this.#partial === undefined) this.#kept = chunk.toString('utf8', from, to)
    else this.#keep(chunk, from, to)
    const text = this.#hasEscape ? unescaped(this.#kept) : this.#kept
    if (this.#keeps === 'key' && open !== undefined) open.next = open.place.keys?.get(text)
    else if (this.#scalar !== undefined) this.#finds.value(this.#scalar, text)
    this.#scalar = undefined
    this.#keeps = undefined
    this.#kept = ''
    this.#partial = undefined
  }

  /** Reads one byte that is outside of texts: in a container with places, or between documents. */
  #step(chunk: Buffer, at: number): number {
    const byte = chunk[at] as number
    const top = this.#open.at(-1)
    if (byte === quote) this.#beginText(top)
    else if (byte === openBrace || byte === openBracket) this.#enter(byte === openBracket, top, at)
    else if (byte === closeBrace || byte === closeBracket) this.#leave(at)
    else if (byte === comma) {
      this.#endScalar()
      if (top !== undefined && !top.isArray) {
        top.awaitsKey = true
        top.next = undefined
      }
    } else if (byte === colon) {
      if (top !== undefined) top.awaitsKey = false
    } else if (byte > 32) {
      const name = this.#placeOfValue(top)?.value
      if (name !== undefined) {
        this.#scalar = name
        this.#kept += String.fromCharCode(byte)
      }
    }
    return at + 1
  }

  #placeOfValue(top: Open | undefined): Place | undefined {
    if (top === undefined) return this.#root
    return top.isArray ? top.place.elements : top.next
  }

  #beginText(top: Open | undefined): void {
    this.#inString = true
    this.#hasEscape = false
    if (top !== undefined && !top.isArray && top.awaitsKey) this.#keeps = 'key'
    else {
      const name = this.#placeOfValue(top)?.value
      if (name === undefined) return
      this.#scalar = name
      this.#keeps = 'value'
    }
  }

  #enter(isArray: boolean, top: Open | undefined, at: number): void {
    const place = this.#placeOfValue(top)
    if (place === undefined || (isArray ? place.elements : place.keys) === undefined) this.#passedOver = 1
    else this.#open.push({ place, isArray, start: this.#offset + at, awaitsKey: !isArray, next: undefined })
  }

  #leave(at: number): void {
    this.#endScalar()
    const left = this.#open.pop()
    if (left?.place.end === undefined || left.isArray) return
    this.#finds.end(left.place.end, this.#offset + at + 1 - left.start)
  }

  #endScalar(): void {
    if (this.#scalar === undefined) return
    this.#finds.value(this.#scalar, this.#kept)
    this.#scalar = undefined
    this.#kept = ''
  }
}

/** The place below with the key in these bytes. Compares bytes, because most keys have no place and need not become strings. */
function placeAt({ jsonKeys = [] }: Place, chunk: Buffer, from: number, to: number): Place | undefined {
  const length = to - from
  for (const { bytes, place } of jsonKeys) {
    if (bytes.length !== length) continue
    let same = 0
    while (same < length && bytes[same] === chunk[from + same]) same++
    if (same === length) return place
  }
  return undefined
}

/** The number of bytes before a UTF-8 character that is cut off at the end. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return bytes.length
    if (byte < 0xc0) continue
    const needed = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return needed > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return text
  }
}
