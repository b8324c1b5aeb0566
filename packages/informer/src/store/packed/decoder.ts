import { readUuid, timeOf } from './forms.ts'
import type { Shapes } from './shapes.ts'
import type { Texts } from './texts.ts'
import { lastAlone, tokens } from './tokens.ts'

/** Reads what an {@link Encoder} wrote with the same texts and shapes. */
export class Decoder {
  readonly #texts: Texts
  readonly #shapes: Shapes
  readonly #freeze: boolean
  #bytes: Buffer = Buffer.alloc(0)
  #start = 0
  #at = 0
  #key = ''

  /** @param freeze what it gives */
  constructor(texts: Texts, shapes: Shapes, freeze: boolean) {
    this.#texts = texts
    this.#shapes = shapes
    this.#freeze = freeze
  }

  /** The resourceVersion (0), the uid (1) or the value (2), made anew. */
  token(bytes: Buffer, at: number, key: string, index: 0 | 1 | 2): unknown {
    this.#begin(bytes, at, key)
    for (let before = 0; before < index; before++) this.#pass(false)
    return this.#value()
  }

  /** The texts and shapes in it have one use less: it is read no more. */
  release(bytes: Buffer, at: number): void {
    this.#begin(bytes, at, '')
    for (let token = 0; token < 3; token++) this.#pass(true)
  }

  #begin(bytes: Buffer, at: number, key: string): void {
    this.#bytes = bytes
    this.#start = at
    this.#at = at
    this.#key = key
  }

  #value(): unknown {
    switch (this.#bytes[this.#at++]) {
      case tokens.undefined:
        return undefined
      case tokens.null:
        return null
      case tokens.false:
        return false
      case tokens.true:
        return true
      case tokens.natural:
        return this.#count()
      case tokens.negative:
        return -this.#count()
      case tokens.double:
        return this.#bytes.readDoubleLE(this.#past(8))
      case tokens.latin1:
        return this.#characters('latin1')
      case tokens.utf8:
        return this.#characters('utf8')
      case tokens.utf16:
        return this.#characters('utf16le')
      case tokens.text:
        return this.#texts.at(this.#count())
      case tokens.digits:
        return `${this.#count()}`
      case tokens.uuid:
        return readUuid(this.#bytes, this.#past(16))
      case tokens.time:
        return timeOf(this.#count())
      case tokens.name:
        return this.#key.slice(this.#key.indexOf('/') + 1)
      case tokens.namespace:
        return this.#key.slice(0, this.#key.indexOf('/'))
      case tokens.resourceVersion:
        return this.#earlier(0)
      case tokens.uid:
        return this.#earlier(1)
      case tokens.list:
        return this.#list()
      case tokens.record:
        return this.#record()
      case tokens.map:
        return this.#map({})
      case tokens.bareMap:
        return this.#map(Object.create(null))
      default:
        throw unreadable()
    }
  }

  #list(): unknown[] {
    const items: unknown[] = []
    for (let left = this.#count(); left > 0; left--) items.push(this.#value())
    return this.#done(items)
  }

  #record(): object {
    const { keys, isBare } = this.#shapes.at(this.#count())
    const object = isBare ? Object.create(null) : {}
    for (const key of keys) set(object, key, this.#value())
    return this.#done(object)
  }

  #map(object: object): object {
    for (let left = this.#count(); left > 0; left--) {
      const key = this.#value() as string
      set(object, key, this.#value())
    }
    return this.#done(object)
  }

  #done<T extends object>(value: T): T {
    return this.#freeze ? Object.freeze(value) : value
  }

  /** One of the tokens that come before the value. */
  #earlier(index: number): unknown {
    const at = this.#at
    this.#at = this.#start
    if (index > 0) this.#pass(false)
    const value = this.#value()
    this.#at = at
    return value
  }

  #characters(encoding: BufferEncoding): string {
    const length = this.#count()
    const start = this.#past(length)
    return this.#bytes.toString(encoding, start, start + length)
  }

  /** Passes a token and all that is in it. */
  #pass(isReleased: boolean): void {
    const token = this.#bytes[this.#at++] as number
    if (token <= lastAlone) return
    if (!(token <= tokens.bareMap)) throw unreadable()
    const count = token === tokens.double ? 8 : token === tokens.uuid ? 16 : this.#count()
    switch (token) {
      case tokens.double:
      case tokens.uuid:
      case tokens.latin1:
      case tokens.utf8:
      case tokens.utf16:
        this.#at += count
        return
      case tokens.text:
        if (isReleased) this.#texts.release(count)
        return
      case tokens.list:
        return this.#passMany(count, isReleased)
      case tokens.record:
        this.#passMany(this.#shapes.at(count).keys.length, isReleased)
        if (isReleased) this.#shapes.release(count)
        return
      case tokens.map:
      case tokens.bareMap:
        return this.#passMany(2 * count, isReleased)
    }
  }

  #passMany(count: number, isReleased: boolean): void {
    for (let left = count; left > 0; left--) this.#pass(isReleased)
  }

  #count(): number {
    const byte = this.#bytes[this.#at++] as number
    if (byte < 128) return byte
    let count = byte & 127
    for (let scale = 128; ; scale *= 128) {
      const next = this.#bytes[this.#at++] as number
      count += (next & 127) * scale
      if (next < 128) return count
    }
  }

  /** Passes some bytes. Gives where they begin. */
  #past(length: number): number {
    const start = this.#at
    this.#at += length
    return start
  }
}

/** Assigning it would set the prototype. */
function set(object: object, key: string, value: unknown): void {
  if (key !== '__proto__') (object as Record<string, unknown>)[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

function unreadable(): Error {
  return new Error('a packed value is damaged: please report this')
}
