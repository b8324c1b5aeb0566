import type { Schema } from '@wherry/cel/internal'
import { addAll, goJson, goValue, isObject, type Json, type JsonObject, own, setOwn } from '@wherry/cel/internal'
import type { StatusCause } from '../status.ts'

/** The problems of duplicate items, anywhere in `object`, in lists that are sets (`x-kubernetes-list-type: set`) or maps by keys. */
export function validateListTypes(schema: Schema, object: JsonObject): StatusCause[] {
  return inObject(schema, object, '')
}

function inObject(schema: Schema, object: JsonObject, path: string): StatusCause[] {
  const causes: StatusCause[] = []
  const { additional, properties } = schema
  for (const key of Object.keys(object).sort()) {
    const value = own(object, key) as Json
    if (typeof additional === 'object') addAll(causes, inValue(additional, value, `${path}[${key}]`))
    const property = properties.get(key)
    if (property !== undefined) addAll(causes, inValue(property, value, path === '' ? key : `${path}.${key}`))
  }
  return causes
}

function inValue(schema: Schema, value: Json, path: string): StatusCause[] {
  if (isObject(value)) return inObject(schema, value, path)
  if (!Array.isArray(value)) return []
  const list = value as readonly Json[]
  const causes =
    schema.listType === 'set' ? repeated(list, path) : schema.listType === 'map' ? inMap(schema, list, path) : []
  const { items } = schema
  if (items !== undefined) for (const [i, item] of list.entries()) addAll(causes, inValue(items, item, `${path}[${i}]`))
  return causes
}

function inMap(schema: Schema, list: readonly Json[], path: string): StatusCause[] {
  const stray = list.findIndex(item => item !== null && !isObject(item))
  if (stray !== -1) {
    const shown = goValue(list[stray] as Json)
    const message = `Invalid value: ${shown}: must be an object for an array of list-type map`
    return [{ reason: 'FieldValueInvalid', message, field: `${path}[${stray}]` }]
  }
  const keys = list.map(item => {
    const key: JsonObject = {}
    for (const name of schema.listKeys) {
      const value = isObject(item) ? own(item, name) : undefined
      if (value !== undefined) setOwn(key, name, value)
    }
    return key
  })
  return repeated(keys, path)
}

/** A cause for each value that occurs more than once. The third and later occurrences are not reported. */
function repeated(list: readonly Json[], path: string): StatusCause[] {
  const causes: StatusCause[] = []
  const seen = new Map<string, number>()
  list.forEach((item, i) => {
    const text = goJson(item)
    const times = seen.get(text) ?? 0
    seen.set(text, times + 1)
    if (times !== 1) return
    causes.push({ reason: 'FieldValueDuplicate', message: `Duplicate value: ${goValue(item)}`, field: `${path}[${i}]` })
  })
  return causes
}
