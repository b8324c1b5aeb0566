import type { Context } from './context.ts'
import { isRecord, type JsonSchema, type StructuralSchema } from './json-schema.ts'
import { patternProblem } from './pattern.ts'

type Inner = (part: unknown, step: string) => StructuralSchema

/** The parts of an object's schema: a struct with fields, a map of values, or an object of unknown fields. */
export function objectParts(schema: JsonSchema, path: string, inner: Inner, context: Context): StructuralSchema {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const others = schema.additionalProperties ?? schema.unevaluatedProperties
  const keys = keysOf(schema, path, context)
  const parts: Record<string, unknown> = sizes(schema)

  const fields = Object.entries(properties).map(([name, part]) => [name, inner(part, step(name))] as const)
  // A map with a closed set of keys is a struct, and each field has the map's type.
  for (const key of keys ?? []) if (!(key in properties)) fields.push([key, inner(others ?? true, step(key))])
  if (fields.length > 0) parts.properties = Object.fromEntries(fields)
  if (keys === undefined && others !== undefined && others !== false) {
    if (others === true || (isRecord(others) && Object.keys(others).length === 0))
      parts['x-kubernetes-preserve-unknown-fields'] = true
    else if (fields.length === 0) parts.additionalProperties = inner(others, '{}')
    else
      context.refuse(
        path,
        'has fields of its own and a type for all others. The API server takes either: move the others into a map of their own.',
      )
  }
  if (Array.isArray(schema.required) && schema.required.length > 0) parts.required = schema.required
  return parts
}

/** The limits of the number of fields. */
export function sizes({ minProperties, maxProperties }: JsonSchema): Record<string, unknown> {
  return { minProperties, maxProperties }
}

/** The keys that a map is limited to; undefined for any. */
function keysOf(schema: JsonSchema, path: string, context: Context): readonly string[] | undefined {
  const { propertyNames } = schema
  if (!isRecord(propertyNames)) return undefined
  const { type, enum: allowed, const: single, ...rest } = propertyNames
  if (single !== undefined) return [String(single)]
  if (Array.isArray(allowed)) return allowed.map(String)
  if (Object.keys(rest).length > 0) {
    const { pattern } = rest
    const rule =
      typeof pattern === 'string' && patternProblem(pattern) === undefined
        ? `key.matches(${JSON.stringify(pattern)})`
        : '…'
    context.refuse(
      path,
      `limits the keys of a map, which only a CEL rule can: self.all(key, ${rule}). Take a plain string for the keys.`,
    )
  }
  return undefined
}

/** A field in a path. */
function step(name: string): string {
  return /^[\w$-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}
