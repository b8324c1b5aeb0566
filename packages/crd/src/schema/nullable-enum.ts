import type { Context } from './context.ts'
import { isRecord, type StructuralSchema } from './json-schema.ts'

/**
 * Replaces each `enum` with null by a rule. The server never finds null in an `enum`, so it would refuse null although the field is
 * nullable. The server runs no rule for null.
 */
export function withNullRules(schema: StructuralSchema, path: string, context: Context): StructuralSchema {
  const { properties, items, additionalProperties } = schema
  const below = (part: unknown, step: string): StructuralSchema =>
    withNullRules(part as StructuralSchema, `${path}${step}`, context)
  const whole: StructuralSchema = {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, below(field, `.${name}`)]),
      ),
    }),
    ...(isRecord(items) && { items: below(items, '[]') }),
    ...(isRecord(additionalProperties) && { additionalProperties: below(additionalProperties, '{}') }),
  }
  return whole.enum?.includes(null) === true ? ruled(whole, path, context) : whole
}

function ruled(schema: StructuralSchema, path: string, context: Context): StructuralSchema {
  const { enum: listed = [], ...rest } = schema
  const values = listed.filter(value => value !== null)
  // Without null, or if null is refused anyway, an `enum` is enough.
  if (rest.nullable !== true || values.length === 0) return { ...rest, enum: values }
  const literals = values.map(value => literal(value, schema.type))
  if (literals.includes(undefined))
    return context.refuse(
      path,
      'is null or one of several objects or lists, which the API server has no words for. Leave null out.',
    )
  // CEL accepts a list of values of several types only with `dyn`.
  const isMixed = new Set(values.map(value => typeof value)).size > 1
  const rule = `self in [${literals.map(one => (isMixed ? `dyn(${one})` : one)).join(', ')}]`
  const message = `must be null or one of: ${values.map(value => JSON.stringify(value)).join(', ')}`
  const before = rest['x-kubernetes-validations'] ?? []
  const texts = values.filter(value => typeof value === 'string')
  // The server estimates the cost of a rule by the longest text that the field may have.
  const isText = schema.type === 'string' && rest.maxLength === undefined
  return {
    ...rest,
    ...(isText && { maxLength: Math.max(...texts.map(text => [...text].length)) }),
    'x-kubernetes-validations': [...before, { rule, message }],
  }
}

/** A value as a CEL literal. */
function literal(value: unknown, type: string | undefined): string | undefined {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'boolean') return `${value}`
  if (typeof value !== 'number') return undefined
  return type === 'number' && Number.isInteger(value) ? `${value}.0` : `${value}`
}
