import { type FieldType, fieldOf } from '../fields/field-type.ts'
import { isObject, type Json, type JsonObject, setOwn } from '../objects/json.ts'

/** An object with the fields that its type has, and where others were: `spec.zz`, `spec.list[0].zz`. */
export interface KnownFields {
  readonly object: JsonObject
  /** In the order in which they came. */
  readonly unknown: readonly string[]
}

/** Removes what a built-in's type does not have. Gives `object` itself if there is no such field. */
export function knownFields(object: JsonObject, type: FieldType): KnownFields {
  // Nearly every object is so, and then neither paths nor copies are made.
  if (isKnown(object, type)) return { object, unknown: [] }
  const unknown: string[] = []
  return { object: pruned(object, type, '', unknown) as JsonObject, unknown }
}

function isKnown(value: Json, type: FieldType): boolean {
  const { items } = type
  if (Array.isArray(value)) {
    if (items === undefined) return true
    for (const item of value) if (!isKnown(item as Json, items)) return false
    return true
  }
  if (!hasTypedFields(value, type)) return true
  for (const name of Object.keys(value)) {
    const field = fieldOf(type, name)
    if (field === undefined || !isKnown(value[name] as Json, field)) return false
  }
  return true
}

function pruned(value: Json, type: FieldType, path: string, unknown: string[]): Json {
  const { items } = type
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((item, i) => pruned(item as Json, items, `${path}[${i}]`, unknown))
  }
  if (!hasTypedFields(value, type)) return value
  const kept: JsonObject = {}
  for (const name of Object.keys(value)) {
    const field = fieldOf(type, name)
    const at = path === '' ? name : `${path}.${name}`
    if (field === undefined) unknown.push(at)
    else setOwn(kept, name, pruned(value[name] as Json, field, at, unknown))
  }
  return kept
}

/** Whether `value` is an object whose fields the type knows; of a leaf nothing is known. */
function hasTypedFields(value: Json, type: FieldType): value is JsonObject {
  return (type.struct || type.others !== undefined) && isObject(value)
}
