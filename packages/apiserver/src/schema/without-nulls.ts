import { isObject, type Json, type JsonObject, setOwn } from '@wherry/cel/internal'

const ofSchemas = new Set(['properties', 'patternProperties', 'definitions'])
const schemas = new Set(['items', 'not', 'additionalProperties', 'allOf', 'anyOf', 'oneOf'])

/** A schema without the fields that are null, as Go reads it: `default: null` counts as no default, and a property that is null has an empty schema. */
export function withoutNulls(schema: JsonObject): JsonObject {
  const result: JsonObject = {}
  for (const [name, value] of Object.entries(schema)) {
    if (value === null) continue
    if (ofSchemas.has(name) && isObject(value)) {
      result[name] = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, below(one)]))
    } else setOwn(result, name, schemas.has(name) ? below(value) : (value as Json))
  }
  return result
}

function below(value: Json | undefined): Json {
  if (value === null) return {}
  if (Array.isArray(value)) return value.map(below)
  return isObject(value) ? withoutNulls(value) : (value as Json)
}
