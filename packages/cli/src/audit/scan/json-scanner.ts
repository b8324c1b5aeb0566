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
const shortText = 32

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
  /** The bytes of a character that the last chunk ended in. */
  #partial: Buffer | undefined
  /** The name under which the open text, number, true, false or null is reported. */
  #scalar: string | undefined

  constructor(root: Place, finds: Finds) {
    this.#root = root
    this.#finds = finds
  }

  write(chunk: Buffer): void {
    let at = 0
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
        const end = endOfText(chunk, at)
        if (end < length) {
          at = end + 1
          continue
        }
        this.#inString = true
        this.#escaped = isEscaped(chunk, at, length)
        at = length
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
    const start = this.#escaped ? from + 1 : from
    const end = endOfText(chunk, start)
    if (end < length) {
      this.#inString = false
      this.#escaped = false
      if (this.#keeps !== undefined) this.#endText(chunk, from, end)
      return end + 1
    }
    this.#escaped = isEscaped(chunk, start, length)
    if (this.#keeps !== undefined) this.#keep(chunk, from, length)
    return length
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
    const isWhole = this.#kept === '' && this.#partial === undefined
    if (this.#keeps === 'key' && isWhole && open !== undefined && !hasEscape(chunk, from, to)) {
      open.next = placeAt(open.place, chunk, from, to)
      this.#keeps = undefined
      return
    }
    if (isWhole) this.#kept = chunk.toString('utf8', from, to)
    else this.#keep(chunk, from, to)
    const text = this.#kept.includes('\\') ? unescaped(this.#kept) : this.#kept
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

/** The position of the quote that ends a text, or the length of the chunk if the text goes on in the next. The first byte is not escaped. */
function endOfText(chunk: Buffer, from: number): number {
  const { length } = chunk
  for (let at = from; ; at++) {
    const near = Math.min(length, at + shortText)
    while (at < near && chunk[at] !== quote) at++
    if (at === near) at = quoteFrom(chunk, at)
    if (at === length || !isEscaped(chunk, from, at)) return at
  }
}

function quoteFrom(chunk: Buffer, from: number): number {
  const found = chunk.indexOf(quote, from)
  return found < 0 ? chunk.length : found
}

/** Whether the byte at a position of a text is escaped: an odd number of backslashes comes before it. `from` is the position of a byte that is not. */
function isEscaped(chunk: Buffer, from: number, at: number): boolean {
  let first = at
  while (first > from && chunk[first - 1] === backslash) first--
  return (at - first) % 2 === 1
}

function hasEscape(chunk: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (chunk[at] === backslash) return true
  return false
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
