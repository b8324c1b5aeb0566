import { isObject, type Json, own, sameJson } from '../json/json.ts'
import type { Schema } from './schema.ts'

/** A value and its old value before an update. Problems of unchanged values are ignored (the server calls this ratcheting: KEP-4008). */
export interface Correlation {
  readonly schema: Schema
  readonly value: Json
  readonly old: Json
}

/** The correlation of a field, if the field existed before. */
export function fieldOf(of: Correlation | undefined, key: string): Correlation | undefined {
  if (of === undefined || !isObject(of.old) || !isObject(of.value)) return undefined
  const { additional } = of.schema
  const schema = of.schema.properties.get(key) ?? (typeof additional === 'object' ? additional : undefined)
  const old = own(of.old, key)
  const value = own(of.value, key)
  return schema === undefined || old === undefined || value === undefined ? undefined : { schema, value, old }
}

/** The correlation of an item by its keys. Only items of lists of type map have a correlation. */
export function itemOf(of: Correlation | undefined, index: number): Correlation | undefined {
  if (of === undefined || !Array.isArray(of.old) || !Array.isArray(of.value)) return undefined
  const { items, listType, listKeys } = of.schema
  const value = of.value[index] as Json | undefined
  if (items === undefined || listType !== 'map' || !isObject(value)) return undefined
  const keyOf = (item: Json, key: string): Json | undefined =>
    isObject(item) ? (own(item, key) ?? items.properties.get(key)?.default) : undefined
  const old = (of.old as Json[]).find(item => listKeys.every(key => sameJson(keyOf(item, key), keyOf(value, key))))
  return old === undefined ? undefined : { schema: items, value, old }
}

/** Whether a value is unchanged. The items of lists of type map may be in another order. */
export function unchanged(of: Correlation): boolean {
  const { value, old } = of
  if (Array.isArray(value) && Array.isArray(old)) {
    if (value.length !== old.length) return false
    if (of.schema.listType !== 'map') return sameJson(value, old)
    return value.every((_, i) => {
      const item = itemOf(of, i)
      return item !== undefined && unchanged(item)
    })
  }
  if (isObject(value) && isObject(old)) {
    const keys = Object.keys(value)
    if (keys.length !== Object.keys(old).length) return false
    return keys.every(key => {
      const field = fieldOf(of, key)
      return field !== undefined && unchanged(field)
    })
  }
  return sameJson(value, old)
}
