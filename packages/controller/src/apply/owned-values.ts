import { fieldOf } from './field-of.ts'
import { type FieldsV1, isLeaf, set } from './fields-v1.ts'
import { matchedItems } from './matched-items.ts'
import { withoutTimes } from './times.ts'

/**
 * The values of an object at the fields that a manager owns, as JSON that can be compared. Lists keep the object's own order, which
 * the owned fields don't have. Values that Kubernetes does not distinguish from absent ones are left out: null, false, 0, an empty text,
 * list or map.
 * @param times names of further fields to leave out
 */
export function valuesAt(fields: FieldsV1, value: unknown, times: ReadonlySet<string> = none): unknown {
  if (isLeaf(fields)) {
    if (isZero(value)) return undefined
    return times.size === 0 ? value : withoutTimes(value, times)
  }
  if (Array.isArray(value)) return itemsAt(fields, value, times)
  const values: Record<string, unknown> = {}
  for (const path in fields) {
    if (!path.startsWith('f:')) continue
    const name = path.slice(2)
    if (times.has(name)) continue
    const at = valuesAt(fields[path] as FieldsV1, fieldOf(value, name), times)
    if (at !== undefined) set(values, name, at)
  }
  return Object.keys(values).length === 0 ? undefined : values
}

const none: ReadonlySet<string> = new Set()

function itemsAt(fields: FieldsV1, list: readonly unknown[], times: ReadonlySet<string>): unknown {
  const taken = matchedItems(fields, list)
  const values: unknown[] = []
  list.forEach((item, index) => {
    const path = taken.get(index)
    if (path === undefined) return
    values.push(path.startsWith('k:') ? [path, valuesAt(fields[path] as FieldsV1, item, times)] : item)
  })
  return values.length === 0 ? undefined : values
}

/** Whether Kubernetes treats the value as absent. */
export function isZero(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return true
  return isEmpty(value)
}

/** Whether a value is an empty list or an empty map. */
export function isEmpty(value: unknown): boolean {
  return value !== null && typeof value === 'object' && Object.keys(value).length === 0
}
