import type { KubernetesObject } from '@wherry/client'
import { isSameValue } from '../objects/same-value.ts'
import { fieldOf } from './field-of.ts'
import { type FieldsV1, isLeaf } from './fields-v1.ts'

/** The part of a `managedFields` entry that is read here. */
interface Entry {
  readonly manager?: string | undefined
  readonly subresource?: string | undefined
  readonly fieldsV1?: unknown
}

/**
 * The managers that have changed a desired field: they own a field of the desired state that has another value in the object. Managers that created the
 * object or wrote other fields do not count, and a field that somebody removed has no owner. A manager that owns a map as one value counts only if
 * no manager owns a field in the map that differs, because a manager that only created a map owns it, too.
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

/** How closely a manager owns a field that differs: not at all, by a map around the field, or the field itself. */
const Owns = { nothing: 0, map: 1, field: 2 } as const

/** Deeper fields are compared as one value: anybody may write entries that are deeper than the stack. */
const mostDepth = 100

/** Compares the `fields` that both objects have. Items of a list are not distinguished. */
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
