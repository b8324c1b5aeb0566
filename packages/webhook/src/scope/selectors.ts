import type { View } from '@wherry/client'
import type { LabelSelector } from '@wherry/client/resources/meta'

/** The label that every namespace has, with its name. */
const nameLabel = 'kubernetes.io/metadata.name'

/** The namespaces that no webhook reviews unless its view names them. Otherwise a failing webhook could prevent the start of the cluster or of the operator. */
export function sparedNamespaces(own: string): string[] {
  return [...new Set(['kube-system', own])].sort()
}

/** Whether a namespace selector applies to a resource: its objects are in namespaces, or are namespaces. */
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
