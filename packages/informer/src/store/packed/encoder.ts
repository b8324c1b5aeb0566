import type { Identity } from '../../entries/identity.ts'
import { UnpackableValueError } from '../../errors.ts'
import { isLatin1, numberOf, secondsOf, writeUuid } from './forms.ts'
import type { Shapes } from './shapes.ts'
import type { Texts } from './texts.ts'
import { tokens } from './tokens.ts'

/** What is nested deeper is a cycle, most likely, and can't be walked for ever. */
const mostDepth = 500
const leastBytes = 4096
/** A buffer that an object once needed is not kept when it is larger. */
const mostKeptBytes = 1024 * 1024

/** Writes values as bytes (see {@link tokens}): resourceVersion, uid and value, each a token. All is read back as it was. */
export class Encoder {
  readonly #texts: Texts
  readonly #shapes: Shapes
  #bytes = Buffer.allocUnsafeSlow(leastBytes)
  #at = 0
  #name = ''
  #namespace: string | undefined
  #uid: string | undefined
  #resourceVersion: string | undefined
  /** What the value uses so far, in case that it comes to nothing: of texts, and of shapes. */
  #usedTexts: number[] = []
  #usedShapes: number[] = []

  constructor(texts: Texts, shapes: Shapes) {
    this.#texts = texts
    this.#shapes = shapes
  }

  /**
   * The bytes, which hold until the next call. The texts and shapes in them have one use more.
   * @throws UnpackableValueError
   */
  encode({ key, uid, resourceVersion }: Identity, value: unknown): Buffer {
    if (this.#bytes.length > mostKeptBytes) this.#bytes = Buffer.allocUnsafeSlow(leastBytes)
    const slash = key.indexOf('/')
    this.#name = key.slice(slash + 1)
    this.#namespace = slash < 0 ? undefined : key.slice(0, slash)
    this.#uid = undefined
    this.#resourceVersion = undefined
    this.#usedTexts.length = 0
    this.#usedShapes.length = 0
    this.#at = 0
    try {
      this.#value(resourceVersion, 0)
      this.#value(uid, 0)
      this.#uid = uid
      this.#resourceVersion = resourceVersion
      this.#value(value, 0)
    } catch (error) {
      this.undo()
      throw error
    }
    return this.#bytes.subarray(0, this.#at)
  }

  /** What was encoded last is not kept. */
  undo(): void {
    for (const number of this.#usedTexts) this.#texts.release(number)
    for (const number of this.#usedShapes) this.#shapes.release(number)
  }

  #value(value: unknown, depth: number): void {
    switch (typeof value) {
      case 'string':
        return this.#text(value)
      case 'number':
        return this.#number(value)
      case 'boolean':
        return this.#token(value ? tokens.true : tokens.false)
      case 'undefined':
        return this.#token(tokens.undefined)
      case 'object':
        if (value === null) return this.#token(tokens.null)
        return Array.isArray(value) ? this.#list(value, depth) : this.#object(value, depth)
      default:
        throw new UnpackableValueError([], `a ${typeof value}`)
    }
  }

  #object(value: object, depth: number): void {
    const prototype: unknown = Object.getPrototypeOf(value)
    const isBare = prototype === null
    if (!isBare && prototype !== Object.prototype) throw new UnpackableValueError([], `a ${classOf(value)}`)
    checkDepth(depth)
    const keys = Object.keys(value)
    const shape = keys.length === 0 ? undefined : this.#shapes.use(keys, isBare)
    if (shape === undefined) this.#counted(isBare ? tokens.bareMap : tokens.map, keys.length)
    else {
      this.#usedShapes.push(shape)
      this.#counted(tokens.record, shape)
    }
    for (const key of keys) {
      if (shape === undefined) this.#text(key)
      try {
        this.#value((value as Readonly<Record<string, unknown>>)[key], depth + 1)
      } catch (error) {
        throw within(key, error)
      }
    }
  }

  #list(value: readonly unknown[], depth: number): void {
    if (Object.getPrototypeOf(value) !== Array.prototype) throw new UnpackableValueError([], `a ${classOf(value)}`)
    checkDepth(depth)
    this.#counted(tokens.list, value.length)
    for (let index = 0; index < value.length; index++) {
      const item = value[index]
      try {
        if (item === undefined && !(index in value)) throw new UnpackableValueError([], 'a hole in a list')
        this.#value(item, depth + 1)
      } catch (error) {
        throw within(`${index}`, error)
      }
    }
    // As what `RegExp.exec` gives has.
    if (Object.keys(value).length > value.length) {
      throw new UnpackableValueError([], 'a list that has more than its items')
    }
  }

  #number(value: number): void {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
      this.#token(tokens.double)
      this.#room(8)
      this.#at = this.#bytes.writeDoubleLE(value, this.#at)
    } else if (value < 0) this.#counted(tokens.negative, -value)
    else this.#counted(tokens.natural, value)
  }

  #text(text: string): void {
    if (text === this.#name) return this.#token(tokens.name)
    if (text === this.#namespace) return this.#token(tokens.namespace)
    if (text === this.#resourceVersion) return this.#token(tokens.resourceVersion)
    if (text === this.#uid) return this.#token(tokens.uid)
    const number = numberOf(text)
    if (number >= 0) return this.#counted(tokens.digits, number)
    const seconds = secondsOf(text)
    if (seconds >= 0) return this.#counted(tokens.time, seconds)
    this.#room(17)
    if (writeUuid(text, this.#bytes, this.#at + 1)) {
      this.#token(tokens.uuid)
      this.#at += 16
      return
    }
    const known = this.#texts.use(text)
    if (known === undefined) return this.#characters(text)
    this.#usedTexts.push(known)
    this.#counted(tokens.text, known)
  }

  #characters(text: string): void {
    if (isLatin1(text)) this.#written(tokens.latin1, text, 'latin1', text.length)
    else if (text.isWellFormed()) this.#written(tokens.utf8, text, 'utf8', Buffer.byteLength(text))
    else this.#written(tokens.utf16, text, 'utf16le', 2 * text.length)
  }

  #written(token: number, text: string, encoding: BufferEncoding, length: number): void {
    this.#counted(token, length)
    this.#room(length)
    this.#bytes.write(text, this.#at, encoding)
    this.#at += length
  }

  #counted(token: number, count: number): void {
    this.#token(token)
    this.#room(8)
    let rest = count
    // Of larger numbers the bitwise operators see a part only.
    for (; rest > 0x7fffffff; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 128
    for (; rest > 127; rest >>>= 7) this.#bytes[this.#at++] = (rest & 127) | 128
    this.#bytes[this.#at++] = rest
  }

  #token(token: number): void {
    this.#room(1)
    this.#bytes[this.#at++] = token
  }

  #room(length: number): void {
    const needed = this.#at + length
    if (needed <= this.#bytes.length) return
    const former = this.#bytes
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(needed, 2 * former.length))
    former.copy(this.#bytes, 0, 0, this.#at)
  }
}

function checkDepth(depth: number): void {
  if (depth > mostDepth) throw new UnpackableValueError([], `nested deeper than ${mostDepth} levels, or in itself`)
}

function classOf(value: object): string {
  const made: unknown = value.constructor
  return typeof made === 'function' && made.name !== '' ? made.name : 'class instance'
}

function within(key: string, error: unknown): unknown {
  if (!(error instanceof UnpackableValueError)) return error
  return new UnpackableValueError([key, ...error.path].slice(0, 16), error.what)
}
