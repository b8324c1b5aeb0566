import { apply, del, get, jsonPatch, merge, post, put, quietly, type Scenario, strategic } from '../scenario.ts'
import { cms, configMap, defined, game, games } from './shapes.ts'

const apps = '/apis/apps/v1/namespaces/{ns}'
const jobs = '/apis/batch/v1/namespaces/{ns}/jobs'
const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings'
const pods = '/api/v1/namespaces/{ns}/pods'
const claims = '/api/v1/namespaces/{ns}/persistentvolumeclaims'
const services = '/api/v1/namespaces/{ns}/services'

const podSpec = { containers: [{ name: 'c', image: 'i' }] }
const pod = (name: string, spec: Record<string, unknown> = {}): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { ...podSpec, ...spec },
})
const bind = (name: string, more: Record<string, unknown> = {}): unknown => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name },
  target: { kind: 'Node', name: 'n' },
  ...more,
})
const workload = (app = 'a', more: Record<string, unknown> = {}): Record<string, unknown> => ({
  metadata: { name: 'a' },
  spec: {
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app } }, spec: podSpec },
    ...more,
  },
})
const exists = (key: string): object => ({ key, operator: 'Exists' })
const required = (...nodeSelectorTerms: object[]): object => ({
  requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
})
const preferred = {
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [exists('p')] } }],
}
const claim = (spec: Record<string, unknown> = {}): unknown => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'a' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
})
const service = (spec: Record<string, unknown> = {}): unknown => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a' },
  spec: { ports: [{ port: 80 }], selector: { a: 'b' }, ...spec },
})
const job = (spec: Record<string, unknown> = {}): unknown => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'a' },
  spec: { template: { spec: { restartPolicy: 'Never', ...podSpec } }, ...spec },
})

const applyScale = (manager: string, body: object, query = ''): ReturnType<typeof apply> =>
  apply(manager, `${apps}/deployments/a/scale${query}`, {
    ...{ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' } },
    ...body,
  })

/** Updates of built-ins that a real server refuses, and those that it takes. */
export const updateScenarios: readonly Scenario[] = [
  {
    name: 'what of a Pod can be changed',
    steps: [
      quietly(post(pods, pod('a', { tolerations: [{ key: 'k', operator: 'Exists' }], activeDeadlineSeconds: 100 }))),
      merge(`${pods}/a`, { spec: { containers: [{ name: 'c', image: 'j' }] } }),
      strategic(`${pods}/a`, { spec: { containers: [{ name: 'c', image: 'k' }] } }),
      strategic(`${pods}/a`, { spec: { containers: [{ name: 'c', env: [{ name: 'E', value: 'x' }] }] } }),
      strategic(`${pods}/a`, { spec: { containers: [{ name: 'd', image: 'i' }] } }),
      jsonPatch(`${pods}/a`, [{ op: 'add', path: '/spec/containers/-', value: { name: 'd', image: 'i' } }]),
      merge(`${pods}/a`, { spec: { nodeName: 'n' } }),
      merge(`${pods}/a`, { spec: { restartPolicy: 'Never', hostNetwork: true } }),
      merge(`${pods}/a`, { spec: { activeDeadlineSeconds: 50 } }),
      merge(`${pods}/a`, { spec: { activeDeadlineSeconds: 60 } }),
      merge(`${pods}/a`, { spec: { activeDeadlineSeconds: null } }),
      merge(`${pods}/a`, { spec: { activeDeadlineSeconds: -1 } }),
      ...['', ' i', '\u00a0'].flatMap(image => [
        jsonPatch(`${pods}/a`, [{ op: 'replace', path: '/spec/containers/0/image', value: image }]),
        post(pods, pod('b', { containers: [{ name: 'c', image }] })),
      ]),
      merge(`${pods}/a`, { spec: { terminationGracePeriodSeconds: 5 } }),
      jsonPatch(`${pods}/a`, [{ op: 'add', path: '/spec/tolerations/-', value: { key: 'l', operator: 'Exists' } }]),
      merge(`${pods}/a`, { spec: { tolerations: [] } }),
      merge(`${pods}/a`, { spec: { schedulingGates: [{ name: 'g' }] } }),
      merge(`${pods}/a`, { metadata: { labels: { l: 'x' } } }),
      merge(`${pods}/a`, { metadata: { labels: { l: 'not a label' } }, spec: { nodeName: 'n' } }),
      put(`${pods}/a`, pod('a')),
      get(`${pods}/a`),
    ],
  },
  {
    name: 'a gated Pod',
    steps: [
      quietly(post(pods, pod('a', { schedulingGates: [{ name: 'g' }, { name: 'h' }] }))),
      get(`${pods}/a`),
      post(`${pods}/a/binding`, bind('a')),
      merge(`${pods}/a`, { spec: { schedulingGates: [{ name: 'h' }] } }),
      merge(`${pods}/a`, { spec: { schedulingGates: [{ name: 'h' }, { name: 'g' }] } }),
      merge(`${pods}/a`, { spec: { nodeSelector: { a: 'b' } } }),
      merge(`${pods}/a`, { spec: { nodeSelector: { a: 'c' } } }),
      merge(`${pods}/a`, { spec: { schedulingGates: null } }),
      get(`${pods}/a`),
    ],
  },
  {
    name: 'the nodes of a gated Pod can only become fewer',
    steps: [
      quietly(post(pods, pod('a', { schedulingGates: [{ name: 'g' }] }))),
      ...[
        [required({ matchExpressions: [exists('x')] })],
        [required({ matchExpressions: [exists('x'), exists('y')] })],
        [required({ matchExpressions: [exists('y'), exists('x')] })],
        [required({ matchExpressions: [exists('x')] })],
        [required({ matchExpressions: [exists('x'), exists('y')] }, { matchExpressions: [exists('z')] })],
        [required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] })],
        [preferred],
        [],
        [preferred, required({ matchExpressions: [exists('x'), exists('y'), exists('z')] })],
      ].map(parts =>
        jsonPatch(`${pods}/a`, [
          { op: 'add', path: '/spec/affinity', value: { nodeAffinity: Object.assign({}, ...parts) } },
        ]),
      ),
      jsonPatch(`${pods}/a`, [{ op: 'remove', path: '/spec/affinity' }]),
      get(`${pods}/a`),
    ],
  },
  {
    name: 'a Pod is bound to a node',
    steps: [
      quietly(post(pods, pod('a'), { save: { uid: 'metadata.uid' } })),
      post(`${pods}/a/binding`, bind('b')),
      post(`${pods}/a/binding`, bind('a', { target: { kind: 'Other', name: 'n' } })),
      post(`${pods}/a/binding`, bind('a', { target: { name: '' } })),
      post(`${pods}/a/binding`, bind('a', { metadata: { name: 'a', uid: 'other' } })),
      post(`${pods}/a/binding`, bind('a', { metadata: { name: 'a', resourceVersion: '1' } })),
      post(`${pods}/a/binding?dryRun=All`, bind('a')),
      get(`${pods}/a`),
      post(`${pods}/a/binding`, {
        ...(bind('a') as object),
        metadata: { name: 'a', uid: '{uid}', labels: { l: 'x' }, annotations: { a: 'x' } },
      }),
      get(`${pods}/a`),
      post(`${pods}/a/binding`, bind('a')),
      post(`${pods}/none/binding`, bind('none')),
      get(`${pods}/a/binding`),
      get(`${pods}?fieldSelector=spec.nodeName=n`),
      put(`${pods}/a`, pod('a')),
      merge(`${pods}/a`, { spec: { nodeName: null } }),
      apply('me', `${pods}/a?force=true`, pod('a')),
      apply('me', `${pods}/a?force=true`, pod('a', { nodeName: 'm' })),
      quietly(post(pods, pod('b'))),
      post('/api/v1/namespaces/{ns}/bindings', bind('b', { metadata: { name: 'b' }, target: { name: 'm' } })),
      get(`${pods}/b`),
    ],
  },
  {
    name: "what of a claim's spec can be changed",
    steps: [
      quietly(
        post('/apis/storage.k8s.io/v1/storageclasses', {
          metadata: { name: '{ns}-fast' },
          provisioner: 'none.example.com',
          allowVolumeExpansion: true,
        }),
      ),
      quietly(post(claims, claim())),
      merge(`${claims}/a`, {}),
      merge(`${claims}/a`, {}),
      merge(`${claims}/a`, { spec: { resources: { requests: { storage: '2Gi' } } } }),
      merge(`${claims}/a`, { spec: { storageClassName: '{ns}-fast' } }),
      merge(`${claims}/a`, { spec: { storageClassName: 'slow' } }),
      merge(`${claims}/a`, { spec: { volumeName: 'v' } }),
      put(`${claims}/a`, claim()),
      merge(`${claims}/a`, { spec: { volumeMode: 'Block' } }),
      quietly(merge(`${claims}/a/status`, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } })),
      merge(`${claims}/a`, { spec: { resources: { requests: { storage: '2048Mi' } } } }),
      merge(`${claims}/a`, { spec: { resources: { requests: { storage: '1Gi' } } } }),
      merge(`${claims}/a`, { spec: { accessModes: ['ReadWriteMany'] } }),
      apply('me', `${claims}/a?force=true`, claim()),
      apply('me', `${claims}/a?force=true`, claim({ resources: { requests: { storage: '2Gi' } } })),
      get(`${claims}/a`),
    ],
  },
  {
    name: 'what of a Job can be changed',
    steps: [
      quietly(post(jobs, job())),
      merge(`${jobs}/a`, {}),
      merge(`${jobs}/a`, {}),
      merge(`${jobs}/a`, { spec: { template: { spec: { containers: [{ name: 'c', image: 'j' }] } } } }),
      merge(`${jobs}/a`, { spec: { selector: { matchLabels: { a: 'b' } } } }),
      merge(`${jobs}/a`, { spec: { completions: 3 } }),
      merge(`${jobs}/a`, { spec: { completionMode: 'Indexed' } }),
      merge(`${jobs}/a`, { spec: { parallelism: 3, backoffLimit: 2, activeDeadlineSeconds: 5, suspend: true } }),
      put(`${jobs}/a`, job()),
      apply('me', `${jobs}/a?force=true`, job()),
      apply('me', `${jobs}/a?force=true`, job({ template: { spec: { restartPolicy: 'OnFailure', ...podSpec } } })),
      get(`${jobs}/a`),
    ],
  },
  {
    name: 'what of a Service can be changed',
    // No server gives one of the first sixteen addresses by itself.
    steps: [
      quietly(post(services, service(), { save: { ip: 'spec.clusterIP' } })),
      merge(`${services}/a`, { spec: { clusterIP: '10.0.0.7' } }),
      merge(`${services}/a`, { spec: { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7'] } }),
      merge(`${services}/a`, { spec: { clusterIP: null, clusterIPs: null } }),
      merge(`${services}/a`, { spec: { clusterIP: 'None' } }),
      merge(`${services}/a`, { spec: { clusterIP: '' } }),
      put(`${services}/a`, service()),
      put(`${services}/a`, service({ clusterIP: '10.0.0.7' })),
      apply('me', `${services}/a?force=true`, service()),
      apply('me', `${services}/a?force=true`, service({ ports: [{ port: 81 }] })),
      apply('me', `${services}/a?force=true`, service({ clusterIP: '10.0.0.7' })),
      get(`${services}/a`),
      post(services, { metadata: { name: 'b' }, spec: { ports: [{ port: 80 }], clusterIP: '{ip}' } }),
      post(services, { metadata: { name: 'b' }, spec: { ports: [{ port: 80 }], clusterIP: '192.168.0.1' } }),
      post(services, { metadata: { name: 'b' }, spec: { ports: [{ port: 80 }], clusterIP: 'nonsense' } }),
    ],
  },
  {
    name: 'ports that a Service may have',
    steps: [
      ...['80', 'http', 'Http', '-a', 'a--b', '', 'a-name-that-is-too-long'].map((targetPort, i) =>
        post(services, { metadata: { name: `a${i}` }, spec: { ports: [{ port: 80, targetPort }] } }),
      ),
      ...[0, 70_000, -1].flatMap((port, i) => [
        post(services, { metadata: { name: `b${i}` }, spec: { ports: [{ port }] } }),
        post(services, { metadata: { name: `c${i}` }, spec: { ports: [{ port: 80, targetPort: port }] } }),
      ]),
    ],
  },
  {
    name: 'a load balancer’s address needs a Service that has one',
    steps: [
      quietly(post(services, service())),
      ...[
        { type: 'ClusterIP' },
        { type: 'LoadBalancer' },
        { type: 'ClusterIP' },
        { type: 'LoadBalancer' },
        { type: 'NodePort' },
      ].flatMap(spec => [
        merge(`${services}/a`, { spec }),
        merge(`${services}/a/status`, { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } }),
        merge(`${services}/a/status`, { status: { loadBalancer: { ingress: [] } } }),
        merge(`${services}/a/status`, { status: { loadBalancer: { ingress: [{ hostname: 'x.example.com' }] } } }),
      ]),
    ],
  },
  {
    name: 'selectors of workloads can not be changed',
    steps: ['deployments', 'replicasets', 'daemonsets', 'statefulsets'].flatMap(plural => [
      quietly(post(`${apps}/${plural}`, workload())),
      put(`${apps}/${plural}/a`, workload('b')),
      merge(`${apps}/${plural}/a`, { spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } } }),
    ]),
  },
  {
    name: 'what of a StatefulSet can be changed',
    steps: [
      quietly(post(`${apps}/statefulsets`, workload('a', { volumeClaimTemplates: [claim()] }))),
      merge(`${apps}/statefulsets/a`, { spec: { serviceName: 'x' } }),
      merge(`${apps}/statefulsets/a`, { spec: { podManagementPolicy: 'Parallel' } }),
      merge(`${apps}/statefulsets/a`, { spec: { volumeClaimTemplates: null } }),
      merge(`${apps}/statefulsets/a`, { spec: { replicas: 3, minReadySeconds: 5, revisionHistoryLimit: 1 } }),
      put(`${apps}/statefulsets/a`, workload('a', { serviceName: 'y' })),
    ],
  },
  {
    name: 'the role of a binding can not be changed',
    steps: [
      quietly(post(bindings, { metadata: { name: 'a' }, roleRef: { kind: 'Role', name: 'r' } })),
      put(`${bindings}/a`, { metadata: { name: 'a' }, roleRef: { kind: 'Role', name: 's' } }),
      put(`${bindings}/a`, { metadata: { name: 'a' }, roleRef: { kind: 'Role', name: 'r' }, subjects: [] }),
    ],
  },
  {
    name: 'an apply that names a version or a uid',
    steps: [
      ...['0', '1', '999999999'].map((resourceVersion, i) =>
        apply('me', `${cms}/new${i}`, configMap(`new${i}`, { resourceVersion })),
      ),
      quietly(post(cms, configMap('a'), { save: { uid: 'metadata.uid', rv: 'metadata.resourceVersion' } })),
      ...['0', '1', '999999999', '{rv}'].map(resourceVersion =>
        apply('me', `${cms}/a`, configMap('a', { resourceVersion })),
      ),
      merge(`${cms}/a`, { metadata: { resourceVersion: '0' }, data: { b: '1' } }),
      put(`${cms}/a`, configMap('a', { resourceVersion: '0' })),
      apply('me', `${cms}/a`, configMap('a', { uid: '{uid}' })),
      apply('me', `${cms}/a`, configMap('a', { uid: 'other' })),
      apply('me', `${cms}/b`, configMap('b', { uid: 'other' })),
      apply('me', `${cms}/b`, configMap('b', { uid: 'other', resourceVersion: '1' })),
      apply('me', `${pods}/p`, { ...pod('p'), metadata: { name: 'p', resourceVersion: '1' } }),
      apply('me', `${pods}/p`, { ...pod('p'), metadata: { name: 'p', resourceVersion: '1' } }),
    ],
  },
  {
    name: 'the managers of the fields of a Pod that several write',
    steps: [
      apply('me', `${pods}/a`, pod('a', { terminationGracePeriodSeconds: 5 })),
      post(`${pods}/a/binding`, bind('a', { metadata: { name: 'a', labels: { l: 'x' } } })),
      merge(
        `${pods}/a/status`,
        { status: { phase: 'Running', podIP: '10.1.0.1', conditions: [{ type: 'Ready', status: 'True' }] } },
        { headers: { 'user-agent': 'kubelet/v1.37' } },
      ),
      merge(
        `${pods}/a`,
        { metadata: { labels: { l: 'y' } }, spec: { containers: [{ name: 'c', image: 'j' }] } },
        { headers: { 'user-agent': 'other/v1' } },
      ),
      apply('me', `${pods}/a`, pod('a', { terminationGracePeriodSeconds: 5 })),
      apply('me', `${pods}/a?force=true`, pod('a', { terminationGracePeriodSeconds: 5 })),
      apply('you', `${pods}/a`, pod('a', { terminationGracePeriodSeconds: 5 })),
      apply('me', `${pods}/a`, { ...pod('a'), spec: undefined }),
      apply('you', `${pods}/a/status`, { ...pod('a'), spec: undefined, status: { message: 'm' } }),
      apply('you', `${pods}/a/status?force=true`, { ...pod('a'), spec: undefined, status: { phase: 'Failed' } }),
      get(`${pods}/a`),
    ],
  },
  {
    name: 'containers, ports and volumes that several apply to a Deployment',
    steps: [
      apply('me', `${apps}/deployments/a`, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        ...workload('a', {
          template: {
            metadata: { labels: { app: 'a' } },
            spec: {
              containers: [
                {
                  name: 'c',
                  image: 'i',
                  ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }],
                  env: [{ name: 'B' }, { name: 'A', value: '' }],
                  resources: { limits: { cpu: '1000m' } },
                },
              ],
              volumes: [{ name: 'v', emptyDir: {} }],
            },
          },
        }),
      }),
      apply('you', `${apps}/deployments/a`, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a' },
        spec: {
          template: {
            spec: {
              containers: [
                {
                  name: 'c',
                  ports: [{ containerPort: 80, protocol: 'TCP', name: 'web' }],
                  env: [{ name: 'A', value: 'x' }],
                  resources: { limits: { cpu: '1', memory: '1Gi' } },
                },
              ],
            },
          },
        },
      }),
      apply('you', `${apps}/deployments/a`, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a' },
        spec: {
          template: {
            spec: {
              containers: [
                {
                  name: 'c',
                  ports: [{ containerPort: 80, protocol: 'TCP', name: 'web' }],
                  resources: { limits: { cpu: '1000m', memory: '1024Mi' } },
                },
              ],
            },
          },
        },
      }),
      put(`${apps}/deployments/a?fieldManager=three`, workload()),
      apply('me', `${apps}/deployments/a`, { apiVersion: 'apps/v1', kind: 'Deployment', ...workload() }),
      get(`${apps}/deployments/a`),
    ],
  },
  {
    name: 'versions that a write to a custom resource names',
    steps: [
      ...defined(),
      ...['0', '1'].map(resourceVersion => apply('me', `${games}/a`, game('a', { a: 1 }, { resourceVersion }))),
      apply('me', `${games}/a`, game('a', { a: 1 }, { resourceVersion: '0' })),
      apply('me', `${games}/b`, game('b', { a: 1 }, { resourceVersion: '1' })),
      merge(`${games}/a`, { metadata: { resourceVersion: '0' }, spec: { a: 2 } }),
      put(`${games}/a`, game('a', { a: 2 }, { resourceVersion: '0' })),
    ],
  },
  {
    name: 'the manager that updates the scale owns the replicas',
    steps: [
      apply('me', `${apps}/deployments/a`, { apiVersion: 'apps/v1', kind: 'Deployment', ...workload() }),
      merge(`${apps}/deployments/a/scale?fieldManager=scaler`, { spec: { replicas: 5 } }),
      get(`${apps}/deployments/a`),
      apply('me', `${apps}/deployments/a`, { apiVersion: 'apps/v1', kind: 'Deployment', ...workload() }),
      get(`${apps}/deployments/a`),
      apply('me', `${apps}/deployments/a`, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        ...workload('a', { replicas: 3 }),
      }),
      apply('me', `${apps}/deployments/a?force=true`, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        ...workload('a', { replicas: 3 }),
      }),
      put(`${apps}/deployments/a/scale?fieldManager=scaler`, {
        metadata: { name: 'a' },
        spec: { replicas: 6 },
      }),
      get(`${apps}/deployments/a`),
      apply('me', `${apps}/deployments/a?force=true`, { apiVersion: 'apps/v1', kind: 'Deployment', ...workload() }),
      get(`${apps}/deployments/a`),
      merge(`${apps}/deployments/a/status?fieldManager=controller`, { status: { replicas: 1, observedGeneration: 1 } }),
      merge(`${apps}/deployments/a/scale?fieldManager=scaler`, { spec: { replicas: 0 } }),
      get(`${apps}/deployments/a`),
    ],
  },
  {
    name: 'the manager that applies the scale owns the replicas',
    steps: [
      post(`${apps}/deployments?fieldManager=me`, workload('a', { replicas: 2 })),
      applyScale('scaler', { spec: { replicas: 2 } }),
      applyScale('scaler', { spec: { replicas: 5 } }),
      applyScale('scaler', { spec: { replicas: 5 } }, '?force=true'),
      get(`${apps}/deployments/a`),
      applyScale('scaler', { spec: { replicas: 5 } }),
      applyScale('scaler', { spec: { replicas: 6 } }),
      applyScale('other', { spec: { replicas: 7 } }),
      applyScale('other', { spec: { replicas: 7 } }, '?force=true&dryRun=All'),
      get(`${apps}/deployments/a`),
      merge(`${apps}/deployments/a/scale?fieldManager=me`, { spec: { replicas: 8 } }),
      get(`${apps}/deployments/a`),
      merge(`${apps}/deployments/a/scale?fieldManager=me`, { spec: { replicas: 8 } }),
      get(`${apps}/deployments/a`),
      applyScale('scaler', {}),
      get(`${apps}/deployments/a`),
      applyScale('scaler', { spec: { replicas: 0 } }, '?force=true'),
      get(`${apps}/deployments/a`),
      get(`${apps}/deployments/a/scale`),
    ],
  },
  {
    name: 'the selector of a scale',
    steps: [
      post(
        `${apps}/deployments?fieldManager=me`,
        workload('a', {
          selector: {
            matchLabels: { app: 'a', zone: 'z' },
            matchExpressions: [
              { key: 'tier', operator: 'In', values: ['web', 'api'] },
              { key: 'app', operator: 'Exists' },
              { key: 'stage', operator: 'NotIn', values: ['test', 'dev'] },
              { key: 'old', operator: 'DoesNotExist' },
            ],
          },
          template: {
            metadata: { labels: { app: 'a', zone: 'z', tier: 'web' } },
            spec: { containers: [{ name: 'a', image: 'a' }] },
          },
        }),
      ),
      get(`${apps}/deployments/a/scale`),
    ],
  },
  {
    name: 'scales that can not be applied',
    steps: [
      post(`${apps}/deployments?fieldManager=me`, workload('a', { replicas: 2 })),
      applyScale('scaler', { spec: { replicas: -1 } }, '?force=true'),
      applyScale('scaler', { spec: { replicas: 'x' } }, '?force=true'),
      applyScale('scaler', { spec: { size: 3 } }, '?force=true'),
      applyScale('scaler', { metadata: { name: 'b' }, spec: { replicas: 3 } }, '?force=true'),
      applyScale('scaler', { metadata: { name: 'a', resourceVersion: '1' }, spec: { replicas: 3 } }, '?force=true'),
      applyScale('scaler', { metadata: { name: 'a', managedFields: [] }, spec: { replicas: 3 } }),
      applyScale('scaler', { apiVersion: 'apps/v1', kind: 'Deployment' }),
      apply('scaler', `${apps}/deployments/none/scale`, { apiVersion: 'autoscaling/v1', kind: 'Scale' }),
      get(`${apps}/deployments/a`),
    ],
  },
  ...(
    [
      [
        '/apis/storage.k8s.io/v1/storageclasses',
        { provisioner: 'a/b' },
        [
          { provisioner: 'c/d' },
          { parameters: { a: 'b' } },
          { reclaimPolicy: 'Retain' },
          { volumeBindingMode: 'WaitForFirstConsumer' },
          { allowVolumeExpansion: true },
        ],
      ],
      ['/apis/scheduling.k8s.io/v1/priorityclasses', { value: 5 }, [{ value: 6 }, { preemptionPolicy: 'Never' }]],
      [
        '/apis/networking.k8s.io/v1/ingressclasses',
        { spec: { controller: 'a.b/c' } },
        [{ spec: { controller: 'd.e/f' } }],
      ],
    ] as const
  ).map(([path, valid, changes]) => ({
    name: `fields of ${path} that stay as they are`,
    steps: [
      quietly(post(path, { metadata: { name: '{ns}' }, ...valid })),
      ...changes.map(change => merge(`${path}/{ns}`, change)),
      del(`${path}/{ns}`),
    ],
    except: ['*.body.metadata.managedFields'],
  })),
]
