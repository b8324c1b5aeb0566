import type { View } from '@wherry/client'
import type { LabelSelector } from '@wherry/client/resources/meta'

/** The label that every namespace has, with its name. */
const nameLabel = 'kubernetes.io/metadata.name'

/** The namespaces that no webhook sees unless its view names them: without them the cluster, or the operator, could not start. */
export function sparedNamespaces(own: string): string[] {
  return [...new Set(['kube-system', own])].sort()
}

/** Whether objects of a resource are found by labels of a namespace: they are in one, or are namespaces. */
function hasNamespace({ resource }: View): boolean {
  return resource.namespaced || (resource.group === '' && resource.plural === 'namespaces')
}

/** Which namespaces a webhook is called for; `undefined` for cluster-scoped objects. */
export function namespaceSelector(view: View, own: string): LabelSelector | undefined {
  if (!hasNamespace(view)) return undefined
  const { namespaces } = view
  const which =
    namespaces === undefined
      ? { operator: 'NotIn', values: sparedNamespaces(own) }
      : { operator: 'In', values: [...namespaces] }
  return { matchExpressions: [{ key: nameLabel, ...which }] }
}
