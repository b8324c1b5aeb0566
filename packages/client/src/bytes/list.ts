import { Border } from './border.ts'
import { defaultMaxLineBytes, InvalidBodyError, ItemTooLongError } from './bounds.ts'
import { ItemDecoder } from './item-decoder.ts'
import { tryDecodeJson } from './json.ts'
import { itemType, type ListHead, type ListMeta, listMetaOf, type TypeMeta } from './list-head.ts'
import { isSpace, ValueScanner } from './scanner.ts'
import { ByteWindow } from './window.ts'

/** How a list body is cut. */
export interface ListCutterOptions {
  /** Longest item, and longest other field, in bytes. @default 16 MiB */
  readonly maxItemBytes?: number | undefined
  /** Integers beyond 2^53 − 1 as `bigint`. @default false */
  readonly exact?: boolean | undefined
  /** Leaves `metadata.managedFields` of items out, unless `exact`. @default false */
  readonly lean?: boolean | undefined
  /**
   * The type of items, if neither the items nor the list's head before them say it.
   * @default they stay without a type
   */
  readonly type?: TypeMeta | undefined
}

const keptBytes = 1024 * 1024
/** If so many bytes contain no border (the text between two items), the item is scanned byte by byte. */
const searchBytes = 256 * 1024

/** The part of the list that the next byte belongs to. In states in capitals, the first byte of a token is known. */
type State =
  | 'start'
  | 'first key'
  | 'next key'
  | 'KEY'
  | 'colon'
  | 'value'
  | 'VALUE'
  | 'after value'
  | 'first item'
  | 'next item'
  | 'ITEM'
  | 'after item'
  | 'done'

const openBrace = 123
const openBracket = 91
const closeBracket = 93
const closeBrace = 125

/** The maximum size of a body that is tried as a list of one object in one chunk. */
const shortBytes = 64 * 1024
const itemsText = Buffer.from('"items":[')

/** By state and character code: the next state outside of tokens. */
const steps: Readonly<Partial<Record<State, Readonly<Record<number, State>>>>> = {
  start: on({ '{': 'first key' }),
  'first key': on({ '}': 'done', '"': 'KEY' }),
  'next key': on({ '"': 'KEY' }),
  colon: on({ ':': 'value' }),
  'after value': on({ ',': 'next key', '}': 'done' }),
  'first item': on({ '{': 'ITEM', ']': 'after value' }),
  'next item': on({ '{': 'ITEM' }),
  'after item': on({ ',': 'next item', ']': 'after value' }),
}

/**
 * Cuts the items out of the body of a Kubernetes list as it arrives, whatever its chunking and layout, and releases each before
 * it reads the next (rule R7), so that the list is never held as a whole. `items` may come before or after the other fields.
 *
 * Most cuts are a native search for the text between the first two items, and the parse of the piece before it. That parse is the
 * proof: no object's text begins with another whole object. A piece that does not parse is scanned byte by byte. A short body that
 * has come in one piece is cut at the brackets of its items.
 *
 * Add chunks by `push`, and call `next` until it returns `undefined`. After the last chunk, call `finish`, and `next` again.
 */
export class ListCutter {
  readonly #window = new ByteWindow(keptBytes)
  readonly #scanner = new ValueScanner()
  readonly #border = new Border()
  readonly #decoder: ItemDecoder
  readonly #type: TypeMeta | undefined
  readonly #maxBytes: number
  #state: State = 'start'
  #key = ''
  #kind: string | undefined
  #apiVersion: string | undefined
  #metadata: ListMeta = {}
  #sawItems = false
  #count = 0
  #itemBytes = 0
  /** Bytes of the present token that were looked at already. */
  #looked = 0
  /** Whether the present item is scanned byte by byte, because no border was found. */
  #scanning = false
  #finished = false

  constructor(options: ListCutterOptions = {}) {
    this.#maxBytes = options.maxItemBytes ?? defaultMaxLineBytes
    this.#decoder = new ItemDecoder(options.exact ?? false, options.lean)
    this.#type = options.type
  }

  /** The list's head as far as it was read; complete once `done`. */
  get head(): ListHead {
    return { kind: this.#kind, apiVersion: this.#apiVersion, metadata: this.#metadata }
  }

  /** Whether the body was read to its closing brace. If this is false after `finish`, the body was cut short. */
  get done(): boolean {
    return this.#state === 'done'
  }

  /** Whether the body had `items`. A `done` body without `items` is no list. */
  get sawItems(): boolean {
    return this.#sawItems
  }

  /** The length of the last item that `next` returned, in bytes. */
  get itemBytes(): number {
    return this.#itemBytes
  }

  /** Takes a chunk, which must not be changed until {@link keep} is called. */
  push(chunk: Uint8Array): void {
    this.#window.append(chunk)
  }

  /** Copies the bytes that are not cut yet, because the memory of the chunks may be reused. */
  keep(): void {
    this.#window.keep()
  }

  /** Says that no chunk will come any more. */
  finish(): void {
    this.#finished = true
  }

  /**
   * Returns the next item; `undefined` if more bytes are needed, or there is no further item.
   * @throws InvalidBodyError if the body is no list
   * @throws ItemTooLongError above the bound
   */
  next(): object | undefined {
    if (this.#state === 'start' && this.#window.length > 0 && !this.#finished) {
      const only = this.#readShort()
      if (only !== undefined || this.done) return only
    }
    for (;;) {
      if (this.#state === 'ITEM') {
        const item = this.#readItem()
        if (item !== undefined) this.#count++
        return item
      }
      if (this.#state === 'KEY' || this.#state === 'VALUE') {
        if (!this.#readField()) return undefined
      } else {
        const byte = this.#skipSpace()
        if (byte < 0) return undefined
        this.#step(byte)
      }
    }
  }

  /**
   * The only item of a short and complete body. `undefined`: there is none, or the body has to be scanned byte by byte.
   * The proof is in two parses: without the item the body is a list, and the text between the brackets is one object.
   */
  #readShort(): object | undefined {
    const window = this.#window
    const { bytes, start, end } = window
    if (end - start > Math.min(shortBytes, this.#maxBytes)) return undefined
    let stop = end
    while (stop > start && isSpace(bytes[stop - 1] as number)) stop--
    if (bytes[stop - 1] !== closeBrace || bytes[stop - 2] !== closeBracket) return undefined
    const at = window.indexOf(itemsText, start)
    const first = at + itemsText.length
    const last = stop - 2
    if (at < 0 || (first !== last && bytes[first] !== openBrace)) return undefined
    const head = tryDecodeJson(`${bytes.toString('utf8', start, first)}]}`, false)
    if (!isBare(head)) return undefined
    const { kind, apiVersion } = head
    const metadata = listMetaOf(head.metadata ?? null)
    if (metadata === undefined) return undefined
    this.#decoder.setType(itemType(kind, apiVersion) ?? this.#type)
    const item = first === last ? undefined : this.#decoder.decode(bytes, first, last)
    if (first < last && item === undefined) return undefined
    this.#kind = kind
    this.#apiVersion = apiVersion
    this.#metadata = metadata
    this.#sawItems = true
    this.#itemBytes = last - first
    this.#state = 'done'
    window.consumeTo(end)
    return item
  }

  /** Consumes white space. Returns the byte after it, or −1 if there is none yet. */
  #skipSpace(): number {
    const { bytes, start, end } = this.#window
    let at = start
    while (at < end && isSpace(bytes[at] as number)) at++
    if (at === start) return start < end ? (bytes[start] as number) : -1
    const byte = at < end ? (bytes[at] as number) : -1
    this.#consume(at)
    return byte
  }

  /** Consumes bytes outside tokens. */
  #consume(at: number): void {
    const { bytes, start } = this.#window
    if (this.#count === 1 && this.#border.text === undefined) this.#border.seeGap(bytes, start, at)
    this.#window.consumeTo(at)
  }

  #step(byte: number): void {
    const next = this.#state === 'value' ? this.#valueState(byte) : steps[this.#state]?.[byte]
    if (next === undefined) throw this.#invalid()
    this.#state = next
    if (next === 'KEY' || next === 'VALUE' || next === 'ITEM') {
      this.#scanner.begin()
      this.#looked = 0
      this.#scanning = false
    } else {
      this.#consume(this.#window.start + 1)
    }
  }

  #valueState(byte: number): State | undefined {
    if (this.#key !== 'items') return 'VALUE'
    if (this.#sawItems) return undefined
    this.#sawItems = true
    if (byte !== openBracket) return 'VALUE'
    this.#decoder.setType(itemType(this.#kind, this.#apiVersion) ?? this.#type)
    return 'first item'
  }

  /** Continues a scan. Returns the position after the token, or −1 if the token is not complete. */
  #scan(): number {
    const { bytes, start, end } = this.#window
    const stop = this.#scanner.scan(bytes, start + this.#looked, end)
    this.#looked = end - start
    if ((stop < 0 ? end : stop) - start > this.#maxBytes) throw new ItemTooLongError(this.#maxBytes)
    return stop
  }

  #readItem(): object | undefined {
    if (!this.#scanning) {
      const item = this.#readToBorder()
      if (item !== undefined || !this.#scanning) return item
    }
    const stop = this.#scan()
    if (stop < 0) return undefined
    const { bytes, start } = this.#window
    const item = this.#decoder.decode(bytes, start, stop)
    if (item === undefined) throw this.#invalid()
    if (this.#count === 1) this.#border.seeSecond(bytes, start, stop)
    this.#itemBytes = stop - start
    this.#window.consumeTo(stop)
    this.#state = 'after item'
    return item
  }

  /** The item before the next border. `undefined`: more bytes are needed, or (`#scanning`) it must be scanned. */
  #readToBorder(): object | undefined {
    const window = this.#window
    const border = this.#border.text
    if (border !== undefined) {
      const { start } = window
      const at = window.indexOf(border, start + Math.max(0, this.#looked - border.length + 1))
      if (at >= 0) {
        if (at + 1 - start > this.#maxBytes) throw new ItemTooLongError(this.#maxBytes)
        const item = this.#decoder.decode(window.bytes, start, at + 1)
        if (item !== undefined) {
          this.#border.hit()
          this.#itemBytes = at + 1 - start
          window.consumeTo(at + 1 + this.#border.gapLength)
          this.#looked = 0
          return item
        }
        this.#border.miss()
      } else if (!this.#finished && window.length < searchBytes) {
        this.#looked = window.length
        return undefined
      }
    }
    this.#looked = 0
    this.#scanning = true
    return undefined
  }

  /** Reads a key, or the value of a field that is not `items`. `false` when more bytes are needed. */
  #readField(): boolean {
    const window = this.#window
    const kept = this.#state === 'KEY' || keptFields.has(this.#key)
    const stop = this.#scan()
    if (stop < 0) {
      if (!kept) this.#drop(window.end)
      return false
    }
    if (kept) {
      const value = tryDecodeJson(window.bytes.toString('utf8', window.start, stop), false)
      if (value === undefined) throw this.#invalid()
      if (this.#state === 'KEY') this.#key = value as string
      else this.#setField(value)
    }
    this.#drop(stop)
    this.#state = this.#state === 'KEY' ? 'colon' : 'after value'
    return true
  }

  #drop(to: number): void {
    this.#window.consumeTo(to)
    this.#looked = 0
  }

  #setField(value: unknown): void {
    const metadata = this.#key === 'metadata' ? listMetaOf(value) : undefined
    if (metadata !== undefined) this.#metadata = metadata
    else if (this.#key === 'kind' && typeof value === 'string') this.#kind = value
    else if (this.#key === 'apiVersion' && typeof value === 'string') this.#apiVersion = value
    // A list without items may say `null` in place of an array.
    else if (this.#key !== 'items' || value !== null) throw this.#invalid()
  }

  #invalid(): InvalidBodyError {
    return new InvalidBodyError(`the body of the list is no JSON list (after ${this.#count} items)`)
  }
}

/** Whether a value is a list, and its fields have their proper types. */
function isBare(value: unknown): value is Partial<ListHead> {
  if (typeof value !== 'object' || value === null) return false
  const { items, kind = '', apiVersion = '' } = value as Readonly<Record<string, unknown>>
  return Array.isArray(items) && typeof kind === 'string' && typeof apiVersion === 'string'
}

const keptFields: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata', 'items'])

function on(states: Readonly<Record<string, State>>): Readonly<Record<number, State>> {
  return Object.fromEntries(Object.entries(states).map(([character, state]) => [character.charCodeAt(0), state]))
}
