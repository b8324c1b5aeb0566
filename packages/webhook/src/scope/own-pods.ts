import type { WebhookDefinition } from '../declaration/definition.ts'

/** Namespaced resources without which a Pod of the operator can't be made, or can't start. */
const needed: ReadonlySet<string> = new Set([
  ...['/pods', '/configmaps', '/secrets', '/serviceaccounts', '/persistentvolumeclaims', '/services', '/endpoints'],
  ...['apps/deployments', 'apps/replicasets', 'apps/statefulsets', 'apps/daemonsets'],
  ...['batch/jobs', 'discovery.k8s.io/endpointslices'],
])
/** The same for resources without namespaces. */
const neededOfCluster: ReadonlySet<string> = new Set(['/nodes', '/persistentvolumes'])

/**
 * The reason why a webhook could prevent the operator's own Pods from starting, and so its own server; `undefined` if it can't. A webhook with the
 * policy `Ignore` can't, nor can a webhook that leaves out the operator's namespace.
 */
export function blocksOwnPods(definition: WebhookDefinition, ownNamespace: string): string | undefined {
  const { name, view, failurePolicy, subResource } = definition
  const { group, plural, namespaced } = view.resource
  if (failurePolicy !== 'Fail' || subResource === 'scale') return undefined
  const resource = `${group}/${plural}`
  const isNeeded = namespaced
    ? needed.has(resource) && view.namespaces?.includes(ownNamespace) === true
    : neededOfCluster.has(resource)
  if (!isNeeded) return undefined
  return (
    `the webhook ${name} has failurePolicy Fail and reviews ${plural} that the operator's own Pods need: ` +
    'while no replica serves, no Pod of the operator can start. Leave its namespace out, or use failurePolicy Ignore'
  )
}
