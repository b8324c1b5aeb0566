import type { Schema } from '@wherry/cel/internal'
import { addAll, goValue, isObject, type Json, type JsonObject, own } from '@wherry/cel/internal'
import type { StatusCause } from '../status.ts'

/** The problems of embedded resources (`x-kubernetes-embedded-resource`) without an apiVersion or a kind. */
export function validateEmbedded(schema: Schema, value: Json, path: string = ''): StatusCause[] {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return []
    return value.flatMap((item, i) => validateEmbedded(items, item as Json, `${path}[${i}]`))
  }
  if (!isObject(value)) return []
  const causes = schema.embedded ? typeMeta(value, path) : []
  for (const key of Object.keys(value).sort()) {
    const { additional } = schema
    const property = schema.properties.get(key)
    const item = own(value, key) as Json
    if (property !== undefined) addAll(causes, validateEmbedded(property, item, path === '' ? key : `${path}.${key}`))
    else if (typeof additional === 'object') addAll(causes, validateEmbedded(additional, item, `${path}[${key}]`))
  }
  return causes
}

function typeMeta(object: JsonObject, path: string): StatusCause[] {
  const causes: StatusCause[] = []
  for (const key of ['apiVersion', 'kind']) {
    const field = path === '' ? key : `${path}.${key}`
    const value = own(object, key)
    if (value === undefined) causes.push({ reason: 'FieldValueRequired', message: 'Required value', field })
    else if (typeof value !== 'string' || value === '') {
      const why = value === '' ? 'must not be empty' : 'must be a string'
      causes.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${goValue(value)}: ${why}`, field })
    }
  }
  return causes
}
