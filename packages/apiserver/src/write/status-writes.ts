import type { ResourceType } from '../resources/resource-type.ts'
import { resourceKey } from '../store/store.ts'

const userMetadata = ['labels', 'annotations', 'ownerReferences', 'finalizers'] as const

/** The metadata that a write of the status also writes, for older built-ins. */
const throughStatus: Readonly<Record<string, readonly (typeof userMetadata)[number][]>> = {
  ...Object.fromEntries(
    [
      ...['namespaces', 'nodes', 'persistentvolumeclaims', 'persistentvolumes', 'replicationcontrollers'],
      ...['resourcequotas', 'services', 'daemonsets.apps', 'replicasets.apps', 'statefulsets.apps'],
      ...['cronjobs.batch', 'jobs.batch', 'horizontalpodautoscalers.autoscaling', 'ingresses.networking.k8s.io'],
      'poddisruptionbudgets.policy',
    ].map(resource => [resource, userMetadata]),
  ),
  'deployments.apps': ['annotations', 'ownerReferences', 'finalizers'],
  pods: ['labels', 'annotations', 'finalizers'],
}

/** The metadata that a write to `status` of this resource writes too. */
export function statusWrites(type: ResourceType): readonly (typeof userMetadata)[number][] {
  return type.custom ? [] : (throughStatus[resourceKey(type)] ?? [])
}
