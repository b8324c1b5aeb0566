import { escapeName } from './escape.ts'
import type { Schema } from './structural/schema.ts'
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  mapOf,
  string,
  struct,
  type Type,
  timestamp,
} from './types.ts'

const formats: Readonly<Record<string, Type>> = { byte: bytes, duration, date: timestamp, 'date-time': timestamp }

/** The type of a schema's values in expressions; `undefined` if expressions can't read them. */
export function typeOfSchema(schema: Schema, isResource: boolean, name: string): Type | undefined {
  if (isIntOrString(schema)) return dyn
  switch (schema.types[0]) {
    case 'array': {
      const item = schema.items && typeOfSchema(schema.items, schema.items.embedded, `${name}.@idx`)
      return item && listOf(item)
    }
    case 'object':
      return objectType(schema, isResource, name)
    case 'string':
      return formats[schema.format] ?? string
    case 'boolean':
      return bool
    case 'number':
      return double
    case 'integer':
      return int
    default:
      return undefined
  }
}

function objectType(schema: Schema, isResource: boolean, name: string): Type | undefined {
  if (typeof schema.additional === 'object' && !isResource) {
    const value = typeOfSchema(schema.additional, schema.additional.embedded, `${name}.@elem`)
    return value && mapOf(string, value)
  }
  const fields = new Map<string, Type>()
  for (const [key, property] of schema.properties) {
    const escaped = escapeName(key)
    const type = typeOfSchema(property, property.embedded, `${name}.${escaped ?? key}`)
    if (type !== undefined && escaped !== undefined) fields.set(escaped, type)
  }
  if (isResource) {
    fields.set('kind', string)
    fields.set('apiVersion', string)
    fields.set(
      'metadata',
      struct(
        `${name}.metadata`,
        new Map([
          ['name', string],
          ['generateName', string],
        ]),
      ),
    )
  }
  return struct(name, fields)
}

/** Whether values may be numbers or strings. */
export function isIntOrString({ types }: Schema): boolean {
  return types.length === 2
}
