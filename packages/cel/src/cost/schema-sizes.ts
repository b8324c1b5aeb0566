import { escapeName } from '../escape.ts'
import { isIntOrString } from '../schema-types.ts'
import type { Schema } from '../structural/schema.ts'

/** The sizes of a schema's values. */
export interface Sizes {
  /** The maximum number of items, of properties, or of bytes of a text. */
  readonly elements: number
  /** The minimum number of bytes of a value in JSON. */
  readonly bytes: number
  /** The sizes of a list's items, or of a map's values. */
  readonly inner?: Sizes | undefined
  /** The sizes of a map's keys. */
  readonly keys?: Sizes | undefined
  /** The sizes of an object's fields, by their names in expressions. */
  readonly fields?: ReadonlyMap<string, Sizes> | undefined
}

/** The maximum size of a request, in bytes. It bounds values without a bound of their own. */
const largestRequest = 3 * 1024 * 1024
/** The maximum length of an object's name. */
const longestName = 253
const bytesPerCharacter = 4

/** The sizes of formats: the maximum number of characters, and the minimum number of bytes. */
const formats: Readonly<Record<string, Sizes>> = {
  duration: { elements: 32, bytes: 3 },
  date: { elements: 12, bytes: 12 },
  'date-time': { elements: 32, bytes: 21 },
}

const scalars: Readonly<Record<string, Sizes>> = {
  boolean: { elements: 0, bytes: 4 },
  number: { elements: 0, bytes: 1 },
  integer: { elements: 0, bytes: 1 },
}

/** The maximum sizes of the values of a schema; `undefined` if expressions can't read them. */
export function sizesOfSchema(schema: Schema, isResource: boolean): Sizes | undefined {
  const { maxLength, format } = schema
  const text = maxLength === undefined ? largestRequest - 2 : Math.max(0, maxLength)
  if (isIntOrString(schema)) {
    return { elements: maxLength === undefined ? text : text * bytesPerCharacter, bytes: 1 }
  }
  switch (schema.types[0]) {
    case 'array': {
      const inner = schema.items && sizesOfSchema(schema.items, schema.items.embedded)
      const most = inner && Math.floor((largestRequest - 2) / (inner.bytes + 1))
      return inner && { elements: bound(schema.maxItems, most as number), bytes: 2, inner }
    }
    case 'object':
      return objectSizes(schema, isResource)
    case 'string':
      if (format === 'byte') return { elements: text, bytes: 2 }
      return formats[format] ?? { elements: textSize(schema), bytes: 2 }
    default:
      return scalars[schema.types[0] ?? '']
  }
}

function bound(given: number | undefined, otherwise: number): number {
  return given === undefined ? otherwise : Math.max(0, given)
}

function textSize({ maxLength, enum: values }: Schema): number {
  if (maxLength !== undefined) return Math.max(0, maxLength) * bytesPerCharacter
  if (values.length === 0) return largestRequest - 2
  return Math.max(0, ...values.filter(value => typeof value === 'string').map(value => Buffer.byteLength(value)))
}

function objectSizes(schema: Schema, isResource: boolean): Sizes | undefined {
  if (typeof schema.additional === 'object' && !isResource) {
    const inner = sizesOfSchema(schema.additional, schema.additional.embedded)
    // A key has quotes, a colon and a comma, too.
    const most = inner && Math.floor((largestRequest - 2) / (inner.bytes + 6))
    const keys: Sizes = { elements: 0, bytes: 2 }
    return inner && { elements: bound(schema.maxProperties, most as number), bytes: 2, inner, keys }
  }
  const fields = new Map<string, Sizes>()
  let bytes = 2
  const properties = new Map<string, Sizes | undefined>()
  for (const [name, property] of schema.properties) properties.set(name, sizesOfSchema(property, property.embedded))
  const own = isResource ? resourceFields(schema) : []
  for (const [name, sizes] of own) properties.set(name, sizes)
  const withDefault = new Set(
    [...schema.properties].filter(([, one]) => one.default !== undefined).map(([name]) => name),
  )
  for (const [name] of own) withDefault.delete(name)
  for (const [name, sizes] of properties) {
    if (sizes === undefined) continue
    const escaped = escapeName(name)
    if (escaped !== undefined) fields.set(escaped, sizes)
    if (schema.required.includes(name) && !withDefault.has(name)) bytes += name.length + sizes.bytes + 4
  }
  return { elements: 0, bytes, fields }
}

/** The fields that every resource has; none if the schema declares all of them. */
function resourceFields({ properties }: Schema): [string, Sizes][] {
  const metadata = properties.get('metadata')
  const type = (schema: Schema | undefined): string | undefined => schema?.types[0]
  const names = ['name', 'generateName'].map(name => metadata?.properties.get(name))
  const texts = [properties.get('kind'), properties.get('apiVersion'), ...names]
  if (type(metadata) === 'object' && texts.every(text => type(text) === 'string')) return []
  const text: Sizes = { elements: largestRequest - 2, bytes: 2 }
  const named = (i: 0 | 1): Sizes => {
    const most = Math.min(longestName - i, names[i]?.maxLength ?? Number.POSITIVE_INFINITY)
    return { elements: Math.max(0, most) * bytesPerCharacter, bytes: 2 }
  }
  const inner = new Map([
    ['name', named(0)],
    ['generateName', named(1)],
  ])
  return [
    ['kind', text],
    ['apiVersion', text],
    ['metadata', { elements: 0, bytes: 2, fields: inner }],
  ]
}

/** The sizes at the end of a path from `root`; `undefined` if the path does not exist. */
export function sizesAt(root: Sizes, path: readonly string[]): Sizes | undefined {
  let sizes: Sizes | undefined = root
  for (const step of path) {
    if (step === '@items' || step === '@values') sizes = sizes?.inner
    else if (step === '@keys') sizes = sizes?.keys
    else sizes = sizes?.fields?.get(step)
  }
  return sizes
}

/** The maximum number of values of these sizes in a request. */
export function mostOf({ bytes }: Sizes): number {
  return Math.floor(largestRequest / (bytes + 1))
}
