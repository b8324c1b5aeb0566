import { del, merge, post, put, quietly, request, type Scenario } from '../scenario.ts'
import type { SentHeaders } from '../target.ts'
import { csr } from './rarer-endpoints.ts'
import { defined, game, games } from './shapes.ts'

/** A manifest of a kind, and other values of its fields, by where they are: `spec.ports.0.port`; `undefined` takes a field away. */
export interface Variants {
  readonly kind: string
  readonly path: string
  readonly valid: object
  readonly changes: readonly (readonly [at: string, value: unknown])[]
}

const core = (plural: string): string => `/api/v1/namespaces/{ns}/${plural}`
const ingresses = '/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses'
const claims = '/api/v1/namespaces/{ns}/persistentvolumeclaims'
const budgets = '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets'
const slices = '/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices'
const scalers = '/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers'
const metadata = { name: 'a' }
const clusterWide = { name: '{ns}-a' }
const none = undefined
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const claim = {
  metadata,
  spec: {
    ...{ accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
  },
}
const nodeAffinity = {
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['fast'] }] }] },
}
const about = { apiVersion: 'v1', kind: 'Pod', name: 'p', namespace: '{ns}', uid: 'u' }
const time = '2024-01-01T00:00:00.000000Z'

/** A certificate request with another signature than that of its key. */
function forged(request: string): string {
  const pem = Buffer.from(request, 'base64').toString('utf8')
  const [head = '', foot = ''] = pem.match(/-----.*-----/g) ?? []
  const der = Buffer.from(pem.replaceAll(/-----.*-----/g, ''), 'base64')
  der.writeUInt8(der.readUInt8(der.length - 1) ^ 1, der.length - 1)
  return Buffer.from(`${head}\n${der.toString('base64')}\n${foot}\n`).toString('base64')
}

/** Kinds that operators make seldom, or that the cluster makes. */
export const rarerVariants: readonly Variants[] = [
  {
    kind: 'ResourceQuotas',
    path: core('resourcequotas'),
    valid: {
      metadata,
      spec: {
        hard: { pods: '5', 'requests.cpu': '1' },
        scopes: ['NotBestEffort'],
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
      },
    },
    changes: [
      ['spec', none],
      ['spec.hard', { nonsense: '1' }],
      ['spec.hard', { pods: '-1' }],
      ['spec.hard', { pods: '500m' }],
      ['spec.hard', { services: '1' }],
      ['spec.hard', { 'example.com/gpu': '1', 'requests.example.com/gpu': '1.5' }],
      ['spec.hard', { 'hugepages-2Mi': '1', storage: '1' }],
      ['spec.scopes', ['BestEffort']],
      ['spec.scopes', ['Other']],
      ['spec.scopes', ['Terminating', 'NotTerminating']],
      ['spec.scopeSelector.matchExpressions.0.operator', 'Exists'],
      ['spec.scopeSelector.matchExpressions.0.operator', 'Other'],
      ['spec.scopeSelector.matchExpressions.0.values', []],
      ['spec.scopeSelector.matchExpressions.0.scopeName', 'Terminating'],
      ['spec.scopeSelector.matchExpressions.0.scopeName', 'VolumeAttributesClass'],
    ],
  },
  {
    kind: 'LimitRanges',
    path: core('limitranges'),
    valid: {
      metadata,
      spec: {
        limits: [
          {
            type: 'Container',
            ...{ min: { cpu: '100m' }, max: { cpu: '2' }, default: { cpu: '1' }, defaultRequest: { cpu: '200m' } },
            maxLimitRequestRatio: { cpu: '5' },
          },
          { type: 'Pod', max: { memory: '1Gi' } },
          { type: 'PersistentVolumeClaim', min: { storage: '1Gi' } },
        ],
      },
    },
    changes: [
      ['spec', none],
      ['spec.limits.0.type', none],
      ['spec.limits.0.type', 'Other'],
      ['spec.limits.0.type', 'Pod'],
      ['spec.limits.0.min.cpu', '3'],
      ['spec.limits.0.default.cpu', '50m'],
      ['spec.limits.0.defaultRequest.cpu', '3'],
      ['spec.limits.0.maxLimitRequestRatio.cpu', '50'],
      ['spec.limits.0.maxLimitRequestRatio.cpu', '500m'],
      ['spec.limits.0.max', { pods: '1' }],
      [
        'spec.limits.0',
        { type: 'Container', default: { 'example.com/gpu': '2' }, defaultRequest: { 'example.com/gpu': '1' } },
      ],
      ['spec.limits.2.min', none],
    ],
  },
  {
    kind: 'PersistentVolumes',
    path: '/api/v1/persistentvolumes',
    valid: {
      // A real server adds this finalizer.
      metadata: { ...clusterWide, finalizers: ['kubernetes.io/pv-protection'] },
      spec: {
        ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], persistentVolumeReclaimPolicy: 'Retain' },
        ...{ storageClassName: 'fast', volumeMode: 'Filesystem', nodeAffinity, mountOptions: ['hard'] },
        csi: {
          ...{ driver: 'csi.example.com', volumeHandle: 'v', fsType: 'ext4', volumeAttributes: { a: 'b' } },
          nodePublishSecretRef: { name: 's', namespace: 'n' },
        },
      },
    },
    changes: [
      ['spec', none],
      ['spec.capacity', none],
      ['spec.capacity.storage', '0'],
      ['spec.capacity.storage', '-1Gi'],
      ['spec.capacity.cpu', '1'],
      ['spec.accessModes', []],
      ['spec.accessModes', ['Other']],
      ['spec.accessModes', ['ReadWriteOnce', 'ReadWriteOncePod']],
      ['spec.persistentVolumeReclaimPolicy', 'Other'],
      ['spec.csi', none],
      ['spec.csi.driver', ''],
      ['spec.csi.driver', 'a b'],
      ['spec.csi.volumeHandle', none],
      ['spec.csi.nodePublishSecretRef', {}],
      ['spec.hostPath', { path: '/x' }],
      ['spec.nfs', { server: 's', path: '/x' }],
      ['spec.storageClassName', 'A'],
      ['spec.volumeMode', 'Other'],
      ['spec.nodeAffinity', {}],
      ['spec.nodeAffinity.required.nodeSelectorTerms', []],
      ['spec.volumeAttributesClassName', ''],
      ['spec', { capacity: { storage: '1' }, accessModes: ['ReadWriteMany'], nfs: { server: '', path: 'x' } }],
      ['spec', { capacity: { storage: '1' }, accessModes: ['ReadWriteMany'], local: { path: '/x' } }],
    ],
  },
  {
    kind: 'EndpointSlices',
    path: '/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices',
    valid: {
      ...{ metadata, addressType: 'IPv4' },
      endpoints: [
        {
          ...{ addresses: ['10.1.2.3'], conditions: { ready: true }, hostname: 'h', nodeName: 'n', zone: 'z' },
          ...{ hints: { forZones: [{ name: 'z' }], forNodes: [{ name: 'n' }] } },
          targetRef: { kind: 'Pod', name: 'p', namespace: '{ns}' },
        },
      ],
      ports: [{ name: 'http', port: 80, protocol: 'TCP', appProtocol: 'http' }],
    },
    changes: [
      ['addressType', none],
      ['addressType', 'Other'],
      ['addressType', 'IPv6'],
      ['addressType', 'FQDN'],
      ['endpoints.0.addresses', []],
      ['endpoints.0.addresses', ['x', '127.0.0.1', '0.0.0.0', '169.254.1.1', '224.0.0.1', '::1', '010.0.0.1']],
      [
        '',
        {
          addressType: 'IPv6',
          endpoints: [{ addresses: ['fe80::1', '::ffff:10.0.0.1', '2001:DB8::1', '2001:db8::1'] }],
        },
      ],
      ['', { addressType: 'FQDN', endpoints: [{ addresses: ['a', 'a.b', 'A.b', ''] }] }],
      ['endpoints.0.hostname', 'A'],
      ['endpoints.0.nodeName', 'A'],
      ['endpoints.0.hints.forZones', [{ name: 'z' }, { name: 'z' }, { name: 'a b' }]],
      ['endpoints.0.hints.forNodes', [{ name: 'n' }, { name: 'n' }, { name: 'A' }]],
      ['endpoints.0.deprecatedTopology', { a: 'b' }],
      ['ports.0.name', 'A'],
      ['ports.0.protocol', 'HTTP'],
      ['ports.0.appProtocol', 'a b'],
      ['ports.1', { name: 'http', port: 81 }],
    ],
  },
  {
    kind: 'Endpoints',
    path: core('endpoints'),
    valid: {
      metadata,
      subsets: [
        {
          addresses: [{ ip: '10.1.2.3', hostname: 'h', nodeName: 'n' }],
          notReadyAddresses: [{ ip: '10.1.2.4' }],
          ports: [
            { name: 'http', port: 80, protocol: 'TCP', appProtocol: 'http' },
            { name: 'dns', port: 53, protocol: 'UDP' },
          ],
        },
      ],
    },
    changes: [
      ['subsets.0.addresses.0.ip', none],
      ['subsets.0.addresses.0.ip', '127.0.0.1'],
      ['subsets.0.addresses.0.hostname', 'A'],
      ['subsets.0.addresses.0.nodeName', 'A'],
      ['subsets.0', { ports: [{ port: 80 }] }],
      ['subsets.0.ports.0.name', none],
      ['subsets.0.ports.0.name', 'A'],
      ['subsets.0.ports.0.port', 0],
      ['subsets.0.ports.0.protocol', 'HTTP'],
      ['subsets.0.ports.0.appProtocol', 'a b'],
    ],
  },
  {
    kind: 'Events',
    path: core('events'),
    valid: {
      ...{ metadata, involvedObject: about, reason: 'R', message: 'm', type: 'Normal', count: 1 },
      ...{ source: { component: 'c', host: 'h' }, firstTimestamp: '2024-01-01T00:00:00Z' },
    },
    changes: [
      ['involvedObject', none],
      ['involvedObject.namespace', 'other'],
      ['type', 'Other'],
      ['eventTime', time],
      ['', { eventTime: time, reportingComponent: 'a b', reportingInstance: 'x'.repeat(129), action: 'A', reason: '' }],
      ['', { eventTime: time, reportingComponent: 'c', reportingInstance: 'i', action: 'A' }],
    ],
  },
  {
    kind: 'Events of events.k8s.io',
    path: '/apis/events.k8s.io/v1/namespaces/{ns}/events',
    valid: {
      ...{ metadata: { name: 'b' }, regarding: about, reason: 'R', note: 'm', type: 'Normal', action: 'A' },
      ...{ eventTime: time, reportingController: 'c', reportingInstance: 'i' },
      series: { count: 2, lastObservedTime: time },
    },
    changes: [
      ['eventTime', none],
      ['type', 'Other'],
      ['action', none],
      ['reportingController', none],
      ['reportingInstance', none],
      ['regarding', none],
      ['note', 'x'.repeat(1025)],
      ['series', { count: 1 }],
      ['deprecatedCount', 1],
      ['deprecatedSource', { component: 'c' }],
    ],
  },
  {
    kind: 'CertificateSigningRequests',
    path: '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    valid: {
      metadata: clusterWide,
      spec: { request: csr, signerName: 'example.com/signer', usages: ['client auth'], expirationSeconds: 3600 },
    },
    changes: [
      ['spec', none],
      ['spec.request', 'eA=='],
      ['spec.request', forged(csr)],
      ['spec.request', none],
      ['spec.signerName', none],
      ['spec.signerName', 'a'],
      ['spec.signerName', 'a/b'],
      ['spec.signerName', 'A.b/C'],
      ['spec.signerName', 'kubernetes.io/legacy-unknown'],
      ['spec.usages', []],
      ['spec.usages', ['Other', 'client auth', 'client auth']],
      ['spec.expirationSeconds', 599],
    ],
  },
  {
    kind: 'Nodes',
    path: '/api/v1/nodes',
    valid: {
      metadata: clusterWide,
      spec: {
        ...{ podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24', 'fd00::/64'], providerID: 'cloud://x' },
        taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }],
      },
      status: {
        ...{ capacity: { cpu: '4', pods: '110' }, allocatable: { cpu: '3' } },
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      },
    },
    changes: [
      ['spec.taints.0.key', 'a b'],
      ['spec.taints.0.value', 'a b'],
      ['spec.taints.0.effect', none],
      ['spec.taints.0.effect', 'Other'],
      ['spec.taints.1', { key: 'k', effect: 'NoSchedule' }],
      ['spec.podCIDR', 'x'],
      ['spec.podCIDR', '10.1.0.1/24'],
      ['spec.podCIDRs', ['10.1.0.0/24', '10.2.0.0/24']],
      ['status.capacity.cpu', '-1'],
      ['status.capacity.pods', '500m'],
      ['status.declaredFeatures', ['b', 'A', 'A']],
    ],
  },
  {
    kind: 'StorageClasses',
    path: '/apis/storage.k8s.io/v1/storageclasses',
    valid: {
      ...{ metadata: clusterWide, provisioner: 'csi.example.com', parameters: { type: 'fast' } },
      ...{
        reclaimPolicy: 'Delete',
        volumeBindingMode: 'Immediate',
        allowVolumeExpansion: true,
        mountOptions: ['hard'],
      },
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
    },
    changes: [
      ['provisioner', none],
      ['provisioner', 'a b'],
      ['parameters', { '': 'x' }],
      ['reclaimPolicy', 'Recycle'],
      ['volumeBindingMode', 'Other'],
      ['allowedTopologies.0.matchLabelExpressions.0.key', 'a b'],
      ['allowedTopologies.0.matchLabelExpressions.0.values', []],
      ['allowedTopologies.0.matchLabelExpressions.0.values', ['a', 'a']],
      ['allowedTopologies.1', { matchLabelExpressions: [{ key: 'zone', values: ['b', 'a'] }] }],
    ],
  },
  {
    kind: 'VolumeAttributesClasses',
    path: '/apis/storage.k8s.io/v1/volumeattributesclasses',
    valid: {
      metadata: { ...clusterWide, finalizers: ['kubernetes.io/vac-protection'] },
      ...{ driverName: 'csi.example.com', parameters: { iops: '500', throughput: '50' } },
    },
    changes: [
      ['', { driverName: none, parameters: none }],
      ['driverName', none],
      ['driverName', 'a b'],
      ['driverName', 'CSI.example.com'],
      ['driverName', 'a'.repeat(64)],
      ['parameters', none],
      ['parameters', {}],
      ['parameters', { '': 'x' }],
      ['parameters', { 'a b': '' }],
      ['parameters', { a: 'x'.repeat(256 * 1024) }],
      ['parameters', Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`k${i}`, 'v']))],
    ],
  },
  {
    kind: 'CSIDrivers',
    path: '/apis/storage.k8s.io/v1/csidrivers',
    valid: {
      metadata: clusterWide,
      spec: {
        ...{ attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Persistent'], storageCapacity: true },
        ...{ fsGroupPolicy: 'File', tokenRequests: [{ audience: 'a', expirationSeconds: 3600 }] },
        ...{ requiresRepublish: true, seLinuxMount: true, nodeAllocatableUpdatePeriodSeconds: 30 },
      },
    },
    changes: [
      ['spec', none],
      ['spec.volumeLifecycleModes', ['Other']],
      ['spec.fsGroupPolicy', 'Other'],
      ['spec.tokenRequests.0.expirationSeconds', 599],
      ['spec.tokenRequests.1', { audience: 'a' }],
      ['spec.nodeAllocatableUpdatePeriodSeconds', 9],
      ['spec', { serviceAccountTokenInSecrets: true }],
    ],
  },
  {
    kind: 'CSINodes',
    path: '/apis/storage.k8s.io/v1/csinodes',
    valid: {
      metadata: clusterWide,
      spec: {
        drivers: [{ name: 'csi.example.com', nodeID: 'n', topologyKeys: ['zone'], allocatable: { count: 3 } }],
      },
    },
    changes: [
      ['spec.drivers.0.name', ''],
      ['spec.drivers.0.nodeID', ''],
      ['spec.drivers.0.topologyKeys', ['', 'zone', 'zone', 'a b']],
      ['spec.drivers.0.allocatable.count', -1],
      ['spec.drivers.1', { name: 'csi.example.com', nodeID: 'm' }],
    ],
  },
  {
    kind: 'ReplicationControllers',
    path: core('replicationcontrollers'),
    valid: { metadata, spec: { replicas: 1, selector: { app: 'a' }, template, minReadySeconds: 1 } },
    changes: [
      ['spec', none],
      ['spec.replicas', -1],
      ['spec.minReadySeconds', -1],
      ['spec.selector', { app: 'b' }],
      ['spec.template', none],
      ['spec.template.spec.restartPolicy', 'Never'],
      ['spec.template.spec.activeDeadlineSeconds', 5],
      ['spec.template.spec.containers.0.image', none],
    ],
  },
  {
    kind: 'PodTemplates',
    path: core('podtemplates'),
    valid: { metadata, template },
    changes: [
      ['template', none],
      ['template.spec.containers', []],
      ['template.metadata.labels', { 'a b': 'c' }],
    ],
  },
  {
    kind: 'ControllerRevisions',
    path: '/apis/apps/v1/namespaces/{ns}/controllerrevisions',
    valid: { metadata, data: { spec: { a: 'b' } }, revision: 1 },
    changes: [
      ['data', none],
      ['data', 'x'],
      ['revision', -1],
    ],
  },
]

/** Changes of objects that are there, by kind. */
const updates: Readonly<Record<string, readonly (readonly [part: '' | '/status', change: object])[]>> = {
  ResourceQuotas: [
    ['', { spec: { scopes: null } }],
    ['', { spec: { scopes: ['Terminating'] } }],
    ['', { spec: { hard: { pods: '-1' } } }],
    ['/status', { status: { hard: { pods: '-1' }, used: { nonsense: '1' } } }],
  ],
  PersistentVolumes: [
    ['', { spec: { volumeMode: 'Block' } }],
    ['', { spec: { nodeAffinity: null } }],
    ['', { spec: { capacity: { storage: '2Gi' } } }],
    ['', { spec: { storageClassName: 'slow' } }],
  ],
  EndpointSlices: [['', { addressType: 'FQDN' }]],
  'Events of events.k8s.io': [
    ['', { action: 'B', note: 'n', type: 'Warning', regarding: { name: 'q' } }],
    ['', { series: { count: 1 } }],
    ['', { series: { count: 3 } }],
  ],
  CertificateSigningRequests: [
    ['', { spec: { usages: ['server auth'] } }],
    ['/status', { status: { conditions: [{ type: '', status: 'Other' }] } }],
    ['/status', { status: { conditions: [{ type: 'Failed', status: 'False' }] } }],
  ],
  Nodes: [
    ['', { spec: { podCIDR: '10.2.0.0/24', podCIDRs: ['10.2.0.0/24'] } }],
    ['', { spec: { providerID: 'other' } }],
    ['', { spec: { providerID: null } }],
    ['', { spec: { taints: [{ key: 'k', effect: 'Other' }] } }],
    ['/status', { status: { capacity: { cpu: '-1' } } }],
    ['/status', { status: { addresses: [1, 2].map(() => ({ type: 'InternalIP', address: '10.0.0.1' })) } }],
  ],
  VolumeAttributesClasses: [
    ['', { driverName: 'other.example.com' }],
    ['', { driverName: 'A' }],
    ['', { parameters: { iops: '600' } }],
    ['', { parameters: null }],
    ['', { driverName: null, parameters: null }],
    ['', { metadata: { labels: { a: 'b' } } }],
  ],
  CSIDrivers: [
    ['', { spec: { attachRequired: true, volumeLifecycleModes: ['Ephemeral'] } }],
    ['', { spec: { requiresRepublish: false } }],
  ],
  CSINodes: [
    [
      '',
      {
        spec: {
          drivers: [{ name: 'csi.example.com', nodeID: 'n', topologyKeys: ['zone'], allocatable: { count: 5 } }],
        },
      },
    ],
  ],
  ReplicationControllers: [
    ['', { spec: { selector: { app: 'b' } } }],
    ['/status', { status: { replicas: 1, readyReplicas: 2, availableReplicas: -1 } }],
  ],
  ControllerRevisions: [
    ['', { data: { spec: { a: 'c' } } }],
    ['', { revision: -1 }],
    ['', { revision: 2 }],
  ],
}

const job = (more: object): Manifest => [
  '/apis/batch/v1/namespaces/{ns}/jobs',
  {
    spec: {
      template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
      ...{ completions: 1, completionMode: 'Indexed', ...more },
    },
  },
]
const pod = (more: object, ofContainer: object = {}): Manifest => [
  core('pods'),
  { spec: { containers: [{ name: 'c', image: 'i', ...ofContainer }], ...more } },
]
const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }
const scaled = { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'A', name: 'a' } }

type Manifest = readonly [path: string, object: object]

/** Manifests with an empty text, which a real server keeps apart from an absent one. */
const emptyTexts: readonly Manifest[] = [
  ...['nodeAffinityPolicy', 'nodeTaintsPolicy'].map(field =>
    pod({ topologySpreadConstraints: [{ ...spread, [field]: '' }] }),
  ),
  pod({}, { livenessProbe: { grpc: { port: 80, service: '' } } }),
  pod({ volumes: [{ name: 'v', csi: { driver: 'csi.example.com', fsType: '' } }] }),
  [core('services'), { spec: { ports: [{ port: 80 }], internalTrafficPolicy: '' } }],
  ...['completionMode', 'podReplacementPolicy'].map(field => job({ [field]: '' })),
  job({ successPolicy: { rules: [{ succeededIndexes: '' }] } }),
  ['/apis/batch/v1/namespaces/{ns}/cronjobs', { spec: { schedule: '@daily', timeZone: '', jobTemplate: job({})[1] } }],
  [budgets, { spec: { minAvailable: 1, unhealthyPodEvictionPolicy: '' } }],
  [scalers, { spec: { ...scaled, behavior: { scaleUp: { selectPolicy: '' } } } }],
  [
    '/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies',
    { spec: { podSelector: {}, ingress: [{ ports: [{ protocol: '', port: 80 }] }] } },
  ],
]

const nameOf = ({ valid }: Variants): string => (valid as { metadata: { name: string } }).metadata.name

/** What an update of such kinds may change, and what a delete takes for its options. */
export const rarerRefusals: readonly Scenario[] = [
  ...rarerVariants
    .filter(({ kind }) => updates[kind] !== undefined)
    .map(one => ({
      name: `${one.kind} that don't change`,
      steps: [
        quietly(post(one.path, one.valid)),
        ...(updates[one.kind] ?? []).map(([part, change]) => merge(`${one.path}/${nameOf(one)}${part}`, change)),
        quietly(del(`${one.path}/${nameOf(one)}`)),
      ],
    })),
  {
    name: 'statuses of load balancers, budgets and autoscalers that are refused',
    steps: [
      quietly(post(core('services'), { metadata, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } })),
      quietly(post(core('services'), { metadata: { name: 'b' }, spec: { ports: [{ port: 80 }] } })),
      quietly(post(ingresses, { metadata, spec: { defaultBackend: { resource: { kind: 'A', name: 'a' } } } })),
      quietly(post(budgets, { metadata, spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } } })),
      quietly(
        post(scalers, {
          metadata,
          spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'A', name: 'a' } },
        }),
      ),
      ...[
        [`${core('services')}/a`, { loadBalancer: { ingress: [{ ip: 'x' }, { ip: '10.0.0.1', hostname: 'A' }] } }],
        [`${core('services')}/a`, { loadBalancer: { ingress: [{ hostname: '10.0.0.1', ipMode: 'VIP' }] } }],
        [`${core('services')}/a`, { loadBalancer: { ingress: [{ ip: '10.0.0.1', ipMode: 'Other' }] } }],
        [`${core('services')}/b`, { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } }],
        [`${ingresses}/a`, { loadBalancer: { ingress: [{ ip: 'x', hostname: '10.0.0.1' }] } }],
        [`${budgets}/a`, { disruptionsAllowed: -1, currentHealthy: -1, desiredHealthy: -1, expectedPods: -1 }],
        [`${budgets}/a`, { conditions: [{ type: 'a b', status: 'Other', reason: '1', lastTransitionTime: null }] }],
        [`${scalers}/a`, { currentReplicas: -1, desiredReplicas: -1 }],
      ].map(([at, status]) => merge(`${at as string}/status`, { status })),
    ],
  },
  {
    name: "statuses of claims that are refused, and sources that don't change",
    steps: [
      quietly(post(claims, claim)),
      ...[
        { capacity: { storage: '-1Gi' }, allocatedResources: { storage: '-500m' } },
        { allocatedResources: { cpu: '1' } },
        { allocatedResources: { 'a b': '-1' } },
        { allocatedResources: { 'example.com/x': '-2' } },
        { allocatedResourceStatuses: { storage: 'Other' } },
        { allocatedResourceStatuses: { storage: 'NodeResizePending', cpu: 'NodeResizePending' } },
        { healthStatus: { healthConditions: [{ reason: 'a b' }] } },
        { conditions: [{ type: 'x' }], currentVolumeAttributesClassName: 'a' },
      ].map(status => merge(`${claims}/a/status`, { status })),
      ...[
        { volumeAttributesClassName: 'b' },
        { volumeAttributesClassName: '' },
        { dataSource: null },
        { dataSourceRef: null },
        { dataSource: null, dataSourceRef: null },
        { dataSource: { apiGroup: 'A' }, dataSourceRef: { apiGroup: 'A' } },
        { dataSource: null, dataSourceRef: { namespace: 'A' } },
      ].map(spec => merge(`${claims}/a`, { spec })),
    ],
  },
  {
    name: 'the status of a CSINode is dropped',
    steps: [
      quietly(post('/apis/storage.k8s.io/v1/csinodes', { metadata: clusterWide, spec: { drivers: [] } })),
      merge('/apis/storage.k8s.io/v1/csinodes/{ns}-a/status', { status: { storageHealth: [{ name: 'd' }] } }),
      quietly(del('/apis/storage.k8s.io/v1/csinodes/{ns}-a')),
    ],
    except: ['*.body.spec.drivers'],
  },
  {
    name: 'an empty list of what a node can allocate',
    steps: [
      ...[{}, null, { cpu: '1' }].flatMap(allocatable =>
        [{ cpu: '4' }, { pods: '500m' }].map(capacity =>
          post('/api/v1/nodes?dryRun=All', { metadata: clusterWide, status: { capacity, allocatable } }),
        ),
      ),
      quietly(post('/api/v1/nodes', { metadata: clusterWide, status: { capacity: { cpu: '4' }, allocatable: {} } })),
      merge('/api/v1/nodes/{ns}-a/status', { status: { capacity: { pods: '5' } } }),
      put('/api/v1/nodes/{ns}-a/status', {
        metadata: clusterWide,
        status: { capacity: { cpu: '2' }, allocatable: {} },
      }),
      quietly(del('/api/v1/nodes/{ns}-a')),
    ],
  },
  {
    name: 'empty parameters that have defaults',
    steps: [
      post(`${core('services')}?dryRun=All`, {
        metadata,
        spec: { ports: [{ port: 80 }], sessionAffinity: 'ClientIP', sessionAffinityConfig: {} },
      }),
      post('/apis/apps/v1/namespaces/{ns}/daemonsets?dryRun=All', {
        metadata,
        spec: {
          selector: { matchLabels: template.metadata.labels },
          template,
          updateStrategy: { type: 'OnDelete', rollingUpdate: {} },
        },
      }),
    ],
  },
  {
    name: 'empty texts in optional fields',
    steps: emptyTexts.map(([path, object]) => post(`${path}?dryRun=All`, { metadata, ...object })),
  },
  {
    name: 'generations of an EndpointSlice',
    steps: [
      post(slices, { metadata, addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.2'] }] }),
      ...[
        { metadata: { labels: { a: 'b' } } },
        { metadata: { annotations: { a: 'b' } } },
        { metadata: { labels: { a: 'b' }, annotations: { a: 'c' } } },
        { endpoints: [{ addresses: ['10.0.0.1'] }] },
        { metadata: { labels: null } },
      ].map(change => merge(`${slices}/a`, change)),
    ],
  },
  {
    name: 'items of metadata that are null or of another type',
    steps: [
      ...defined(),
      ...['finalizers', 'ownerReferences'].flatMap(list =>
        [[null], ['x.y/z', null], [3], [{}], ['a'], [['a']]].flatMap(items => [
          post(`${core('configmaps')}?dryRun=All`, { metadata: { ...metadata, [list]: items } }),
          post(`${games}?dryRun=All`, game('a', {}, { [list]: items })),
        ]),
      ),
    ],
  },
  {
    name: 'bodies with too many levels',
    steps: [
      quietly(post(core('configmaps'), { metadata })),
      ...[500, 10_001].flatMap(levels =>
        [`${'['.repeat(levels)}${']'.repeat(levels)}`, `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`].flatMap(
          deep => {
            const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"x":${deep}}`
            const type = (name: string): { readonly headers: SentHeaders } => ({
              headers: { 'content-type': `application/${name}` },
            })
            const at = `${core('configmaps')}/a`
            return [
              put(at, body),
              put(at, body, type('yaml')),
              ...['merge-patch+json', 'strategic-merge-patch+json'].map(name => request('PATCH', at, body, type(name))),
              request('PATCH', at, `[{"op":"test","path":"/x","value":${deep}}]`, type('json-patch+json')),
              request('PATCH', `${at}?fieldManager=me`, body, type('apply-patch+yaml')),
            ]
          },
        ),
      ),
    ],
    // A real server has a greater bound.
    except: ['13.body.message', '17.body.message', '19.body.message', '23.body.message'],
  },
  {
    name: 'deletes with a body that is no options',
    steps: [
      quietly(post(core('configmaps'), { metadata })),
      ...[
        { kind: 'ConfigMap', apiVersion: 'v1' },
        { kind: 'ConfigMap' },
        { kind: 'Deployment', apiVersion: 'apps/v1' },
        { kind: 'DeleteOptions', apiVersion: 'apps/v1', dryRun: ['All'] },
        { apiVersion: 'v1', dryRun: ['All'] },
      ].map(body => del(`${core('configmaps')}/a`, body)),
      del(core('configmaps'), { kind: 'ConfigMapList', apiVersion: 'v1' }),
    ],
  },
]
