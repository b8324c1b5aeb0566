import { copyOf, isObject, type Json, type JsonObject, own, type Schema, setOwn } from '@wherry/cel/internal'

/** Fills in the defaults of fields that are absent, or that are null and may not be. An absent object is not filled in, unless it has a default itself. */
export function applyDefaults(schema: Schema, object: JsonObject): JsonObject {
  const filled: JsonObject = {}
  for (const key of Object.keys(object)) setOwn(filled, key, object[key] as Json)
  for (const [key, property] of schema.properties) {
    const value = own(filled, key)
    if (property.default !== undefined && (value === undefined || (value === null && !property.nullable))) {
      setOwn(filled, key, copyOf(property.default))
    }
  }
  for (const key of Object.keys(filled)) {
    const { additional } = schema
    const property = schema.properties.get(key)
    if (property !== undefined) setOwn(filled, key, defaultsIn(filled[key] as Json, property))
    else if (typeof additional === 'object') setOwn(filled, key, orDefault(filled[key] as Json, additional))
  }
  return filled
}

function orDefault(value: Json, schema: Schema): Json {
  const replaced = value === null && !schema.nullable && schema.default !== undefined
  return defaultsIn(replaced ? copyOf(schema.default) : value, schema)
}

function defaultsIn(value: Json, schema: Schema): Json {
  if (isObject(value)) return applyDefaults(schema, value)
  const { items } = schema
  if (!Array.isArray(value) || items === undefined) return value
  return value.map(item => orDefault(item as Json, items))
}
