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
 * made the object, or wrote other fields of it. A field that somebody removed has no owner.
 */
export function changedBy(
  live: KubernetesObject,
  desired: KubernetesObject,
  subresource: '' | 'status',
): readonly string[] {
  const { managedFields = [] } = live.metadata ?? {}
  const managers = (managedFields as readonly Entry[]).flatMap(({ manager, subresource: of = '', fieldsV1 }) =>
    manager !== undefined &&
    of === subresource &&
    ownsDifference((fieldsV1 ?? {}) as FieldsV1, live, desired, mostDepth)
      ? [manager]
      : [],
  )
  return [...new Set(managers)].sort()
}

/** Deeper fields are compared as one value: others wrote the entries. */
const mostDepth = 100

/** Whether one of `fields` is in both, with another value. Items of lists are not told apart. */
function ownsDifference(fields: FieldsV1, live: unknown, desired: unknown, depth: number): boolean {
  if (desired === undefined || live === undefined) return false
  const isWhole = depth === 0 || isLeaf(fields) || Array.isArray(desired) || Array.isArray(live)
  if (isWhole) return !isSameValue(live, desired)
  for (const path in fields) {
    if (!path.startsWith('f:')) continue
    const name = path.slice(2)
    const below = fields[path] as FieldsV1
    if (ownsDifference(below, fieldOf(live, name), fieldOf(desired, name), depth - 1)) return true
  }
  return false
}
