import { escapeName } from './escape.ts'
import { durationNanos, timestampNanos } from './functions/time-text.ts'
import { isObject, isRawNumber, type Json, type JsonObject, own, sameJson } from './json/json.ts'
import { semanticsOf } from './list-semantics.ts'
import { isIntOrString } from './schema-types.ts'
import { isInt64 } from './structural/go-text.ts'
import type { Schema } from './structural/schema.ts'
import { CelError, Custom, Duration, List, Mapping, Timestamp, type Value } from './values.ts'

const text = {
  types: ['string'],
  format: '',
  properties: new Map(),
  additional: undefined,
  items: undefined,
} as unknown as Schema
const metadata = {
  ...text,
  types: ['object'],
  properties: new Map([
    ['name', text],
    ['generateName', text],
  ]),
} as Schema
const resourceFields = new Map([
  ['kind', text],
  ['apiVersion', text],
  ['metadata', metadata],
])

/** A value as expressions see it. The values in an object or map are made at their first read. Throws a `CelError` if the value does not have its type. */
export function valueOfJson(value: Json, schema: Schema, isResource: boolean): Value {
  if (value === null) return null
  if (isIntOrString(schema))
    return typeof value === 'string' ? value : integer(value, 'XIntOrString value to be either a string or integer')
  switch (schema.types[0]) {
    case 'object':
      if (!isObject(value)) throw wrongType('a map for the provided schema with type=object')
      return new ObjectValue(value, isResource ? withMetadata(schema) : schema)
    case 'array': {
      if (!Array.isArray(value)) throw wrongType('an array for the provided schema with type=array')
      const items = schema.items as Schema
      const made = (value as Json[]).map(item => valueOfJson(item, items, items.embedded))
      return new List(made, semanticsOf(schema), true)
    }
    case 'string':
      if (typeof value !== 'string') throw wrongType('string')
      return formatted(value, schema.format)
    case 'boolean':
      if (typeof value !== 'boolean') throw wrongType('bool')
      return value
    case 'number':
      if (isRawNumber(value)) return Number(value.rawJSON)
      if (typeof value !== 'number') throw wrongType('float')
      return value
    case 'integer':
      return integer(value, 'int')
    default:
      return new Unknown(value)
  }
}

function wrongType(expected: string): CelError {
  return new CelError(`invalid data, expected ${expected}`)
}

/** Throws if the value is no integer of 64 bits. */
function integer(value: Json, expected: string): bigint {
  const whole = isRawNumber(value)
    ? BigInt(value.rawJSON)
    : Number.isInteger(value)
      ? BigInt(value as number)
      : undefined
  if (whole === undefined || !isInt64(whole)) throw wrongType(expected)
  return whole
}

function withMetadata(schema: Schema): Schema {
  return { ...schema, properties: new Map([...schema.properties, ...resourceFields]) }
}

function formatted(value: string, format: string): Value {
  if (format === 'byte') return new Uint8Array(Buffer.from(value, 'base64'))
  if (format === 'duration') {
    const nanos = durationNanos(value)
    if (nanos === undefined) throw new CelError(`Invalid duration ${value}: unable to parse ${value} as duration`)
    return new Duration(nanos)
  }
  if (format !== 'date' && format !== 'date-time') return value
  const nanos = timestampNanos(format === 'date' ? `${value}T00:00:00Z` : value.toUpperCase())
  if (nanos === undefined) throw new CelError(`Invalid ${format} formatted string ${value}`)
  return new Timestamp(nanos)
}

/** A value that the schema does not describe. It can only be compared. */
class Unknown extends Custom {
  readonly type = 'unknown'
  readonly #value: Json

  constructor(value: Json) {
    super()
    this.#value = value
  }

  equals(other: Unknown): boolean {
    return sameJson(this.#value, other.#value)
  }
}

/** An object of known fields, or a map from strings. */
class ObjectValue extends Mapping {
  readonly #json: JsonObject
  readonly #schema: Schema
  readonly #made = new Map<string, Value | undefined>()
  #keys: ReadonlyMap<string, string> | undefined

  constructor(json: JsonObject, schema: Schema) {
    super()
    this.#json = json
    this.#schema = schema
  }

  override get strict(): boolean {
    return true
  }

  get size(): number {
    return Object.keys(this.#json).length
  }

  /** As in a real server, a field without a schema must be the same in both objects, but may be absent from `other`. */
  override matchesUnknown(other: Mapping): boolean {
    if (!(other instanceof ObjectValue)) return true
    return Object.keys(this.#json).every(name => {
      const theirs = this.#fieldSchema(name) === undefined ? own(other.#json, name) : undefined
      return theirs === undefined || sameJson(own(this.#json, name), theirs)
    })
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string') throw new CelError('no such overload')
    if (!this.#made.has(key)) this.#made.set(key, this.#make(key))
    return this.#made.get(key)
  }

  keys(): readonly Value[] {
    return [...this.#names.keys()]
  }

  /** The names of fields in expressions, each with the field's own name. */
  get #names(): ReadonlyMap<string, string> {
    if (this.#keys === undefined) {
      const isObject = this.#schema.properties.size > 0
      const names = Object.keys(this.#json).filter(name => this.#fieldSchema(name) !== undefined)
      this.#keys = new Map(names.map(name => [isObject ? (escapeName(name) ?? name) : name, name]))
    }
    return this.#keys
  }

  #fieldSchema(name: string): Schema | undefined {
    const { properties, additional } = this.#schema
    return properties.get(name) ?? (typeof additional === 'object' && properties.size === 0 ? additional : undefined)
  }

  #make(key: string): Value | undefined {
    const name = this.#names.get(key) ?? this.#names.get(escapeName(key) === `__${key}__` ? `__${key}__` : key)
    if (name === undefined) return undefined
    const json = own(this.#json, name) as Json
    const schema = this.#fieldSchema(name) as Schema
    // A null field of an object counts as absent.
    if (json === null && this.#schema.properties.size > 0) return undefined
    return valueOfJson(json, schema, schema.embedded)
  }
}
