import { type JsonObject, sameJson } from '@wherry/cel/internal'

/** The number of remaining objects of each resource (`configmaps.`, `deployments.apps`), and with each finalizer. */
export interface Remaining {
  readonly resources: Map<string, number>
  readonly finalizers: Map<string, number>
}

export function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** The conditions of a namespace that is being deleted. An unchanged condition keeps the time of its last transition. */
export function namespaceConditions(
  { resources, finalizers }: Remaining,
  before: readonly JsonObject[],
  now: string,
): readonly JsonObject[] {
  const listed = (counts: ReadonlyMap<string, number>, what: string): string =>
    [...counts]
      .map(([name, n]) => `${name} ${what}${n} resource instances`)
      .sort()
      .join(', ')
  const left = resources.size > 0
  const held = finalizers.size > 0
  const rows: readonly (readonly [string, boolean, string, string])[] = [
    ['DeletionDiscoveryFailure', false, 'ResourcesDiscovered', 'All resources successfully discovered'],
    ['DeletionGroupVersionParsingFailure', false, 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    [
      'DeletionContentFailure',
      false,
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ],
    left
      ? ['ContentRemaining', true, 'SomeResourcesRemain', `Some resources are remaining: ${listed(resources, 'has ')}`]
      : ['ContentRemaining', false, 'ContentRemoved', 'All content successfully removed'],
    held
      ? [
          'FinalizersRemaining',
          true,
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${listed(finalizers, 'in ')}`,
        ]
      : ['FinalizersRemaining', false, 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
  ]
  return rows.map(([name, on, reason, message]) => {
    const type = `Namespace${name}`
    const status = on ? 'True' : 'False'
    const old = before.find(one => one.type === type)
    const next = { type, status, lastTransitionTime: now, reason, message }
    return old?.status === status ? { ...next, lastTransitionTime: old.lastTransitionTime ?? now } : next
  })
}

/** Whether two lists of conditions are the same. */
export function sameConditions(a: readonly JsonObject[], b: readonly JsonObject[]): boolean {
  return sameJson([...a], [...b])
}
