import { isObject, type JsonObject, objectAt, own, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import type { Defaults } from './complete.ts'

const noTexts = (...fields: string[]): Defaults => Object.fromEntries(fields.map(field => [field, '']))

/** The defaults of built-ins that operators use but seldom make, and the empty values that Go prints in them. */
export const rarerDefaults: Readonly<Record<string, Defaults>> = {
  'core.v1.Event': {
    ...{ firstTimestamp: null, lastTimestamp: null, eventTime: null },
    ...noTexts('reportingComponent', 'reportingInstance'),
  },
  'core.v1.EventSeries': { lastObservedTime: null },
  'core.v1.EndpointPort': { protocol: 'TCP' },
  'core.v1.NodeCondition': { lastHeartbeatTime: null, lastTransitionTime: null },
  'core.v1.DaemonEndpoint': { Port: 0 },
  'core.v1.NodeStatus': { allocatable: of => own(of, 'capacity') },
  'apps.v1.ControllerRevision': { revision: 0 },
  'core.v1.NodeAddress': noTexts('type', 'address'),
  'core.v1.NodeSystemInfo': noTexts(
    ...['machineID', 'systemUUID', 'bootID', 'kernelVersion', 'osImage', 'containerRuntimeVersion', 'kubeletVersion'],
    ...['kubeProxyVersion', 'operatingSystem', 'architecture'],
  ),
  'discovery.v1.EndpointSlice': { endpoints: null, ports: null },
  'discovery.v1.ForZone': noTexts('name'),
  'discovery.v1.ForNode': noTexts('name'),
  'discovery.v1.EndpointPort': { name: '', protocol: 'TCP' },
  'networking.v1.IngressClassParametersReference': { scope: 'Cluster' },
  'scheduling.v1.PriorityClass': { value: 0, preemptionPolicy: 'PreemptLowerPriority' },
  'storage.v1.StorageClass': { provisioner: '', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  'storage.v1.CSIDriverSpec': {
    ...{ attachRequired: true, podInfoOnMount: false, volumeLifecycleModes: ['Persistent'], storageCapacity: false },
    ...{ fsGroupPolicy: 'ReadWriteOnceWithFSType', requiresRepublish: false, seLinuxMount: false },
    preventPodSchedulingIfMissing: false,
  },
  'storage.v1.CSINodeDriver': { topologyKeys: null },
  'storage.v1.TokenRequest': { audience: '' },
  'storage.v1.VolumeAttachmentStatus': { attached: false },
  'flowcontrol.v1.FlowSchemaSpec': { matchingPrecedence: 1000 },
  'flowcontrol.v1.ExemptPriorityLevelConfiguration': { nominalConcurrencyShares: 0, lendablePercent: 0 },
  'flowcontrol.v1.LimitedPriorityLevelConfiguration': { nominalConcurrencyShares: 30, lendablePercent: 0 },
  'flowcontrol.v1.QueuingConfiguration': { queues: 64, handSize: 8, queueLengthLimit: 50 },
  'resource.v1.ExactDeviceRequest': {
    allocationMode: 'ExactCount',
    count: of => (stringAt(of, 'allocationMode') === 'ExactCount' ? 1 : undefined),
  },
  'apiregistration.v1.ServiceReference': { port: 443 },
  'apiregistration.v1.APIServiceSpec': { groupPriorityMinimum: 0, versionPriority: 0 },
  'resource.v1.ResourcePool': { generation: 0 },
}

/** Fills in a LimitRange: the limits of containers default to their maxima, and their requests to their limits and minima. */
export function completeLimits(range: KubeObject): void {
  const spec = objectAt(range, 'spec')
  const limits = own(spec ?? {}, 'limits')
  if (spec === undefined || !Array.isArray(limits)) return
  // A real server prints an empty list as null.
  spec.limits =
    limits.length === 0
      ? null
      : limits.map(one => (isObject(one) && stringAt(one, 'type') === 'Container' ? ofContainers(one) : one))
}

function ofContainers(item: JsonObject): JsonObject {
  const limit = { ...objectAt(item, 'max'), ...objectAt(item, 'default') }
  const request = { ...objectAt(item, 'min'), ...limit, ...objectAt(item, 'defaultRequest') }
  return { ...item, default: limit, defaultRequest: request }
}
