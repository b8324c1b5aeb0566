import { isRecord, type JsonSchema } from './json-schema.ts'
import { libraryOptions } from './library-options.ts'
import { problemsError } from './problem.ts'

/**
 * A schema of a library that speaks Standard JSON Schema: zod 4.2 and later, arktype 2.2 and later, valibot with `toStandardJsonSchema`.
 *
 * @see https://standardschema.dev/json-schema
 */
export interface StandardSchema<Written = unknown, Read = Written> {
  readonly '~standard': {
    readonly jsonSchema: {
      readonly input: (options: {
        readonly target: 'draft-2020-12'
        readonly libraryOptions?: Record<string, unknown>
      }) => Record<string, unknown>
    }
    readonly types?: { readonly input: Written; readonly output: Read } | undefined
  }
}

/** A schema that speaks Standard JSON Schema, or a plain JSON Schema (for example of typebox). */
export type AnySchema = object

/**
 * The JSON Schema of the values that users write, before defaults are applied. Parts of a library's schema that JSON Schema can't express are marked,
 * because the library would silently leave them out.
 *
 * @throws OptionTypeError if the library itself can't express the schema
 */
export function jsonSchemaOf(schema: AnySchema, path: string): JsonSchema {
  if (!isStandard(schema)) return schema as JsonSchema
  const { jsonSchema } = schema['~standard']
  try {
    // Arktype's own method keeps defaults, unlike its Standard JSON Schema.
    if ('toJsonSchema' in schema && typeof schema.toJsonSchema === 'function')
      return withAnyObjects(schema.toJsonSchema(libraryOptions)) as JsonSchema
    return jsonSchema.input({ target: 'draft-2020-12', libraryOptions })
  } catch (error) {
    throw problemsError([{ path, message: `can't be expressed as a JSON Schema: ${(error as Error).message}` }])
  }
}

/**
 * Marks objects without described fields as objects with unknown fields. Arktype's `object` is any object, but its JSON Schema is only `type: object`,
 * which in a definition would be an object without fields.
 */
function withAnyObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withAnyObjects)
  if (!isRecord(schema)) return schema
  const inner = Object.entries(schema).map(([keyword, value]) => [keyword, below(keyword, value)] as const)
  const isAny =
    schema.type === 'object' && !['properties', 'additionalProperties', 'required'].some(name => name in schema)
  return { ...Object.fromEntries(inner), ...(isAny && { 'x-kubernetes-preserve-unknown-fields': true }) }
}

/** The value of a keyword, with the schemas in it converted. A default or an enum has no schemas. */
function below(keyword: string, value: unknown): unknown {
  if (['items', 'prefixItems', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', 'not'].includes(keyword))
    return withAnyObjects(value)
  if (!['properties', 'patternProperties', '$defs'].includes(keyword) || !isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, withAnyObjects(schema)]))
}

/** Whether a library made the schema. The schemas of arktype are functions. */
export function isStandard(schema: AnySchema): schema is StandardSchema {
  const standard = (schema as Partial<StandardSchema>)['~standard']
  return typeof standard === 'object' && typeof standard.jsonSchema?.input === 'function'
}
