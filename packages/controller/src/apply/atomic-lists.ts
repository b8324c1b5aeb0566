import type { KubernetesObject } from '@wherry/client'
import { fieldOf } from './field-of.ts'
import { below, type FieldsV1, isLeaf } from './fields-v1.ts'

/** A list that an apply would replace, though others have filled it. */
export interface ReplacedList {
  /** `imagePullSecrets`, `spec.rules` */
  readonly path: string
  /** The field managers that have filled it. */
  readonly managers: readonly string[]
  /** How many of its items the desired list does not have. */
  readonly lost: number
}

interface Entry {
  readonly manager?: string | undefined
  readonly subresource?: string | undefined
  readonly fieldsV1?: unknown
}

/** The paths of the lists in a desired object that `owned` does not have: the manager is about to apply them for the first time. */
export function newLists(desired: KubernetesObject, owned: string | undefined): readonly (readonly string[])[] {
  const fields = JSON.parse(owned || '{}') as FieldsV1
  const found: (readonly string[])[] = []
  const visit = (value: unknown, names: readonly string[]): void => {
    if (Array.isArray(value)) {
      if (!isOwned(fields, names)) found.push(names)
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, one] of Object.entries(value)) visit(one, [...names, name])
    }
  }
  const { metadata: _, ...rest } = desired
  visit(rest, [])
  return found
}

/** Whether `fields` has the field, or a field around it as one value. */
function isOwned(fields: FieldsV1, names: readonly string[]): boolean {
  let at: FieldsV1 | undefined = fields
  for (const [depth, name] of names.entries()) {
    if (depth > 0 && isLeaf(at)) return true
    at = below(at, [`f:${name}`])
    if (at === undefined) return false
  }
  return true
}

/**
 * The lists among `lists` that the server takes as one value, and that have items of other managers that the desired object lacks. For such a list, the
 * entry of another manager has the list as a leaf. For lists with keys and for sets, an entry names the items.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */
export function replacedLists(
  lists: readonly (readonly string[])[],
  desired: KubernetesObject,
  live: KubernetesObject,
  isOwn: (manager: string) => boolean,
): readonly ReplacedList[] {
  const entries = (live.metadata?.managedFields ?? []) as readonly Entry[]
  return lists.flatMap(names => {
    const managers = entries.flatMap(({ manager = '', subresource, fieldsV1 }) => {
      const fields = below(
        (fieldsV1 ?? {}) as FieldsV1,
        names.map(name => `f:${name}`),
      )
      return fields !== undefined && isLeaf(fields) && subresource === undefined && !isOwn(manager) ? [manager] : []
    })
    const there = names.reduce<unknown>(fieldOf, live)
    if (managers.length === 0 || !Array.isArray(there)) return []
    const wanted = names.reduce<unknown>(fieldOf, desired) as readonly unknown[]
    const known = new Set(wanted.map(textOf))
    const lost = there.filter(item => !known.has(textOf(item))).length
    return lost === 0 ? [] : [{ path: names.join('.'), managers: [...new Set(managers)].sort(), lost }]
  })
}

/** Equal items have equal texts, unless their names are in another order: that costs a false alarm at most. */
function textOf(item: unknown): string {
  return JSON.stringify(item, (_, value) => (typeof value === 'bigint' ? `${value}` : value)) ?? ''
}
