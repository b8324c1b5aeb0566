import type { Finds, Place, Scanner } from './place.ts'

/** A message that is open, and of interest. */
interface Open {
  readonly place: Place
  readonly start: number
  /** The position of the end, counted from the first byte of the body. */
  readonly end: number
}

/** The maximum length of a text that is reported, in bytes. Names and resourceVersions are shorter. */
const longestText = 65_536

type State = 'frame' | 'prefix' | 'tag' | 'number' | 'size' | 'text' | 'passed'

/**
 * Finds places in protobuf by field numbers and lengths alone. A body is a single message. The body of a watch is several messages, each after its length in
 * four bytes. The time is proportional to the bytes, for chunks of any size. After a byte that is not protobuf, the scanner skips the rest of the message.
 */
export class ProtobufScanner implements Scanner {
  readonly #root: Place
  readonly #finds: Finds
  readonly #isFramed: boolean
  readonly #open: Open[] = []
  #offset = 0
  #state: State
  /** The number that is being read, and the factor of its next seven bits. */
  #number = 0
  #factor = 1
  /** The place of the value that is being read. */
  #place: Place | undefined
  /** How many bytes of the state are left. */
  #left = 0
  #text: Buffer[] = []

  constructor(root: Place, finds: Finds, isFramed: boolean) {
    this.#root = root
    this.#finds = finds
    this.#isFramed = isFramed
    this.#state = 'frame'
    this.#left = 4
    if (!isFramed) this.#enter(root, Number.POSITIVE_INFINITY)
  }

  write(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      const taken = this.#take(chunk, at)
      at += taken
      this.#offset += taken
      this.#settle()
    }
  }

  /** Reads bytes in one state, and returns their number. */
  #take(chunk: Buffer, at: number): number {
    switch (this.#state) {
      case 'prefix':
      case 'passed':
        return this.#pass(Math.min(this.#left, chunk.length - at))
      case 'text': {
        const size = Math.min(this.#left, chunk.length - at)
        this.#text.push(Buffer.from(chunk.subarray(at, at + size)))
        this.#left -= size
        if (this.#left === 0) this.#endText()
        return size
      }
      case 'frame':
        this.#number = this.#number * 256 + (chunk[at] as number)
        this.#left--
        if (this.#left === 0) this.#enter(this.#root, this.#taken() + 1)
        return 1
      default:
        this.#digit(chunk[at] as number)
        return 1
    }
  }

  #pass(size: number): number {
    this.#left -= size
    if (this.#left === 0) this.#state = 'tag'
    return size
  }

  /** Returns the number that was read, and resets it for the next. */
  #taken(): number {
    const number = this.#number
    this.#number = 0
    this.#factor = 1
    return number
  }

  /** Reads seven bits of a tag, a size or a value. */
  #digit(byte: number): void {
    this.#number += (byte & 127) * this.#factor
    this.#factor *= 128
    if (byte >= 128) return
    const number = this.#taken()
    if (this.#state === 'tag') this.#tag(Math.floor(number / 8), number % 8)
    else if (this.#state === 'size') this.#size(number)
    else {
      this.#state = 'tag'
      if (this.#place?.value !== undefined) this.#finds.value(this.#place.value, `${number}`)
    }
  }

  #tag(field: number, type: number): void {
    this.#place = this.#open.at(-1)?.place.keys?.get(field)
    if (type === 0) this.#state = 'number'
    else if (type === 2) this.#state = 'size'
    else if (type === 1) this.#passOver(8)
    else if (type === 5) this.#passOver(4)
    // Kubernetes' messages use no other wire type.
    else this.#giveUp()
  }

  /** Passes over the rest of the outermost message. */
  #giveUp(): void {
    this.#open.splice(1)
    this.#passOver(Number.POSITIVE_INFINITY)
  }

  /** Handles a size. The offset does not include the last byte of the size yet. */
  #size(size: number): void {
    const place = this.#place
    if (place?.keys !== undefined) this.#enter(place, size + 1)
    else if (place?.value !== undefined && !place.isNumber && size <= longestText) {
      this.#state = 'text'
      this.#left = this.#within(size)
      if (this.#left === 0) this.#endText()
    } else this.#passOver(size)
  }

  #passOver(size: number): void {
    this.#left = this.#within(size)
    this.#state = this.#left === 0 ? 'tag' : 'passed'
  }

  /** The part of a size that fits into the open message. */
  #within(size: number): number {
    return Math.max(0, Math.min(size, (this.#open.at(-1)?.end ?? Number.POSITIVE_INFINITY) - this.#offset - 1))
  }

  /** @param size from the byte that is being taken */
  #enter(place: Place, size: number): void {
    const parent = this.#open.at(-1)?.end ?? Number.POSITIVE_INFINITY
    const start = this.#open.length === 0 && !this.#isFramed ? 0 : this.#offset + 1
    this.#open.push({ place, start, end: Math.min(this.#offset + size, parent) })
    const { prefix = 0 } = place
    this.#state = prefix === 0 ? 'tag' : 'prefix'
    this.#left = prefix
  }

  #endText(): void {
    this.#state = 'tag'
    const [only] = this.#text
    const text = (this.#text.length === 1 ? only : Buffer.concat(this.#text))?.toString('utf8') ?? ''
    this.#text = []
    if (this.#place?.value !== undefined) this.#finds.value(this.#place.value, text)
  }

  /** Leaves the messages that end here. */
  #settle(): void {
    for (let top = this.#open.at(-1); top !== undefined && this.#offset >= top.end; top = this.#open.at(-1)) {
      this.#open.pop()
      this.#taken()
      this.#text = []
      this.#state = 'tag'
      if (top.place.end !== undefined) this.#finds.end(top.place.end, top.end - top.start)
      if (this.#open.length > 0 || !this.#isFramed) continue
      this.#state = 'frame'
      this.#left = 4
    }
  }
}
