import { arrayParts, lengths } from './arrays.ts'
import type { Context } from './context.ts'
import { isRecord, type JsonSchema, propertyOf, type StructuralSchema } from './json-schema.ts'
import { onlyLimits } from './limits.ts'
import { objectParts, sizes } from './objects.ts'
import { allowedValues, numberLimits, stringLimits, typeOf } from './scalars.ts'

/** Converts the schema of a part of a value: a field, the items of a list. `step` is added to the path: `.name`, `[]`. */
export type Inner = (part: unknown, step: string) => StructuralSchema

/** The fields that describe a value and do not limit it. */
export function about(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([field]) => ['title', 'description', 'default'].includes(field) || field.startsWith('x-'),
    ),
  )
}

/** A schema of one type, without unions. */
export function one(schema: JsonSchema, path: string, inner: Inner, context: Context): StructuralSchema {
  const all = allowedValues(schema)
  const isSaid = schema.nullable === true
  const values = all?.filter(value => value !== null)
  const listsNull = all !== undefined && values?.length !== all.length
  const nullable = isSaid || listsNull || undefined
  const type = typeOfSchema(schema, values)
  const { title, description, example, externalDocs } = schema
  const structural: Record<string, unknown> = { title, description, example, externalDocs }
  const intOrString = schema['x-kubernetes-int-or-string'] === true || type === 'integer or string'
  if (intOrString) structural['x-kubernetes-int-or-string'] = true
  else structural.type = type
  // A listed null stays in `enum` until it is replaced by a rule. A schema with `nullable` is already in the server's form.
  Object.assign(structural, { nullable, default: schema.default, enum: isSaid ? values : all })
  if (type === 'null') context.refuse(path, 'can only be null. Leave the field out.')
  if (type === 'mixed') context.refuse(path, 'has values of several types. The API server takes one type for a field.')
  // Limits for other types have no effect. The server accepts them, so a schema that is already structural keeps them.
  Object.assign(structural, lengths(schema), sizes(schema), stringLimits(schema, path, context))
  Object.assign(structural, numberLimits(schema, type === 'integer'))
  if (type === 'object') Object.assign(structural, objectParts(schema, path, inner, context))
  if (type === 'array') Object.assign(structural, arrayParts(schema, path, inner, context))
  for (const [field, value] of Object.entries(schema)) if (field.startsWith('x-kubernetes-')) structural[field] = value
  if (schema.not !== undefined) structural.not = negated(schema, path, context)
  const cleaned = fitToDefault(clean(structural as StructuralSchema), schema.default)
  if (type === 'object' && (schema.additionalProperties === false || schema.unevaluatedProperties === false))
    context.closed.add(cleaned)
  return cleaned
}

/** The type of a schema, explicit or implied by its keywords; 'mixed' for values of several types. */
function typeOfSchema(schema: JsonSchema, values: readonly unknown[] | undefined): string | undefined {
  if (typeof schema.type === 'string') return schema.type
  if (schema['x-kubernetes-preserve-unknown-fields'] === true && !('properties' in schema)) return undefined
  if (values !== undefined && values.length > 0) {
    const types = [...new Set(values.map(typeOf))].sort()
    if (types.length === 1) return types[0]
    if (types.join() === 'integer,number') return 'number'
    return types.join() === 'integer,string' ? 'integer or string' : 'mixed'
  }
  return implied.find(([, keywords]) => keywords.some(keyword => keyword in schema))?.[0]
}

const implied: readonly (readonly [string, readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'propertyNames', 'minProperties', 'maxProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems']],
  ['string', ['minLength', 'maxLength', 'pattern']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

/** The schema in `not`. It may only limit values, because the type of a field stands outside of `not`. */
function negated(schema: JsonSchema, path: string, context: Context): StructuralSchema | undefined {
  if (onlyLimits(schema.not, schema)) return schema.not
  context.refuse(path, "uses 'not' with more than limits of a value. Write it as a CEL rule.")
  return undefined
}

/**
 * Makes fields optional that a default lacks and that have a default of their own, because the server refuses a default without a required field.
 * Such a field is never missing, so it need not be required. Typebox requires each field that is not optional.
 */
function fitToDefault(schema: StructuralSchema, value: unknown): StructuralSchema {
  const { properties, required, ...rest } = schema
  if (!isRecord(value) || properties === undefined) return schema
  const needed =
    required?.filter(name => Object.hasOwn(value, name) || propertyOf(schema, name)?.default === undefined) ?? []
  const fields = Object.entries(properties).map(([name, field]) => [name, fitToDefault(field, value[name])] as const)
  return { ...rest, properties: Object.fromEntries(fields), ...(needed.length > 0 && { required: needed }) }
}

/** Removes the fields that are undefined. */
export function clean(schema: StructuralSchema): StructuralSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))
}
