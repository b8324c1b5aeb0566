import type { Context } from './context.ts'
import { type JsonSchema, type StructuralSchema, same } from './json-schema.ts'
import { patternProblem } from './pattern.ts'

/** The fields of a string's schema that limit its values. */
export function stringLimits(schema: JsonSchema, path: string, context: Context): StructuralSchema {
  const { format, minLength, maxLength, pattern } = schema
  const limits: Record<string, unknown> = { format, minLength, maxLength }
  // Libraries write a long pattern of their own next to this format. The server checks the format by itself.
  if (typeof pattern === 'string' && !(context.isOfLibrary && format === 'date-time')) {
    const problem = patternProblem(pattern)
    if (problem !== undefined) context.refuse(path, problem)
    limits.pattern = pattern
  }
  return limits
}

/** The fields of a number's schema that limit its values. */
export function numberLimits(schema: JsonSchema, integer: boolean): StructuralSchema {
  let { format, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const { multipleOf } = schema
  // Draft 2020-12 has a second limit here (the narrower limit counts), and OpenAPI 3.0 has whether `minimum` is excluded.
  if (typeof exclusiveMinimum === 'number')
    [minimum, exclusiveMinimum] =
      (minimum as number) > exclusiveMinimum ? [minimum, undefined] : [exclusiveMinimum, true]
  if (typeof exclusiveMaximum === 'number')
    [maximum, exclusiveMaximum] =
      (maximum as number) < exclusiveMaximum ? [maximum, undefined] : [exclusiveMaximum, true]
  if (integer) {
    // Libraries write the range of exact JavaScript numbers as if the author had set these limits.
    const unlimited = [minimum === Number.MIN_SAFE_INTEGER, maximum === Number.MAX_SAFE_INTEGER]
    if (unlimited[0]) [minimum, exclusiveMinimum] = [undefined, undefined]
    if (unlimited[1]) [maximum, exclusiveMaximum] = [undefined, undefined]
    if (unlimited.includes(true)) format ??= 'int64'
  }
  return { format, minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } as StructuralSchema
}

/** The values that `enum` or `const` allows; undefined without both. */
export function allowedValues(schema: JsonSchema): readonly unknown[] | undefined {
  const listed = Array.isArray(schema.enum) ? schema.enum : undefined
  if (!('const' in schema) || schema.const === undefined) return listed
  return listed === undefined || listed.some(value => same(value, schema.const)) ? [schema.const] : []
}

/** The name of the type of a JSON value in a schema. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
