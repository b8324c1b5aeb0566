import { setTimeout as after } from 'node:timers/promises'
import type { Answer, Cluster } from './cluster.ts'
import { type DiscoveredResource, groupVersionPath } from './discovery.ts'

/** Needs a proof of possession of a key, signed for the pod. */
const uncreatable: ReadonlySet<string> = new Set(['podcertificaterequests'])

/**
 * Has the server create the smallest object of a resource without storing it, and gives its answer; `undefined` for
 * what cannot be created, or is not kept.
 */
export async function createSmallest(cluster: Cluster, found: DiscoveredResource): Promise<unknown> {
  if (!isKept(found)) return undefined
  const create = (): Promise<Answer> =>
    cluster.send('POST', `${collection(found)}?dryRun=All`, smallest(found, 'probe'))
  let answer = await create()
  // One of that name was deleted before, and goes in its own time, as a definition does.
  for (const give = performance.now() + 300_000; isGoing(answer) && performance.now() < give; answer = await create()) {
    await after(50)
  }
  return created(found, answer)
}

function isGoing({ status, body }: Answer): boolean {
  return status === 409 && String((body as { message?: unknown }).message).startsWith('object is being deleted')
}

/**
 * Whether an update without a resourceVersion is refused for the want of it. Creates the smallest object, and deletes
 * it again; without controllers one with a finalizer stays.
 */
export async function updateNeedsResourceVersion(cluster: Cluster, found: DiscoveredResource): Promise<boolean> {
  if (!isKept(found) || !found.verbs.includes('update')) return false
  const isNamespace = found.group === '' && found.resource === 'namespaces'
  // A namespace would stay for ever, and one is there.
  const object = isNamespace
    ? await cluster.get(`${collection(found)}/default`)
    : created(found, await cluster.send('POST', collection(found), smallest(found, 'probe-update')))
  const { metadata, ...content } = object as { metadata: { name: string; resourceVersion?: string } }
  const path = `${collection(found)}/${metadata.name}`
  const answer = await cluster.send('PUT', `${path}?dryRun=All`, {
    ...content,
    metadata: { ...metadata, resourceVersion: undefined },
  })
  if (!isNamespace) await cluster.send('DELETE', path)
  const { details } = answer.body as { details?: { causes?: readonly { field?: string }[] } }
  return answer.status === 422 && details?.causes?.some(({ field }) => field === 'metadata.resourceVersion') === true
}

function isKept({ resource, verbs }: DiscoveredResource): boolean {
  return verbs.includes('create') && verbs.includes('get') && !uncreatable.has(resource)
}

function collection({ group, version, resource, scope }: DiscoveredResource): string {
  return `${groupVersionPath(group, version)}${scope === 'Namespaced' ? '/namespaces/default' : ''}/${resource}`
}

function smallest({ group, version, resource, responseKind }: DiscoveredResource, name: string): object {
  const apiVersion = group === '' ? version : `${group}/${version}`
  return { apiVersion, kind: responseKind.kind, metadata: { name }, ...smallestObjects[`${group}/${resource}`] }
}

function created({ group, resource }: DiscoveredResource, answer: Answer): unknown {
  if (answer.status === 201) return answer.body
  throw new Error(`the smallest object of ${group}/${resource} is refused: ${JSON.stringify(answer.body)}`)
}

/**
 * What the server needs, besides a name, to accept an object of each built-in resource: the smallest one. Keyed by
 * `group/plural` (`/pods`). A resource that is absent here takes an object with a name and nothing else.
 */
const smallestObjects: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '/bindings': { target: { kind: 'Node', name: 'probe' } },
  '/persistentvolumeclaims': {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  '/persistentvolumes': {
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/probe' } },
  },
  '/pods': { spec: podSpec() },
  '/podtemplates': { template: { spec: podSpec() } },
  '/replicationcontrollers': { spec: { selector: labels(), template: podTemplate() } },
  '/services': { spec: { ports: [{ port: 80 }] } },
  'apiregistration.k8s.io/apiservices': {
    metadata: { name: 'v1.probe.example.com' },
    spec: { group: 'probe.example.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
  },
  'apps/controllerrevisions': { data: {}, revision: 1 },
  'apps/daemonsets': { spec: { selector: { matchLabels: labels() }, template: podTemplate() } },
  'apps/deployments': { spec: { selector: { matchLabels: labels() }, template: podTemplate() } },
  'apps/replicasets': { spec: { selector: { matchLabels: labels() }, template: podTemplate() } },
  'apps/statefulsets': { spec: { serviceName: 'probe', selector: { matchLabels: labels() }, template: podTemplate() } },
  'autoscaling/horizontalpodautoscalers': {
    spec: { maxReplicas: 1, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'probe' } },
  },
  'batch/cronjobs': { spec: { schedule: '@daily', jobTemplate: { spec: { template: { spec: podSpec('Never') } } } } },
  'batch/jobs': { spec: { template: { spec: podSpec('Never') } } },
  'certificates.k8s.io/certificatesigningrequests': {
    spec: { request: signingRequest(), signerName: 'example.com/probe', usages: ['client auth'] },
  },
  'certificates.k8s.io/clustertrustbundles': { spec: { trustBundle: trustAnchor() } },
  'discovery.k8s.io/endpointslices': { addressType: 'IPv4', endpoints: [] },
  'events.k8s.io/events': {
    eventTime: '2026-01-01T00:00:00.000000Z',
    type: 'Normal',
    reason: 'Probed',
    action: 'Probe',
    reportingController: 'example.com/probe',
    reportingInstance: 'probe',
    regarding: { namespace: 'default' },
  },
  'flowcontrol.apiserver.k8s.io/flowschemas': { spec: { priorityLevelConfiguration: { name: 'probe' } } },
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  },
  'networking.k8s.io/ingressclasses': { spec: { controller: 'example.com/probe' } },
  'networking.k8s.io/ingresses': { spec: { defaultBackend: { service: { name: 'probe', port: { number: 80 } } } } },
  'networking.k8s.io/ipaddresses': {
    metadata: { name: '10.9.8.7' },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'probe' } },
  },
  'networking.k8s.io/servicecidrs': { spec: { cidrs: ['10.9.0.0/24'] } },
  'node.k8s.io/runtimeclasses': { handler: 'probe' },
  'rbac.authorization.k8s.io/clusterrolebindings': { roleRef: roleRef('ClusterRole') },
  'rbac.authorization.k8s.io/rolebindings': { roleRef: roleRef('Role') },
  'resource.k8s.io/devicetaintrules': {
    spec: { deviceSelector: { driver: 'example.com' }, taint: { key: 'probe', effect: 'NoSchedule' } },
  },
  'resource.k8s.io/resourceslices': {
    spec: { driver: 'example.com', pool: { name: 'probe', generation: 1, resourceSliceCount: 1 }, allNodes: true },
  },
  'storage.k8s.io/csistoragecapacities': { storageClassName: 'probe' },
  'storage.k8s.io/storageclasses': { provisioner: 'example.com/probe' },
  'storage.k8s.io/volumeattachments': {
    spec: { attacher: 'example.com', nodeName: 'probe', source: { persistentVolumeName: 'probe' } },
  },
  'storage.k8s.io/volumeattributesclasses': { driverName: 'example.com', parameters: { probe: '1' } },
  'admissionregistration.k8s.io/mutatingadmissionpolicies': {
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: matchConstraints(),
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    },
  },
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': { spec: { policyName: 'probe' } },
  'admissionregistration.k8s.io/validatingadmissionpolicies': {
    spec: { matchConstraints: matchConstraints(), validations: [{ expression: 'true' }] },
  },
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': {
    spec: { policyName: 'probe', validationActions: ['Deny'] },
  },
  'apiextensions.k8s.io/customresourcedefinitions': {
    metadata: { name: 'probes.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'probes', kind: 'Probe' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  },
  'storagemigration.k8s.io/storageversionmigrations': { spec: { resource: { group: '', resource: 'secrets' } } },
}

function labels(): Record<string, string> {
  return { app: 'probe' }
}

function podSpec(restartPolicy: 'Always' | 'Never' = 'Always'): Record<string, unknown> {
  return { restartPolicy, containers: [{ name: 'probe', image: 'probe' }] }
}

function podTemplate(): Record<string, unknown> {
  return { metadata: { labels: labels() }, spec: podSpec() }
}

function roleRef(kind: string): Record<string, string> {
  return { apiGroup: 'rbac.authorization.k8s.io', kind, name: 'probe' }
}

function matchConstraints(): Record<string, unknown> {
  return {
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
  }
}

/** A signing request with a private key that nobody has. */
function signingRequest(): string {
  const pem = [
    '-----BEGIN CERTIFICATE REQUEST-----',
    'MIHeMIGEAgEAMCIxDzANBgNVBAoMBndoZXJyeTEPMA0GA1UEAwwGd2hlcnJ5MFkw',
    'EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAElUXdGsOyPfjIPct91myhh23uIkOJh2Tf',
    'WSbKZ6MIsAFTm5PVA+gI2Ekg9oDdWlyJiTDhgXU/BayfYWO38b18jaAAMAoGCCqG',
    'SM49BAMCA0kAMEYCIQDO/fsLsqMXvB2D9jEsp9lpmj55OAPt3kXo6Ecgbh663QIh',
    'APYYKPRq6mWZqsV4kpBm71nKcgQ5NMwkAx/j/kqEKcmq',
    '-----END CERTIFICATE REQUEST-----',
    '',
  ].join('\n')
  return Buffer.from(pem).toString('base64')
}

/** A certificate authority with a private key that nobody has. */
function trustAnchor(): string {
  const pem = [
    '-----BEGIN CERTIFICATE-----',
    'MIIBejCCAR+gAwIBAgIUZsfs9/TmkuIXwXWCO9EzgBlAsvAwCgYIKoZIzj0EAwIw',
    'ETEPMA0GA1UEAwwGd2hlcnJ5MCAXDTI2MTEyMTAzNDI0MVoYDzIxMjYxMDI4MDM0',
    'MjQxWjARMQ8wDQYDVQQDDAZ3aGVycnkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC',
    'AAS+7mWB4ZK9q85qKl1sM9/2GfXxAhhPuHSZtTu64AOXyhre8u4WVOsYlUlJCS4a',
    'BV8eK0jDmzLED2Ja+ap7Lor9o1MwUTAdBgNVHQ4EFgQUMBIGyHP8pPsuIHn4HB8y',
    '+3myNIIwHwYDVR0jBBgwFoAUMBIGyHP8pPsuIHn4HB8y+3myNIIwDwYDVR0TAQH/',
    'BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAqO0mWTCIdWC4iNTxWtYf74P4HeQZ',
    'bTWtuEuCp6sovwoCIQDn0dNoCIo/Y5jEJRJ9erd+TsvoCgdCthCWehrCkAhDdQ==',
    '-----END CERTIFICATE-----',
    '',
  ].join('\n')
  return pem
}
