/**
 * Estimates the cost of plain JSON on V8's heap: 64 bits, without pointer compression, as Node is built.
 *
 * An object is 24 bytes and 8 for each property; it shares the keys and the hidden class with others of its shape. With
 * more than 128 properties it is a dictionary. A list is 32 bytes, 16 more unless it is empty, and 8 for each item. Text is 16
 * bytes and one for each character (two for each if there is one beyond Latin-1), rounded up to 8. A number beyond 32 bits
 * or with a fraction is 16. Values that V8 or the store holds once (keys, text of up to 10 characters, and
 * interned texts) are counted once in the life of an estimate; so are labels, annotations, owners and finalizers that
 * several objects share, which are frozen.
 */
export class HeapEstimate {
  readonly #seen = new Set<string>()
  readonly #seenObjects = new Set<object>()
  readonly #internedUpTo: (key: string, depth: number) => number
  #sharedBytes = 0

  /** @param internedUpTo the maximum length of texts below a key, at a depth, that are held once: 0 for none */
  constructor(internedUpTo: (key: string, depth: number) => number = () => 0) {
    this.#internedUpTo = internedUpTo
  }

  /**
   * The bytes of a value and its contents, nested as deep as a server accepts.
   * @throws RangeError for a value that is nested deeper than 20,000 levels, or contains itself
   */
  of(value: unknown): number {
    const left: Held[] = []
    let bytes = this.#of(value, 0, maxInternalized, left)
    // Without recursion, because a value may be nested deeper than the stack.
    for (let next = left.pop(); next !== undefined; next = left.pop()) bytes += this.#ofHeld(next, left)
    return bytes
  }

  /** The part of all bytes so far that belongs to values that are counted once. */
  get sharedBytes(): number {
    return this.#sharedBytes
  }

  /** The bytes of a value; its contents are added to `left`. */
  #of(value: unknown, depth: number, upTo: number, left: Held[]): number {
    switch (typeof value) {
      case 'string':
        return this.#ofText(value, upTo)
      case 'number':
        return (value | 0) === value && !Object.is(value, -0) ? 0 : numberBytes
      case 'bigint':
        return numberBytes + 8 * Math.ceil(value.toString(16).length / 16)
      case 'object':
        if (value === null || (depth === sharedDepth && !this.#isFirst(value))) return 0
        if (depth > mostDepth) throw new RangeError(`nested deeper than ${mostDepth} levels, or in itself`)
        left.push({ value, depth, upTo })
        return 0
      default:
        return 0
    }
  }

  #ofHeld({ value, depth, upTo }: Held, left: Held[]): number {
    return Array.isArray(value)
      ? this.#ofList(value, depth, upTo, left)
      : this.#ofObject(value as Record<string, unknown>, depth, upTo, left)
  }

  #ofText(text: string, upTo: number): number {
    if (text.length > upTo) return textBytes(text)
    return this.#isNew(text) ? this.#shared(textBytes(text)) : 0
  }

  #ofList(items: readonly unknown[], depth: number, upTo: number, left: Held[]): number {
    let bytes = listBytes + (items.length === 0 ? 0 : 16 + 8 * items.length)
    for (const item of items) bytes += this.#of(item, depth + 1, upTo, left)
    return bytes
  }

  #ofObject(object: Readonly<Record<string, unknown>>, depth: number, upTo: number, left: Held[]): number {
    const keys = Object.keys(object)
    let bytes = shapeBytes(keys.length)
    for (const key of keys) {
      if (this.#isNew(key)) bytes += this.#shared(textBytes(key) + hiddenClassBytes)
      bytes += this.#of(object[key], depth + 1, Math.max(upTo, this.#internedUpTo(key, depth)), left)
    }
    return bytes
  }

  #shared(bytes: number): number {
    this.#sharedBytes += bytes
    return bytes
  }

  /** Whether a value is met for the first time. Only a frozen value can be met again. */
  #isFirst(value: object): boolean {
    if (!Object.isFrozen(value)) return true
    if (this.#seenObjects.has(value)) return false
    if (this.#seenObjects.size < maxSeen) this.#seenObjects.add(value)
    return true
  }

  #isNew(text: string): boolean {
    if (this.#seen.has(text)) return false
    if (this.#seen.size < maxSeen) this.#seen.add(text)
    return true
  }
}

/** An object or a list that is still to be measured. */
interface Held {
  readonly value: object
  readonly depth: number
  readonly upTo: number
}

/** The maximum depth of a value. A kube-apiserver accepts 10,000 levels. */
const mostDepth = 20_000
/** The depth of labels, annotations, owners and finalizers. */
const sharedDepth = 2
const numberBytes = 16
const listBytes = 32
/** The bytes of a further hidden class, as heap snapshots show them: a map and its descriptors. */
const hiddenClassBytes = 120
/** The maximum length of texts that V8 stores once when it parses JSON. */
const maxInternalized = 10
/** How many values are remembered to be counted once; enough for labels and namespaces of a large cluster. */
const maxSeen = 100_000

function shapeBytes(properties: number): number {
  // An empty object takes between 24 and 56 bytes: V8 reserves room until it knows the final size.
  if (properties === 0) return 40
  if (properties <= 128) return 24 + 8 * properties
  return 24 + 24 * 2 ** Math.ceil(Math.log2(properties * 1.5))
}

function textBytes(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of Latin-1 is one byte a character
  const width = /[^\u0000-\u00ff]/.test(text) ? 2 : 1
  return 8 * Math.ceil((16 + width * text.length) / 8)
}
