import type { Context } from './context.ts'
import { isRecord, propertyOf, type StructuralSchema, same } from './json-schema.ts'
import { matches } from './pattern.ts'

/** Refuses each default that its own schema does not accept, as the API server does. */
export function checkDefaults(schema: StructuralSchema, path: string, context: Context): void {
  if (schema.default !== undefined) {
    const problem = misfit(schema.default, schema)
    if (problem !== undefined)
      context.refuse(path, `has the default ${JSON.stringify(schema.default)}, which ${problem}.`)
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) checkDefaults(field, `${path}.${name}`, context)
  if (isRecord(schema.items)) checkDefaults(schema.items as StructuralSchema, `${path}[]`, context)
  const { additionalProperties: more } = schema
  if (isRecord(more)) checkDefaults(more as StructuralSchema, `${path}{}`, context)
}

/** The reason why a schema does not accept a value; `undefined` if it does. CEL rules, formats and combinations of schemas are not checked. */
function misfit(value: unknown, schema: StructuralSchema): string | undefined {
  if (value === null) return schema.nullable === true ? undefined : 'is null, and the field is not nullable'
  const typed = typeProblem(value, schema)
  if (typed !== undefined) return typed
  const { enum: allowed } = schema
  if (allowed !== undefined && !allowed.some(one => same(one, value))) {
    return `is none of ${allowed.map(one => JSON.stringify(one)).join(', ')}`
  }
  if (typeof value === 'number') return numberProblem(value, schema)
  if (typeof value === 'string') return textProblem(value, schema)
  if (Array.isArray(value)) return listProblem(value, schema)
  return isRecord(value) ? objectProblem(value, schema) : undefined
}

function typeProblem(value: unknown, schema: StructuralSchema): string | undefined {
  const is = Array.isArray(value) ? 'array' : typeof value
  if (schema['x-kubernetes-int-or-string'] === true) {
    return is === 'string' || Number.isInteger(value) ? undefined : 'is neither an integer nor a string'
  }
  const { type } = schema
  if (type === undefined || type === is || (type === 'integer' && Number.isInteger(value))) return undefined
  return `is no ${type}`
}

function numberProblem(value: number, schema: StructuralSchema): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  if (minimum !== undefined && (value < minimum || (exclusiveMinimum === true && value === minimum)))
    return `is below ${minimum}`
  if (maximum !== undefined && (value > maximum || (exclusiveMaximum === true && value === maximum)))
    return `is above ${maximum}`
  // Only the server checks fractions, because their quotient is not exact here.
  const areWhole = multipleOf !== undefined && Number.isInteger(value) && Number.isInteger(multipleOf)
  return areWhole && value % multipleOf !== 0 ? `is no multiple of ${multipleOf}` : undefined
}

function textProblem(value: string, { minLength = 0, maxLength, pattern }: StructuralSchema): string | undefined {
  const { length } = [...value]
  if (length < minLength) return `is shorter than ${minLength}`
  if (maxLength !== undefined && length > maxLength) return `is longer than ${maxLength}`
  return pattern !== undefined && !matches(pattern, value) ? `does not match ${pattern}` : undefined
}

function listProblem(value: readonly unknown[], schema: StructuralSchema): string | undefined {
  const { items, minItems = 0, maxItems } = schema
  if (value.length < minItems) return `has less than ${minItems} items`
  if (maxItems !== undefined && value.length > maxItems) return `has more than ${maxItems} items`
  const twice = repeated(value, schema)
  if (twice !== undefined) return `has ${JSON.stringify(twice)} twice`
  if (!isRecord(items)) return undefined
  return first(value.map((one, at) => [`[${at}]`, misfit(one, items as StructuralSchema)]))
}

/** The first repeated item of a set, or the repeated keys of an item of a map. */
function repeated(value: readonly unknown[], schema: StructuralSchema): unknown {
  const { 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': keys = [] } = schema
  if (type !== 'set' && type !== 'map') return undefined
  const seen = new Set<string>()
  return value
    .map(one => (type === 'map' && isRecord(one) ? Object.fromEntries(keys.map(key => [key, one[key]])) : one))
    .find(one => {
      const text = JSON.stringify(sorted(one))
      const isSeen = seen.has(text)
      seen.add(text)
      return isSeen
    })
}

/** A JSON value with sorted fields, so that equal values have equal texts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map(name => [name, sorted(value[name])]),
  )
}

function objectProblem(value: Readonly<Record<string, unknown>>, schema: StructuralSchema): string | undefined {
  const { additionalProperties: more, required = [], minProperties = 0, maxProperties } = schema
  const missing = required.find(name => !Object.hasOwn(value, name) || value[name] === undefined)
  if (missing !== undefined) return `lacks the field ${missing}`
  const names = Object.keys(value)
  if (names.length < minProperties) return `has less than ${minProperties} fields`
  if (maxProperties !== undefined && names.length > maxProperties) return `has more than ${maxProperties} fields`
  return first(
    names.map(name => {
      const field = propertyOf(schema, name) ?? (isRecord(more) ? (more as StructuralSchema) : undefined)
      return [`.${name}`, field === undefined ? unknownProblem(name, schema) : misfit(value[name], field)]
    }),
  )
}

/** The fields that every resource has. */
const common: readonly string[] = ['apiVersion', 'kind', 'metadata']

function unknownProblem(name: string, schema: StructuralSchema): string | undefined {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true) return undefined
  return schema['x-kubernetes-embedded-resource'] === true && common.includes(name)
    ? undefined
    : 'is a field that the schema does not have'
}

/** The first of the problems, with its path. */
function first(problems: readonly (readonly [step: string, problem: string | undefined])[]): string | undefined {
  const found = problems.find(([, problem]) => problem !== undefined)
  return found && `at ${found[0]} ${found[1]}`
}
