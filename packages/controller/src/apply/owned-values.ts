import { fieldOf } from './field-of.ts'
import { type FieldsV1, isLeaf, set } from './fields-v1.ts'
import { matchedItems } from './matched-items.ts'

/**
 * What an object has at the fields that a manager owns, as JSON that can be compared. Lists keep the object's own order, which
 * the owned fields don't know. Values that Kubernetes does not tell from an absent one are left out: null, false, 0, an empty text,
 * list or map.
 */
export function valuesAt(fields: FieldsV1, value: unknown): unknown {
  if (isLeaf(fields)) return isZero(value) ? undefined : value
  if (Array.isArray(value)) return itemsAt(fields, value)
  const values: Record<string, unknown> = {}
  for (const path in fields) {
    if (!path.startsWith('f:')) continue
    const name = path.slice(2)
    const at = valuesAt(fields[path] as FieldsV1, fieldOf(value, name))
    if (at !== undefined) set(values, name, at)
  }
  return Object.keys(values).length === 0 ? undefined : values
}

function itemsAt(fields: FieldsV1, list: readonly unknown[]): unknown {
  const taken = matchedItems(fields, list)
  const values: unknown[] = []
  list.forEach((item, index) => {
    const path = taken.get(index)
    if (path === undefined) return
    values.push(path.startsWith('k:') ? [path, valuesAt(fields[path] as FieldsV1, item)] : item)
  })
  return values.length === 0 ? undefined : values
}

/** What Kubernetes does not tell from an absent value. */
export function isZero(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return true
  return isEmpty(value)
}

/** A list or a map with nothing in it. */
export function isEmpty(value: unknown): boolean {
  return value !== null && typeof value === 'object' && Object.keys(value).length === 0
}
