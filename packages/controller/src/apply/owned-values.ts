import { type FieldsV1, isLeaf, set } from './fields-v1.ts'

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
  const taken = matched(fields, list)
  const values: unknown[] = []
  list.forEach((item, index) => {
    const path = taken.get(index)
    if (path === undefined) return
    values.push(path.startsWith('k:') ? [path, valuesAt(fields[path] as FieldsV1, item)] : item)
  })
  return values.length === 0 ? undefined : values
}

/** The value of a field; `undefined` if `value` has no such field. */
export function fieldOf(value: unknown, name: string): unknown {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

/**
 * Which item of a list each `k:` and `v:` path means: paths by index. An item that has all keys comes before one that lacks some,
 * which the server may have filled in.
 */
export function matched(fields: FieldsV1, list: readonly unknown[]): Map<number, string> {
  const found = new Map<number, string>()
  const take = (path: string, isMeant: (item: unknown) => boolean): boolean => {
    const index = list.findIndex((item, at) => !found.has(at) && isMeant(item))
    if (index >= 0) found.set(index, path)
    return index >= 0
  }
  const left: [string, [string, unknown][]][] = []
  for (const path in fields) {
    if (path.startsWith('v:')) {
      const value = path.slice(2)
      take(path, item => JSON.stringify(item) === value)
    } else if (path.startsWith('k:')) {
      const keys = Object.entries(JSON.parse(path.slice(2)) as object) as [string, unknown][]
      if (!take(path, item => keys.every(([name, value]) => fieldOf(item, name) === value))) left.push([path, keys])
    } else if (path.startsWith('i:')) found.set(Number(path.slice(2)), path)
  }
  for (const [path, keys] of left) {
    take(path, item => {
      const has = keys.map(([name, value]) => [fieldOf(item, name), value])
      return (
        has.some(([held]) => held !== undefined) && has.every(([held, value]) => held === undefined || held === value)
      )
    })
  }
  return found
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
