import type { KubernetesObject } from '@wherry/client'
import { isSameValue } from '../objects/same-value.ts'
import { fieldOf } from './field-of.ts'
import { type FieldsV1, isLeaf } from './fields-v1.ts'

/** An entry of `managedFields`, as far as it is looked at. */
interface Entry {
  readonly manager?: string | undefined
  readonly subresource?: string | undefined
  readonly fieldsV1?: unknown
}

/**
 * The managers that own a field which the desired state names, and to which the object has another value. So it is they that changed it; not whoever
 * made the object, or wrote other fields of it. A field that somebody removed has no owner. A manager that owns a map as one counts only if nobody owns
 * a field in it that differs: to own a map may mean just to have made it.
 */
export function changedBy(
  live: KubernetesObject,
  desired: KubernetesObject,
  subresource: '' | 'status',
): readonly string[] {
  const { managedFields = [] } = live.metadata ?? {}
  const found = (managedFields as readonly Entry[]).map(({ manager, subresource: of = '', fieldsV1 }) => {
    const isPart = manager !== undefined && of === subresource
    return { manager, owns: isPart ? difference((fieldsV1 ?? {}) as FieldsV1, live, desired, mostDepth) : Owns.nothing }
  })
  const most = Math.max(Owns.map, ...found.map(({ owns }) => owns))
  const managers = found.flatMap(({ manager, owns }) => (manager !== undefined && owns === most ? [manager] : []))
  return [...new Set(managers)].sort()
}

/** What a manager owns of what differs: at most a map around it, or the field itself. */
const Owns = { nothing: 0, map: 1, field: 2 } as const

/** Deeper fields are compared as one value: others wrote the entries. */
const mostDepth = 100

/** Counts the `fields` that are in both, with another value. It does not distinguish the items of lists. */
function difference(fields: FieldsV1, live: unknown, desired: unknown, depth: number): number {
  if (desired === undefined || live === undefined) return Owns.nothing
  const isLast = depth === 0 || isLeaf(fields)
  if (isLast || Array.isArray(desired) || Array.isArray(live)) {
    if (isSameValue(live, desired)) return Owns.nothing
    return isLast && isMap(live) && isMap(desired) ? Owns.map : Owns.field
  }
  let most: number = Owns.nothing
  for (const path in fields) {
    if (!path.startsWith('f:')) continue
    const name = path.slice(2)
    const below = fields[path] as FieldsV1
    most = Math.max(most, difference(below, fieldOf(live, name), fieldOf(desired, name), depth - 1))
    if (most === Owns.field) break
  }
  return most
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
