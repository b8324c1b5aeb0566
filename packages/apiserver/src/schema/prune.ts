import type { Schema } from '@wherry/cel/internal'
import { addAll, isObject, type Json, type JsonObject, own, setOwn } from '@wherry/cel/internal'
import { knownMeta, unknownMeta } from './meta-fields.ts'

/** An object without its unknown fields, and the sorted paths of these fields: `spec.zz`, `spec.list[0].zz`. */
export interface Pruned {
  readonly object: JsonObject
  readonly unknown: readonly string[]
}

const metaFields = new Set(['apiVersion', 'kind', 'metadata'])

/**
 * Removes fields that a schema does not know, and each null that it does not allow and has no default for. `apiVersion`, `kind` and `metadata` are kept at the
 * root and in embedded resources.
 */
export function prune(schema: Schema, object: JsonObject): Pruned {
  const unknown: string[] = []
  const strange: string[] = []
  const pruned = pruneObject(object, { ...schema, embedded: true }, '', unknown)
  dropStrangeMeta(pruned, schema, '', strange)
  return { object: dropNulls(pruned, schema) as JsonObject, unknown: [...unknown.sort(), ...strange.sort()] }
}

function below(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function pruneValue(value: Json, schema: Schema | undefined, path: string, unknown: string[]): Json {
  if (Array.isArray(value)) {
    return value.map((item, i) => {
      const at = `${path}[${i}]`
      // A list without a schema keeps its items. In a list that preserves unknown fields, items are checked only if the schema has `items`.
      if (schema?.preserve === true && schema.items === undefined) return item as Json
      if (schema?.preserve === true) return keepUnknown(item as Json, schema.items, at, unknown)
      return pruneValue(item as Json, schema?.items, at, unknown)
    })
  }
  return isObject(value) ? pruneObject(value, schema, path, unknown) : value
}

/** An item of a list that preserves unknown fields preserves them, too, except in fields with their own schema. */
function keepUnknown(value: Json, schema: Schema | undefined, path: string, unknown: string[]): Json {
  return schema === undefined ? value : pruneValue(value, { ...schema, preserve: true }, path, unknown)
}

function pruneObject(object: JsonObject, schema: Schema | undefined, path: string, unknown: string[]): JsonObject {
  const pruned: JsonObject = {}
  for (const key of Object.keys(object)) {
    const value = object[key]
    if (value === undefined) continue
    const property = schema?.properties.get(key)
    if (schema?.embedded === true && metaFields.has(key)) setOwn(pruned, key, value)
    else if (property !== undefined) setOwn(pruned, key, pruneValue(value, property, below(path, key), unknown))
    else if (schema?.additional !== undefined)
      setOwn(pruned, key, pruneAdditional(value, schema, below(path, key), unknown))
    else if (schema?.preserve === true) setOwn(pruned, key, value)
    else unknown.push(below(path, key))
  }
  return pruned
}

function pruneAdditional(value: Json, { additional }: Schema, path: string, unknown: string[]): Json {
  return pruneValue(value, typeof additional === 'object' ? additional : undefined, path, unknown)
}

/** Drops each null field that must not be null and has no default. */
function dropNulls(value: Json, schema: Schema | undefined): Json {
  if (schema === undefined) return value
  if (Array.isArray(value)) return value.map(item => dropNulls(item as Json, schema.items))
  if (!isObject(value)) return value
  const kept: JsonObject = {}
  for (const key of Object.keys(value)) {
    const item = own(value, key) as Json
    const { additional } = schema
    const child = schema.properties.get(key) ?? (typeof additional === 'object' ? additional : undefined)
    if (item === null && child !== undefined && !child.nullable && child.default === undefined) continue
    setOwn(kept, key, dropNulls(item, child))
  }
  return kept
}

/** Removes unknown fields from the metadata of embedded resources. Changes `value`, which is a copy. */
function dropStrangeMeta(value: Json, schema: Schema | undefined, path: string, strange: string[]): void {
  if (schema === undefined) return
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) dropStrangeMeta(item as Json, schema.items, `${path}[${i}]`, strange)
  }
  if (!isObject(value)) return
  const metadata = own(value, 'metadata')
  if (schema.embedded && isObject(metadata)) {
    addAll(strange, unknownMeta(metadata, below(path, 'metadata')))
    value.metadata = knownMeta(metadata)
  }
  for (const key of Object.keys(value)) {
    const { additional } = schema
    const child = schema.properties.get(key) ?? (typeof additional === 'object' ? additional : undefined)
    dropStrangeMeta(own(value, key) as Json, child, below(path, key), strange)
  }
}
