import { type JsonObject, objectAt, objectsAt, own, stringsAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'

const affinities = ['podAffinity', 'podAntiAffinity']

/** Adds the values of a new Pod's own labels to the selectors that name their keys in `matchLabelKeys` and `mismatchLabelKeys`. */
export function mergeLabelKeys(pod: KubeObject): void {
  const spec = objectAt(pod, 'spec')
  const labels = pod.metadata.labels ?? {}
  for (const constraint of objectsAt(spec, 'topologySpreadConstraints')) merge(constraint, labels)
  for (const name of affinities) {
    const of = objectAt(objectAt(spec, 'affinity'), name)
    const preferred = objectsAt(of, 'preferredDuringSchedulingIgnoredDuringExecution')
    const terms = preferred.map(one => objectAt(one, 'podAffinityTerm') ?? {})
    for (const term of [...objectsAt(of, 'requiredDuringSchedulingIgnoredDuringExecution'), ...terms]) {
      merge(term, labels)
    }
  }
}

function merge(term: JsonObject, labels: Readonly<Record<string, string>>): void {
  const selector = objectAt(term, 'labelSelector')
  if (selector === undefined) return
  const added = (field: string, operator: string): JsonObject[] =>
    stringsAt(term, field).flatMap(key =>
      Object.hasOwn(labels, key) ? [{ key, operator, values: [labels[key] as string] }] : [],
    )
  const more = [...added('matchLabelKeys', 'In'), ...added('mismatchLabelKeys', 'NotIn')]
  if (more.length === 0) return
  const had = own(selector, 'matchExpressions')
  term.labelSelector = { ...selector, matchExpressions: [...(Array.isArray(had) ? had : []), ...more] }
}
