import { apply, get, jsonPatch, merge, post, put, quietly, request, type Scenario, strategic } from '../scenario.ts'

const apps = '/apis/apps/v1/namespaces/{ns}'
const core = '/api/v1/namespaces/{ns}'
const pods = `${core}/pods`
const deployments = `${apps}/deployments`
const configMaps = `${core}/configmaps`
const strict = 'fieldValidation=Strict'
const ignore = 'fieldValidation=Ignore'

const podWith = (container: object, spec: object = {}): object => ({
  metadata: { name: 'a' },
  spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec },
})
const deployment = (spec: object = {}, container: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'i', ...container }] },
    },
    ...spec,
  },
})
const yaml = { headers: { 'content-type': 'application/yaml' } }
const twice = '{"metadata":{"name":"b"},"data":{"a":"1","a":"2"},"zz":1}'

const wrong: readonly object[] = [
  { replicas: '1' },
  { replicas: 1.5 },
  { replicas: true },
  { replicas: {} },
  { paused: 'x' },
  { paused: 1 },
  { selector: 3 },
  { selector: 'x' },
  { selector: { matchLabels: { a: 3 } } },
  { selector: { matchLabels: { app: 'a' }, matchExpressions: [{ key: 3, operator: 'Exists' }] } },
  { strategy: { type: 1 } },
  { strategy: { rollingUpdate: { maxSurge: true } } },
  { strategy: { rollingUpdate: { maxSurge: {} } } },
  { template: 'x' },
  { template: { metadata: { labels: [] } } },
  { template: { metadata: { creationTimestamp: 3 } } },
  { template: { metadata: { creationTimestamp: 'x' } } },
  { template: { spec: { containers: 'x' } } },
  { template: { spec: { restartPolicy: 3 } } },
  { template: { spec: { restartPolicy: {} } } },
  { template: { spec: { nodeSelector: 'x' } } },
  { template: { spec: { terminationGracePeriodSeconds: 'x' } } },
]
const wrongInPods: readonly object[] = [
  { containers: 'no' },
  { containers: {} },
  { containers: ['x'] },
  { priority: 2 ** 31 },
  { activeDeadlineSeconds: 1.5 },
  { tolerations: [{ tolerationSeconds: '1' }] },
  { tolerations: [{ key: 1 }] },
  { volumes: [{ name: 'v', emptyDir: { sizeLimit: 'x' } }] },
  { volumes: [{ name: 'v', configMap: { name: 3 } }] },
  { volumes: [{ name: 'v', configMap: 3 }] },
  { volumes: [{ name: 'v', projected: { sources: [{ secret: { items: [{ mode: 'x' }] } }] } }] },
  { securityContext: { sysctls: [{ name: 3 }] } },
  { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } } },
  { overhead: { cpu: [] } },
  { overhead: 'x' },
  { initContainers: [{ name: 'i', command: [1] }] },
  { ephemeralContainers: [{ name: 3 }] },
  // Errors of types that decode their JSON themselves are reported first.
  { priority: 'x', overhead: { cpu: 'y' } },
  { priority: 'x', nodeName: 3 },
]
const wrongInContainers: readonly object[] = [
  { ports: [{ containerPort: 80, protocol: 3 }] },
  { ports: [{ containerPort: 'x' }] },
  { resources: { limits: 3 } },
  { resources: { limits: { cpu: 'x y' } } },
  { resources: { limits: { cpu: true } } },
  { resources: { limits: { cpu: {} } } },
  { livenessProbe: { httpGet: { port: true } } },
  { livenessProbe: { httpGet: { port: 1.5 } } },
  { livenessProbe: { exec: 3 } },
  { livenessProbe: { exec: { command: 'x' } } },
  { command: 'x' },
  { env: [{ name: 'E', value: 3 }] },
  { envFrom: [{ configMapRef: { name: 3 } }] },
  { imagePullPolicy: 3 },
]
const called = (rest: object): object => ({ metadata: { name: 'x' }, ...rest })
const wrongElsewhere: readonly [string, unknown][] = [
  [pods, { metadata: 3 }],
  [pods, { metadata: { name: 'a' }, spec: 'x' }],
  [pods, { metadata: { name: 'a', generation: 'x' } }],
  [pods, { metadata: { name: 'a', finalizers: [3] } }],
  [pods, { metadata: { name: 'a', ownerReferences: [{ controller: 'x' }] } }],
  [pods, { metadata: { name: 'a', creationTimestamp: '2020' } }],
  [pods, { metadata: { name: 'a', creationTimestamp: '2020-13-01T00:00:00Z' } }],
  [pods, { metadata: { name: 'a', managedFields: [{ fieldsV1: 3, time: 3 }] } }],
  [configMaps, called({ immutable: 'x' })],
  [configMaps, called({ data: 'x', immutable: 'x' })],
  [configMaps, called({ data: { a: 3 } })],
  [configMaps, called({ binaryData: { a: 'x' } })],
  [configMaps, called({ binaryData: { a: 3 } })],
  [`${core}/secrets`, called({ data: { a: 3 } })],
  [`${core}/secrets`, called({ stringData: { a: 3 } })],
  [`${core}/services`, called({ spec: { ports: [{ port: 80, targetPort: [] }] } })],
  [`${core}/services`, called({ spec: { ports: [{ port: '80' }] } })],
  [`${core}/services`, called({ spec: { ports: [{ port: 80 }], type: 1 } })],
  [`${core}/services`, called({ spec: { ports: [{ port: 80 }], externalIPs: [1] } })],
  [`${core}/persistentvolumeclaims`, called({ spec: { accessModes: 'ReadWriteOnce' } })],
  [`${core}/persistentvolumeclaims`, called({ spec: { resources: { requests: { storage: '1Gx' } } } })],
  ['/api/v1/persistentvolumes', called({ spec: { hostPath: { path: 3 } } })],
  ['/apis/batch/v1/namespaces/{ns}/jobs', called({ spec: { backoffLimit: 'x' } })],
  ['/apis/batch/v1/namespaces/{ns}/cronjobs', called({ spec: { schedule: 3 } })],
  ['/apis/batch/v1/namespaces/{ns}/cronjobs', called({ spec: { startingDeadlineSeconds: 'x' } })],
  ['/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses', called({ spec: { rules: [{ http: { paths: {} } }] } })],
  ['/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies', called({ spec: { policyTypes: 'Ingress' } })],
  [
    '/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies',
    called({ spec: { ingress: [{ ports: [{ port: true }] }] } }),
  ],
  ['/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles', called({ rules: [{ verbs: 'x' }] })],
  ['/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings', called({ roleRef: 'x' })],
  ['/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', called({ spec: { minAvailable: {} } })],
  ['/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers', called({ spec: { metrics: [{ type: 3 }] } })],
  ['/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', called({ spec: { leaseDurationSeconds: '15' } })],
  ['/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', called({ spec: { renewTime: '2020-01-01T00:00:00Z' } })],
  ['/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', called({ spec: { renewTime: 3 } })],
  [`${core}/events`, called({ involvedObject: 3 })],
  [`${core}/events`, called({ series: { count: 'x' } })],
  [`${core}/events`, called({ firstTimestamp: 'yesterday' })],
  ['/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 3 } }],
  ['/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec: { user: 'u', extra: { a: 'x' } } }],
  ['/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec: { user: 'u', extra: { a: [1] } } }],
  [
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    called({ webhooks: [{ rules: [{ apiGroups: 'x' }] }] }),
  ],
  [
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    called({ webhooks: [{ clientConfig: { caBundle: '!' } }] }),
  ],
  [
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    called({ spec: { versions: [{ schema: { openAPIV3Schema: { type: 3 } } }] } }),
  ],
]

/** Fields that a built-in's type does not have, and values of other types than its fields. */
export const fieldScenarios: readonly Scenario[] = [
  {
    name: 'unknown fields of built-ins are left out, with a warning',
    steps: [
      post(deployments, deployment({ zz: 1, aa: { bb: 1 } }, { yy: 1, ports: [{ containerPort: 1, xx: 1 }] })),
      get(`${deployments}/a`),
      put(`${deployments}/a`, deployment({ zz: 1 })),
      put(`${deployments}/a/status`, { ...deployment(), status: { zz: 1, replicas: 1 } }),
      merge(`${deployments}/a`, { spec: { zz: 1 } }),
      merge(`${deployments}/a`, { spec: { zz: null }, yy: 1 }),
      strategic(`${deployments}/a`, { spec: { template: { spec: { containers: [{ name: 'c', zz: 1 }] } } } }),
      jsonPatch(`${deployments}/a`, [{ op: 'add', path: '/spec/zz', value: 1 }]),
      apply('me', `${deployments}/a`, deployment({ zz: 1 })),
      get(`${deployments}/a`),
      post(
        pods,
        podWith({ resources: { limits: { cpu: 1 }, zz: 1 } }, { volumes: [{ name: 'v', emptyDir: { zz: 1 } }] }),
      ),
      post(configMaps, { metadata: { name: 'a', zz: 1, labels: { zz: '1' } }, Data: {}, data: { zz: '1' } }),
      post(configMaps, {
        metadata: { name: 'c', ownerReferences: [{ apiVersion: 'v1', kind: 'C', name: 'n', uid: 'u', zz: 1 }] },
        zz: null,
      }),
      post(configMaps, 'zz: 1\nmetadata: {yy: 1, name: d}\naa: 1\n', yaml),
      get(`${configMaps}/d`),
    ],
  },
  {
    name: 'unknown fields of built-ins with fieldValidation=Ignore',
    steps: [
      post(`${deployments}?${ignore}`, deployment({ zz: 1 }, { yy: 1 })),
      merge(`${deployments}/a?${ignore}`, { spec: { zz: 1 } }),
      post(`${configMaps}?${ignore}`, twice),
      get(`${configMaps}/b`),
    ],
  },
  {
    name: 'unknown fields of built-ins with fieldValidation=Strict',
    steps: [
      post(`${deployments}?${strict}`, deployment({ zz: 1, aa: { bb: 1 } }, { yy: 1 })),
      post(`${deployments}?${strict}`, deployment()),
      post(`${configMaps}?${strict}`, twice),
      post(configMaps, twice),
      post(`${configMaps}?${strict}`, 'metadata: {name: d}\nzz: 1\ndata: {a: x, a: y}\n', yaml),
      put(`${deployments}/a?${strict}`, deployment({ zz: 1 })),
      put(`${deployments}/a/status?${strict}`, { ...deployment(), status: { zz: 1 } }),
      put(`${deployments}/none?${strict}`, deployment({ zz: 1 })),
      strategic(`${deployments}/a?${strict}`, { spec: { zz: 1 } }),
      strategic(`${deployments}/a?${strict}`, '{"spec":{"paused":true,"paused":false}}'),
      strategic(`${deployments}/a?${strict}`, { spec: { paused: true } }),
      apply('me', `${deployments}/a?${strict}`, deployment({ zz: 1 })),
      apply('me', `${deployments}/a?${strict}&force=true`, deployment()),
      merge(`${deployments}/a?${strict}`, { spec: { paused: null } }),
      get(`${deployments}/a`),
    ],
  },
  {
    name: 'a strict patch of a built-in is refused with the whole object',
    steps: [
      quietly(post(configMaps, { metadata: { name: 'a' }, data: { a: 'b' } })),
      merge(`${configMaps}/a?${strict}`, { zz: 1, data: { c: 'd' } }),
      merge(`${configMaps}/a?${strict}`, '{"data":{"c":"d","c":"e"}}'),
      jsonPatch(`${configMaps}/a?${strict}`, [{ op: 'add', path: '/zz', value: 1 }]),
    ],
  },
  {
    name: 'unknown fields of what is never stored',
    steps: [
      quietly(post(deployments, deployment())),
      ...['', `?${strict}`].flatMap(query => [
        put(`${deployments}/a/scale${query}`, { metadata: { name: 'a' }, spec: { replicas: 2, zz: 1 }, yy: 1 }),
        merge(`${deployments}/a/scale${query}`, { spec: { replicas: 3, zz: 1 } }),
        post(`/apis/authentication.k8s.io/v1/tokenreviews${query}`, { spec: { token: 'x', zz: 1 } }),
        post(`${core}/bindings${query}`, { metadata: { name: 'none' }, target: { name: 'n', zz: 1 } }),
        request('POST', `${core}/pods/none/binding${query}`, {
          metadata: { name: 'none' },
          target: { name: 'n', zz: 1 },
        }),
      ]),
    ],
  },
  {
    name: 'built-ins with values of other types',
    steps: [
      ...wrong.map(spec => post(deployments, deployment(spec))),
      ...wrongInPods.map(spec => post(pods, podWith({}, spec))),
      ...wrongInContainers.map(container => post(deployments, deployment({}, container))),
      ...wrongElsewhere.map(([path, body]) => post(path, body)),
    ],
  },
  {
    name: 'patches of built-ins to values of other types',
    steps: [
      quietly(post(deployments, deployment())),
      ...wrong.flatMap(spec => [
        strategic(`${deployments}/a`, { spec }),
        put(`${deployments}/a`, deployment(spec)),
        put(`${deployments}/a/status`, deployment(spec)),
      ]),
      ...wrongInContainers.map(more =>
        strategic(`${deployments}/a`, { spec: { template: { spec: { containers: [{ name: 'c', ...more }] } } } }),
      ),
      merge(`${deployments}/a/scale`, { spec: { replicas: 'x' } }),
      strategic(`${deployments}/a/scale`, { spec: { replicas: 'x' } }),
      put(`${deployments}/a/scale`, { metadata: { name: 'a' }, spec: { replicas: 1.5 } }),
      apply('me', `${deployments}/a?force=true`, deployment({ replicas: 1.5 })),
      apply('me', `${deployments}/a?force=true`, deployment({ strategy: { rollingUpdate: { maxSurge: 1.5 } } })),
      apply('me', `${deployments}/a?force=true`, deployment({ minReadySeconds: 'x' })),
      quietly(post(configMaps, { metadata: { name: 'a' }, data: { a: 'b' } })),
      strategic(`${configMaps}/a`, { binaryData: { b: '!' } }),
      strategic(`${configMaps}/a`, { binaryData: { b: 3 } }),
      apply('me', `${configMaps}/a`, { apiVersion: 'v1', kind: 'ConfigMap', binaryData: { b: '!' } }),
      merge(`${configMaps}/a`, { immutable: 'x' }),
      jsonPatch(`${configMaps}/a`, [{ op: 'add', path: '/data/c', value: 1 }]),
    ],
  },
]
