/** A value of type uint. A bigint is an int. */
export class Uint {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

/** The value of a literal. */
export type Literal = null | boolean | bigint | Uint | number | string | Uint8Array

/** A point in time, in nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A duration, in nanoseconds. */
export class Duration {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A list, as {@link ListSemantics} sees it. */
export interface ListValue {
  readonly size: number
  at(index: number): Value
  /** How lists of this kind are compared and added, if not item by item (`x-kubernetes-list-type`). */
  readonly semantics?: ListSemantics | undefined
}

/** How lists are compared and added if the order of their items does not count. */
export interface ListSemantics {
  equal(a: ListValue, b: ListValue): boolean
  add(a: ListValue, b: ListValue): ListValue
}

/** A map, or an object of known fields. */
export interface MapValue {
  readonly size: number
  get(key: Value): Value | undefined
  keys(): readonly Value[]
}

/** An optional value. Without a value, `value` is undefined. */
export class Optional {
  readonly value: Value | undefined

  constructor(value: Value | undefined) {
    this.value = value
  }
}

/** A type as a value: the result of `type(1)`. */
export class TypeValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A value of a library, such as an address or a quantity. */
export abstract class Custom {
  abstract readonly type: string
  abstract equals(other: Custom): boolean

  /** The size by which the cost of a call is counted. */
  get size(): number {
    return 1
  }
}

export type Value = Literal | Timestamp | Duration | List | Mapping | Optional | TypeValue | Custom | Message

/** A message that an expression makes: `Object{…}`. */
export class Message {
  readonly type: string
  readonly fields: ReadonlyMap<string, Value>

  constructor(type: string, fields: ReadonlyMap<string, Value>) {
    this.type = type
    this.fields = fields
  }
}

/** Thrown to end an evaluation. */
export class CelError extends Error {}

/** A list of given items. */
export class List implements ListValue {
  readonly #items: readonly Value[]
  readonly semantics: ListSemantics | undefined
  /** Whether the list belongs to an object. Comparing such a list with any other value than a list or null is an error. */
  readonly strict: boolean

  constructor(items: readonly Value[], semantics?: ListSemantics, strict = false) {
    this.#items = items
    this.semantics = semantics
    this.strict = strict
  }

  get size(): number {
    return this.#items.length
  }

  get items(): readonly Value[] {
    return this.#items
  }

  at(index: number): Value {
    return this.#items[index] as Value
  }
}

/** A map of given entries, or of entries that are made when they are read. */
export abstract class Mapping implements MapValue {
  abstract readonly size: number
  abstract get(key: Value): Value | undefined
  abstract keys(): readonly Value[]

  /** Whether the map belongs to an object. Comparing such a map with any other value than a map or null is an error. */
  get strict(): boolean {
    return false
  }

  /** Whether the fields that expressions can't read allow `other` to be equal. */
  matchesUnknown(_other: Mapping): boolean {
    return true
  }
}

/** A map that an expression makes. */
export class Entries extends Mapping {
  readonly #entries = new Map<string, { key: Value; value: Value }>()

  constructor(entries: Iterable<readonly [Value, Value]>) {
    super()
    for (const [key, value] of entries) this.#entries.set(keyText(key), { key, value })
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Value): Value | undefined {
    return this.#entries.get(keyText(key))?.value
  }

  keys(): readonly Value[] {
    return [...this.#entries.values()].map(entry => entry.key)
  }

  with(key: Value, value: Value): Entries {
    if (this.get(key) !== undefined) throw new CelError(`insert failed: key ${String(key)} already exists`)
    const next = new Entries([])
    for (const [text, entry] of this.#entries) next.#entries.set(text, entry)
    next.#entries.set(keyText(key), { key, value })
    return next
  }
}

/** The same text for equal keys: `1`, `1u` and `1.0` are one key. */
function keyText(key: Value): string {
  if (key instanceof Uint) return `n${key.value}`
  if (typeof key === 'bigint') return `n${key}`
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`
  return typeof key === 'string' ? `s${key}` : String(key)
}

/** The name of a value's type. */
export function typeName(value: Value): string {
  if (value === null) return 'null_type'
  if (value instanceof Uint) return 'uint'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp'
  if (value instanceof Duration) return 'google.protobuf.Duration'
  if (value instanceof List) return 'list'
  if (value instanceof Mapping) return 'map'
  if (value instanceof Optional) return 'optional_type'
  if (value instanceof TypeValue) return 'type'
  if (value instanceof Custom || value instanceof Message) return value.type
  const names: Readonly<Record<string, string>> = { bigint: 'int', number: 'double', boolean: 'bool', string: 'string' }
  return names[typeof value] as string
}
