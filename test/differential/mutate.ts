import fc from 'fast-check'
import { validManifests } from './scenarios/built-in-refusals.ts'

/** A manifest of a kind that may have something wrong. */
export interface Mutated {
  readonly kind: string
  readonly path: string
  readonly object: unknown
}

/** Fields that a real server looks into, and that the manifests of the scenarios do not have. */
const morePod = {
  nodeSelector: { disk: 'fast' },
  serviceAccountName: 'robot',
  terminationGracePeriodSeconds: 5,
  hostname: 'h',
  ...{ hostNetwork: false, hostPID: false, hostIPC: false, hostUsers: true, shareProcessNamespace: false },
  preemptionPolicy: 'PreemptLowerPriority',
  securityContext: {
    ...{ runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000, supplementalGroups: [1, 2] },
    ...{ fsGroupChangePolicy: 'Always', supplementalGroupsPolicy: 'Merge', seLinuxChangePolicy: 'MountOption' },
    sysctls: [
      { name: 'kernel.shm_rmid_forced', value: '1' },
      { name: 'net/ipv4/ip_forward', value: '0' },
    ],
    seccompProfile: { type: 'RuntimeDefault' },
  },
  dnsConfig: { nameservers: ['10.0.0.1'], searches: ['a.example.com', '.'], options: [{ name: 'ndots', value: '2' }] },
  readinessGates: [{ conditionType: 'example.com/ready' }],
  resourceClaims: [
    { name: 'gpu', resourceClaimName: 'g' },
    { name: 'nic', resourceClaimTemplateName: 'n' },
  ],
  subdomain: 's',
  imagePullSecrets: [{ name: 's' }],
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['a.example.com'] }],
  topologySpreadConstraints: [
    {
      ...{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
      ...{ labelSelector: { matchLabels: { a: 'b' } }, matchLabelKeys: ['x'] },
      ...{ minDomains: 1, nodeAffinityPolicy: 'Honor', nodeTaintsPolicy: 'Ignore' },
    },
  ],
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 5,
          podAffinityTerm: {
            ...{ topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } },
            ...{ namespaces: ['n'], matchLabelKeys: ['x'], mismatchLabelKeys: ['y'] },
          },
        },
      ],
    },
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [{ key: 'disk', operator: 'In', values: ['fast'] }],
            matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }],
          },
        ],
      },
    },
  },
}
const moreContainer = {
  command: ['a'],
  envFrom: [{ prefix: 'P_', configMapRef: { name: 'c' } }, { secretRef: { name: 's', optional: true } }],
  livenessProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: 5 },
  startupProbe: { exec: { command: ['x'] }, failureThreshold: 30 },
  lifecycle: { preStop: { httpGet: { path: '/stop', port: 'http' } }, postStart: { sleep: { seconds: 1 } } },
  securityContext: {
    ...{
      runAsUser: 1000,
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
      privileged: false,
      procMount: 'Default',
    },
    capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
    seccompProfile: { type: 'Localhost', localhostProfile: 'a/b' },
    appArmorProfile: { type: 'Localhost', localhostProfile: 'a' },
    windowsOptions: { runAsUserName: 'D\\u', gmsaCredentialSpecName: 'g', gmsaCredentialSpec: 's', hostProcess: false },
  },
  resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
  volumeDevices: [{ name: 'y', devicePath: '/dev/y' }],
  restartPolicy: 'Never',
  restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
}
const moreMounts = [
  { name: 'x', mountPath: '/x', readOnly: true, recursiveReadOnly: 'Enabled', mountPropagation: 'None' },
  { name: 'w', mountPath: '/w', subPath: 'p' },
]
const moreResources = { claims: [{ name: 'gpu', request: 'r' }, { name: 'nic' }] }
const moreEnv = [
  { name: 'F', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  { name: 'G', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
  { name: 'H', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
  { name: 'I', valueFrom: { fileKeyRef: { key: 'K', volumeName: 'empty', path: 'p' } } },
]
const moreVolumes = [
  { name: 'w', configMap: { name: 'c', items: [{ key: 'k', path: 'p', mode: 0o400 }] } },
  { name: 'x', secret: { secretName: 's' } },
  { name: 'y', persistentVolumeClaim: { claimName: 'c' } },
  { name: 'z', hostPath: { path: '/x', type: 'Directory' } },
  { name: 'empty', emptyDir: {} },
  {
    name: 'all',
    projected: {
      defaultMode: 0o400,
      sources: [
        { secret: { name: 's', items: [{ key: 'k', path: 'a/k' }] } },
        { configMap: { name: 'c', items: [{ key: 'k', path: 'b/k', mode: 0o400 }] } },
        { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
        { serviceAccountToken: { path: 'token', audience: 'a', expirationSeconds: 3600 } },
      ],
    },
  },
  {
    name: 'pod',
    downwardAPI: {
      items: [
        { path: 'name', fieldRef: { fieldPath: "metadata.annotations['a']" }, mode: 0o400 },
        { path: 'cpu', resourceFieldRef: { containerName: 'c', resource: 'requests.memory', divisor: '1Mi' } },
      ],
    },
  },
  {
    name: 'own',
    ephemeral: {
      volumeClaimTemplate: {
        metadata: { labels: { a: 'b' }, annotations: { a: 'b' } },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    },
  },
  { name: 'image', image: { reference: 'i', pullPolicy: 'Always' } },
  { name: 'driver', csi: { driver: 'csi.example.com', readOnly: true, nodePublishSecretRef: { name: 's' } } },
]

type Manifest = Record<'metadata', object>
type Value = Record<string, unknown> | unknown[]

/** A copy of a manifest in which each spec of Pods has all those fields. */
function enriched(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(enriched)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, enriched(inner)]))
  if (!Array.isArray(copy.containers)) return copy
  const [first, ...rest] = copy.containers as Record<string, unknown>[]
  const env = [...((first?.env as unknown[] | undefined) ?? []), ...moreEnv]
  const volumes = [...((copy.volumes as unknown[] | undefined) ?? []), ...moreVolumes]
  const volumeMounts = [...((first?.volumeMounts as unknown[] | undefined) ?? []), ...moreMounts]
  const resources = { ...(first?.resources as object), ...moreResources }
  const container = { ...first, ...moreContainer, env, volumeMounts, resources }
  return { ...copy, ...morePod, volumes, containers: [container, ...rest] }
}

/** More fields of kinds, and statuses, which are sent to the path of the status as well. */
const more: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  PersistentVolumeClaims: {
    spec: {
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
      dataSourceRef: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
      volumeAttributesClassName: 'a',
    },
    status: {
      ...{ phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
      ...{ allocatedResources: { storage: '2Gi' }, allocatedResourceStatuses: { storage: 'NodeResizePending' } },
      conditions: [{ type: 'Resizing', status: 'True', reason: 'r', message: 'm' }],
      currentVolumeAttributesClassName: 'a',
      modifyVolumeStatus: { targetVolumeAttributesClassName: 'b', status: 'Pending' },
    },
  },
  Jobs: {
    spec: {
      ...{ completionMode: 'Indexed', completions: 3, parallelism: 1, backoffLimitPerIndex: 1, maxFailedIndexes: 1 },
      managedBy: 'example.com/controller',
      podFailurePolicy: {
        rules: [
          { action: 'FailIndex', onExitCodes: { containerName: 'c', operator: 'In', values: [1, 2] } },
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
      successPolicy: { rules: [{ succeededIndexes: '0-1', succeededCount: 1 }] },
    },
  },
  Services: {
    spec: {
      ...{ trafficDistribution: 'PreferSameZone', ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] },
      ...{ internalTrafficPolicy: 'Cluster', externalIPs: ['1.2.3.4'], externalTrafficPolicy: 'Cluster' },
      ports: [{ name: 'a', port: 80, targetPort: 'http', protocol: 'TCP', appProtocol: 'example.com/h' }],
    },
  },
  CSINodes: { status: { storageHealth: [{ name: 'csi.example.com' }] } },
}

function widened(kind: string, object: Record<string, unknown>): Manifest {
  const parts = Object.entries(more[kind] ?? {}).map(([name, fields]) => [
    name,
    { ...(object[name] as object), ...fields },
  ])
  return { ...object, ...Object.fromEntries(parts) } as Manifest
}

/** The kinds with statuses that are sent to the path of the status. */
export const withStatus: ReadonlySet<string> = new Set(Object.keys(more).filter(kind => more[kind]?.status))

/** The kinds to compare, with commas between; all kinds if it is not set. */
const only = process.env.WHERRY_KIND?.split(',')

const manifests = validManifests
  .filter(({ kind }) => only === undefined || only.includes(kind))
  .map(one => ({ ...one, object: widened(one.kind, enriched(one.valid) as Record<string, unknown>) }))

const texts = fc.constantFrom(
  ...['', 'a', 'A b', 'x'.repeat(64), 'a.b', '-a', '10%', '101%', '1', '0', '-1', 'Never', 'Always', 'Other'],
  ...['../x', '/x', 'a/b', '1Gi', '500m', 'TCP', 'In', 'Exists', 'None', 'a=b', 'http', '10.0.0.1'],
  // Every object of JavaScript has it.
  'constructor',
)
const numbers = fc.constantFrom(-1, 0, 1, 2, 80, 1000, 70_000, 2_147_483_647)
const anything = fc.oneof(texts, numbers, fc.boolean(), fc.constantFrom(null, [], {}, ['a'], { a: 'b' }, 1.5))

/** Another value, mostly of the same type. */
function otherThan(value: unknown): fc.Arbitrary<unknown> {
  const same =
    typeof value === 'string'
      ? texts
      : typeof value === 'number'
        ? numbers
        : typeof value === 'boolean'
          ? fc.boolean()
          : Array.isArray(value)
            ? fc.constantFrom([], [...value, ...value], [...value, {}], value.slice(1))
            : fc.constantFrom(
                {},
                { ...(value as object), 'a b': 'c' },
                { ...(value as object), extra: 'x' },
                { ...(value as object), constructor: 'x' },
              )
  return fc.oneof({ weight: 6, arbitrary: same }, { weight: 1, arbitrary: anything })
}

/** Where the values of an object are, the object itself left out. */
function placesIn(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [[...at, name], ...placesIn(inner, [...at, name])])
}

function inside(object: unknown, at: readonly string[]): unknown {
  return at.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], object)
}

function withChange(object: unknown, at: readonly string[], change: { readonly to: unknown } | undefined): unknown {
  const copy = structuredClone(object)
  const parent = inside(copy, at.slice(0, -1)) as Value | undefined
  const last = at.at(-1) as string
  if (typeof parent !== 'object' || parent === null) return copy
  if (Array.isArray(parent)) {
    if (change === undefined) parent.splice(Number(last), 1)
    else parent[Number(last)] = change.to
  } else if (change === undefined) delete parent[last]
  else parent[last] = change.to
  return copy
}

/** A manifest with another value somewhere, or none. */
function change(object: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(object)
  if (places.length === 0) return fc.constant(object)
  return fc
    .constantFrom(...places)
    .chain(at =>
      fc.oneof(
        { weight: 1, arbitrary: fc.constant(withChange(object, at, undefined)) },
        { weight: 4, arbitrary: otherThan(inside(object, at)).map(to => withChange(object, at, { to })) },
      ),
    )
}

const mutated: fc.Arbitrary<Mutated> = fc.constantFrom(...manifests).chain(({ kind, path, object }) =>
  fc
    .oneof({ weight: 3, arbitrary: change(object) }, { weight: 1, arbitrary: change(object).chain(change) })
    // Here a Job has the labels that name it before it is checked, so a bad name is reported once more.
    .map(changed => ({
      kind,
      path,
      object: kind === 'Jobs' ? { ...(changed as object), metadata: object.metadata } : changed,
    })),
)

/** The manifests that nothing is wrong with. */
export const originals: readonly Mutated[] = manifests

/** The manifests of one seed. */
export function mutationsOf(seed: number, count: number): readonly Mutated[] {
  return fc.sample(mutated, { seed, numRuns: count })
}
