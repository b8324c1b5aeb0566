import { FieldSelector, type View } from '@wherry/client'
import { type ReadTarget, targetsOf } from '@wherry/client/internal'

/** The request that reads all objects of a view in one namespace; `undefined`: in all namespaces, or of a cluster-scoped resource. */
export function targetIn(view: View, namespace: string | undefined): ReadTarget {
  const { key, resource, shard, labels, fields, projection, within } = view
  const namespaces = namespace === undefined ? undefined : [namespace]
  const [target] = targetsOf({ key, resource, shard, labels, projection, within, namespaces, fields })
  return target as ReadTarget
}

/** The request that reads a single object of `target`. */
export function named(target: ReadTarget, { fields }: View, name: string): ReadTarget {
  const fieldSelector = fields.and(FieldSelector.of({ 'metadata.name': name })).text
  return { ...target, selection: { ...target.selection, fieldSelector } }
}
