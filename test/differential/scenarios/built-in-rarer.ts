import { apply, get, merge, post, put, type Scenario, type Step } from '../scenario.ts'
import { crds, gameDefinition, version } from './shapes.ts'

const core = '/api/v1/namespaces/{ns}'
const leases = '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases'
const newEvents = '/apis/events.k8s.io/v1/namespaces/{ns}/events'
const slices = '/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices'
const storage = '/apis/storage.k8s.io/v1'
const flow = '/apis/flowcontrol.apiserver.k8s.io/v1'
const devices = '/apis/resource.k8s.io/v1'

const about = { kind: 'Pod', name: 'p', namespace: '{ns}' }
const when = '2026-01-01T00:00:00Z'
const exactly = '2026-01-01T00:00:00.000000Z'
const named = (name: string): object => ({ name })
const event = (name: string, more: object = {}): object => ({ metadata: named(name), involvedObject: about, ...more })
const newEvent = (name: string, more: object = {}): object => ({
  ...{ metadata: named(name), eventTime: exactly, reportingController: 'example.com/c', reportingInstance: 'i' },
  ...{ action: 'A', reason: 'R', regarding: about, note: 'N', type: 'Normal', ...more },
})

const sets = '/apis/apps/v1/namespaces/{ns}/statefulsets'
const jobs = '/apis/batch/v1/namespaces/{ns}/jobs'
const containers = [{ name: 'c', image: 'i' }]
const statefulSet = (name: string, more: object): object => ({
  metadata: named(name),
  spec: {
    ...{ serviceName: 's', selector: { matchLabels: { a: 'b' } } },
    ...{ template: { metadata: { labels: { a: 'b' } }, spec: { containers } }, ...more },
  },
})
const job = (name: string, more: object = {}): object => ({
  metadata: named(name),
  spec: { template: { spec: { restartPolicy: 'Never', containers } }, ...more },
})

/** One object of the cluster, by the scenario's name. */
const one = (path: string, more: object): Step => post(path, { metadata: named('{ns}'), ...more })

/** Defaults, and what Go prints of what is empty, of built-ins that operators seldom make. */
export const rarerBuiltinScenarios: readonly Scenario[] = [
  {
    name: 'defaults of events of v1',
    steps: [
      post(`${core}/events`, event('a')),
      post(
        `${core}/events`,
        event('b', {
          ...{ reason: 'R', message: 'M', type: 'Normal', count: 2, source: { component: 'c' } },
          ...{ firstTimestamp: when, lastTimestamp: when, reportingComponent: 'c', action: '' },
        }),
      ),
      post(`${core}/events`, event('c', { count: 0, firstTimestamp: null, reportingInstance: '', source: {} })),
      merge(`${core}/events/a`, { count: 3, lastTimestamp: when, reportingComponent: 'c' }),
      merge(`${core}/events/b`, { count: 0, lastTimestamp: null }),
      apply('me', `${core}/events/d`, { apiVersion: 'v1', kind: 'Event', ...event('d', { reason: 'R' }) }),
      get(`${core}/events/a`),
    ],
  },
  {
    name: 'defaults of events of events.k8s.io',
    steps: [
      post(newEvents, newEvent('a')),
      post(newEvents, newEvent('b', { series: { count: 2, lastObservedTime: exactly } })),
      get(`${newEvents}/a`),
    ],
  },
  {
    name: 'defaults of Leases',
    steps: [
      post(leases, { metadata: named('a') }),
      post(leases, {
        metadata: named('b'),
        spec: { holderIdentity: '', leaseDurationSeconds: 15, leaseTransitions: 0, acquireTime: exactly },
      }),
      merge(`${leases}/b`, { spec: { holderIdentity: 'x', renewTime: exactly } }),
      merge(`${leases}/b`, { spec: { holderIdentity: '', renewTime: null } }),
      put(`${leases}/a`, { metadata: named('a'), spec: { holderIdentity: 'x' } }),
    ],
  },
  {
    name: 'defaults of what is in a namespace',
    steps: [
      post(`${core}/serviceaccounts`, { metadata: named('a'), secrets: [], imagePullSecrets: [{ name: 'x' }] }),
      post(`${core}/limitranges`, {
        metadata: named('a'),
        spec: {
          limits: [
            {
              type: 'Container',
              default: { cpu: '1000m' },
              max: { cpu: 2, memory: '1024Mi' },
              min: { 'ephemeral-storage': '1Gi' },
            },
            { type: 'Pod', max: { cpu: '2000m' } },
          ],
        },
      }),
      post(`${core}/endpoints`, {
        metadata: named('a'),
        subsets: [{ addresses: [{ ip: '1.2.3.4', hostname: '' }], ports: [{ port: 80, name: '' }] }],
      }),
      post(slices, {
        metadata: named('a'),
        addressType: 'IPv4',
        endpoints: [{ addresses: ['1.2.3.4'], conditions: { ready: true } }, { addresses: ['1.2.3.5'] }],
        ports: [{ port: 80 }, { port: 443, name: 'https', protocol: 'UDP' }],
      }),
      post(`${devices}/namespaces/{ns}/resourceclaims`, {
        metadata: named('a'),
        spec: {
          devices: {
            requests: [
              { name: 'r', exactly: { deviceClassName: 'c' } },
              { name: 's', exactly: { deviceClassName: 'c', allocationMode: 'All' } },
            ],
          },
        },
      }),
    ],
  },
  {
    name: 'defaults of what a cluster has',
    steps: [
      one('/api/v1/nodes', {}),
      merge('/api/v1/nodes/{ns}/status', { status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
      one('/apis/scheduling.k8s.io/v1/priorityclasses', { value: 10, globalDefault: false }),
      one(`${storage}/storageclasses`, { provisioner: 'x' }),
      one(`${storage}/csidrivers`, { spec: {} }),
      one(`${storage}/volumeattachments`, {
        spec: { attacher: 'x', nodeName: 'n', source: { persistentVolumeName: 'p' } },
      }),
      one('/apis/networking.k8s.io/v1/ingressclasses', {
        spec: { controller: 'example.com/c', parameters: { kind: 'A', name: 'b' } },
      }),
      one('/apis/node.k8s.io/v1/runtimeclasses', { handler: 'h', overhead: { podFixed: { cpu: '1000m' } } }),
      one(`${flow}/prioritylevelconfigurations`, {
        spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
      }),
      one(`${flow}/flowschemas`, { spec: { priorityLevelConfiguration: { name: 'x' } } }),
      one(`${devices}/resourceslices`, {
        spec: {
          ...{ driver: 'd.example.com', nodeName: 'n', pool: { name: 'p', resourceSliceCount: 1 } },
          devices: [{ name: 'x' }],
        },
      }),
      one('/apis/storagemigration.k8s.io/v1/storageversionmigrations', {
        spec: { resource: { group: 'apps', resource: 'deployments' } },
      }),
    ],
  },
  {
    name: 'what is refused of an update strategy that a StatefulSet does not have',
    steps: [
      { type: 'OnDelete', rollingUpdate: { partition: 1 } },
      { type: 'OnDelete', rollingUpdate: {} },
      { type: 'OnDelete', rollingUpdate: { maxUnavailable: 1 } },
      { type: 'Nonsense', rollingUpdate: { partition: 1 } },
      { rollingUpdate: { partition: 2 } },
      { type: 'RollingUpdate' },
    ].map((updateStrategy, i) => post(sets, statefulSet(`s${i}`, { updateStrategy }))),
  },
  {
    name: 'a Job with a name that is no label',
    steps: ['x'.repeat(63), 'x'.repeat(64), `a-${'y'.repeat(61)}.z`, 'End.'].map(name => post(jobs, job(name))),
    // A Job's labels and selector name its uid.
    except: ['*.body.metadata.labels', '*.body.spec'],
  },
  {
    name: 'indexes in the status of a Job',
    steps: [
      post(jobs, job('a', { completions: 9, completionMode: 'Indexed', backoffLimitPerIndex: 1 }), { quiet: true }),
      ...['5,3', '1-1', '1-', 'a', '0-12', '1,1', '3-1', '1,,2', ' 1', '1-2-3', '9', '-1', '+1'].map(completedIndexes =>
        merge(`${jobs}/a/status`, { status: { completedIndexes } }),
      ),
      ...['5,3', 'a', '1-', '0-12'].map(failedIndexes => merge(`${jobs}/a/status`, { status: { failedIndexes } })),
      ...[
        ['1-3', '2'],
        ['1,5-7', '2-3,7-8'],
        ['1,x,4', '4'],
        ['1,3-5', '2'],
      ].map(([completedIndexes, failedIndexes]) =>
        merge(`${jobs}/a/status`, { status: { completedIndexes, failedIndexes } }),
      ),
      post(jobs, job('b', { completions: 3 }), { quiet: true }),
      merge(`${jobs}/b/status`, { status: { completedIndexes: 'x', failedIndexes: 'y' } }),
    ],
    except: ['*.body.metadata.labels', '*.body.spec'],
  },
  {
    name: 'the pull policy of an image',
    steps: ['Foo:latest', 'foo:latest', 'foo:', '-x:latest', 'a/B:latest', 'foo@bad', 'reg:5000/x', 'foo:1:latest'].map(
      (image, i) => post(`${core}/pods`, { metadata: named(`p${i}`), spec: { containers: [{ name: 'c', image }] } }),
    ),
  },
  {
    name: 'texts that a refusal quotes as Go does',
    steps: ['a\u0001b', '\u00a0', '\u200b', '<&>', 'a"b', 'a\\b'].flatMap(text => [
      post(`${core}/configmaps`, { metadata: { name: text } }),
      post(`${core}/configmaps`, { metadata: { name: 'a', labels: { [`a${text}`]: text } } }),
      post(`${core}/pods`, {
        metadata: { name: 'a' },
        spec: { restartPolicy: text, dnsPolicy: text, containers: [{ name: text, image: 'i' }] },
      }),
    ]),
  },
  {
    name: 'ports and addresses that a Service can not have',
    steps: [
      ...[3000, 29_999, 32_768, 65_535, -1].map(nodePort =>
        post(`${core}/services`, { metadata: named('a'), spec: { type: 'NodePort', ports: [{ port: 80, nodePort }] } }),
      ),
      ...['10.0.0.0', '10.0.255.255', '10.1.0.0', '10.0.0.010', 'fd00::1', 'x'].map(clusterIP =>
        post(`${core}/services`, { metadata: named('a'), spec: { clusterIP, ports: [{ port: 80 }] } }),
      ),
    ],
  },
  {
    name: 'the count of the templates of a new DaemonSet',
    steps: ['5', '0', '-3'].map((count, i) => {
      const annotations = { 'deprecated.daemonset.template.generation': count }
      return post('/apis/apps/v1/namespaces/{ns}/daemonsets', {
        ...{ ...statefulSet(`d${i}`, { serviceName: undefined }), metadata: { name: `d${i}`, annotations } },
      })
    }),
  },
  {
    name: 'schedules of every duration, and with steps',
    steps: ['@every .5s', '@every 0', '@every 5μs', '@every 5', '@every 1d', '60/5 * * * *', '5/15 * * * *'].map(
      (schedule, i) =>
        post('/apis/batch/v1/namespaces/{ns}/cronjobs', {
          ...{
            metadata: named(`c${i}`),
            spec: { schedule, jobTemplate: { spec: (job('a') as { spec: object }).spec } },
          },
        }),
    ),
  },
  {
    name: 'zeros and missing times in a status',
    steps: [
      post('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', { metadata: named('a'), spec: { minAvailable: 0 } }),
      merge('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets/a/status', {
        status: {
          observedGeneration: 0,
          conditions: [
            {
              ...{ type: 'X', status: 'True', reason: 'R', message: '', lastTransitionTime: when },
              observedGeneration: 0,
            },
          ],
        },
      }),
      post(`${core}/pods`, { metadata: named('a'), spec: { containers } }),
      merge(`${core}/pods/a/status`, {
        status: {
          observedGeneration: 0,
          conditions: [{ type: 'X', status: 'True', observedGeneration: 0 }],
          containerStatuses: [
            {
              ...{ name: 'c', image: '', imageID: '', ready: false, restartCount: 0 },
              ...{ state: { terminated: { exitCode: 0, signal: 0 } }, lastState: { running: {} } },
            },
          ],
        },
      }),
      post(sets, statefulSet('a', {})),
      merge(`${sets}/a/status`, { status: { replicas: 0, conditions: [{ type: 'X', status: 'True' }] } }),
    ],
  },
  {
    name: 'zeros in the sources of volumes',
    steps: (
      [
        ['awsElasticBlockStore', { volumeID: 'x', partition: 0 }],
        ['cephfs', { monitors: ['a'] }],
        ['cinder', { volumeID: 'a' }],
        ['fc', { targetWWNs: ['a'], lun: 0 }],
        ['flexVolume', { driver: 'a' }],
        ['gcePersistentDisk', { pdName: 'x', partition: 0 }],
        ['glusterfs', { endpoints: 'a', path: 'b' }],
        ['portworxVolume', { volumeID: 'a' }],
        ['quobyte', { registry: 'a:1', volume: 'b' }],
        ['storageos', { volumeName: 'a', volumeNamespace: 'b' }],
      ] as const
    ).map(([name, source]) =>
      post('/api/v1/persistentvolumes', {
        metadata: named(`{ns}-${name.toLowerCase()}`),
        spec: {
          ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
          [name]: { ...source, readOnly: false },
        },
      }),
    ),
    // A real server warns of deprecated sources, and a controller removes the finalizer.
    except: ['*.headers.warning', '*.body.metadata.finalizers'],
  },
  {
    name: 'what is null in the schema of a definition',
    steps: [
      post(
        crds,
        gameDefinition([
          version('v1', {
            schema: {
              openAPIV3Schema: {
                type: 'object',
                description: null,
                properties: {
                  a: { type: 'string', default: null, nullable: true },
                  b: { type: 'array', maxItems: null, items: { type: 'string', default: null } },
                  c: { type: 'string', nullable: true, enum: [null, 'x'] },
                },
              },
            },
          }),
        ]),
      ),
    ],
    except: ['*.body.status'],
  },
]
