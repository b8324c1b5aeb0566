import { get, merge, post, quietly, type Scenario } from '../scenario.ts'

const within = (group: string, plural: string): string =>
  `${group === '' ? '/api/v1' : `/apis/${group}`}/namespaces/{ns}/${plural}`

/** Objects that differ in what they are selected by: the first has as little as it can. */
const kinds: readonly {
  readonly path: string
  readonly objects: readonly object[]
  readonly statuses?: readonly object[]
  readonly by: readonly string[]
}[] = [
  {
    path: within('', 'pods'),
    objects: [{}, { hostNetwork: true, nodeName: 'n', serviceAccountName: 'robot', restartPolicy: 'Never' }].map(
      (more, i) => ({
        metadata: { name: `{ns}-${i}` },
        spec: { ...more, containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false },
      }),
    ),
    statuses: [{}, { phase: 'Running', podIP: '10.1.0.1', podIPs: [{ ip: '10.1.0.1' }] }],
    by: [
      ...[
        'spec.hostNetwork=false',
        'spec.hostNetwork=true',
        'spec.hostNetwork!=true',
        'spec.nodeName=',
        'spec.nodeName=n',
      ],
      ...['spec.restartPolicy=Always', 'spec.schedulerName=default-scheduler', 'spec.serviceAccountName=robot'],
      ...['status.phase=Running', 'status.podIP=10.1.0.1', 'status.podIPs=10.1.0.1', 'status.nominatedNodeName='],
    ],
  },
  {
    path: within('batch/v1', 'jobs'),
    objects: [0, 1].map(i => ({
      metadata: { name: `{ns}-${i}` },
      spec: {
        suspend: i === 0,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
      },
    })),
    statuses: [{}, { succeeded: 1 }],
    by: ['status.successful=0', 'status.successful=1', 'status.successful=', 'status.succeeded=1'],
  },
  {
    path: within('', 'events'),
    objects: [
      {},
      { source: { component: 'a' }, reason: 'R', type: 'Normal' },
      { reportingComponent: 'a/b', reportingInstance: 'i' },
      { source: { component: 'a' }, reportingComponent: 'a/b' },
    ].map((more, i) => ({
      ...{ metadata: { name: `{ns}-${i}` }, involvedObject: { kind: 'Pod', namespace: '{ns}', name: 'p' } },
      ...more,
    })),
    by: [
      ...['source=a', 'source=', 'source=a/b', 'reportingComponent=a/b', 'reportingComponent=', 'reportingComponent=a'],
      ...['reason=R', 'type=Normal', 'involvedObject.name=p', 'involvedObject.uid='],
    ],
  },
  {
    path: within('', 'replicationcontrollers'),
    objects: [0].map(i => ({
      metadata: { name: `{ns}-${i}` },
      spec: {
        replicas: 0,
        selector: { a: 'b' },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    })),
    by: ['status.replicas=0', 'status.replicas='],
  },
  {
    path: within('apps/v1', 'replicasets'),
    objects: [0].map(i => ({
      metadata: { name: `{ns}-${i}` },
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    })),
    by: ['status.replicas=0', 'status.replicas='],
  },
  {
    path: within('', 'secrets'),
    objects: [{}, { type: 'a/b' }].map((more, i) => ({ metadata: { name: `{ns}-${i}` }, ...more })),
    by: ['type=Opaque', 'type=a/b', 'type=', 'type!=Opaque'],
  },
  {
    path: within('', 'services'),
    objects: [{}, { clusterIP: 'None' }].map((more, i) => ({
      metadata: { name: `x{ns}-${i}` },
      spec: { ...more, ports: [{ port: 1 }] },
    })),
    by: ['spec.clusterIP=None', 'spec.type=ClusterIP', 'spec.type='],
  },
  {
    path: '/api/v1/nodes',
    objects: [{}, { unschedulable: true }].map((spec, i) => ({
      metadata: { name: `{ns}-${i}`, labels: { of: '{ns}' } },
      spec,
    })),
    by: ['spec.unschedulable=false', 'spec.unschedulable=true', 'spec.unschedulable='],
  },
]

/** Lists by every field that kinds are selected by, of objects with and without a value. */
export const fieldSelectorScenarios: readonly Scenario[] = kinds.map(({ path, objects, statuses = [], by }) => ({
  name: `field selectors of ${path}`,
  steps: [
    ...objects.map(object => quietly(post(path, object))),
    ...statuses.flatMap((status, i) =>
      Object.keys(status).length === 0 ? [] : [quietly(merge(`${path}/{ns}-${i}/status`, { status }))],
    ),
    ...by.map(one =>
      get(
        `${path}?labelSelector=${path === '/api/v1/nodes' ? 'of%3D{ns}' : ''}&fieldSelector=${encodeURIComponent(one)}`,
        {
          headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
        },
      ),
    ),
  ],
  except: ['*.body.items.*.metadata.managedFields', '*.body.items.*.metadata.annotations'],
}))
