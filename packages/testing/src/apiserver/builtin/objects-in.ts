import { isObject, type Json, type JsonObject, own } from '../objects/json.ts'

/** The objects in the list at `key` of `parent`; none where there is no list. */
export function objectsIn(parent: JsonObject | undefined, key: string): JsonObject[] {
  const list = parent === undefined ? undefined : own(parent, key)
  return Array.isArray(list) ? (list as Json[]).filter(isObject) : []
}
