import type { JsonObject } from '@wherry/cel/internal'

const metadata = { name: 'a', labels: { b: '2', a: '1' }, annotations: { 'example.com/e': 'é<&>' } }
const selector = { matchLabels: { app: 'a' } }
const template = {
  metadata: { labels: { app: 'a' } },
  spec: {
    restartPolicy: 'Always',
    containers: [
      {
        name: 'a',
        image: 'a:1',
        env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        ports: [{ name: 'http', containerPort: 8080 }],
        resources: { requests: { memory: '1Gi', cpu: '1500m' }, limits: { memory: '2Gi' } },
        readinessProbe: { httpGet: { path: '/', port: 'http' } },
        livenessProbe: { tcpSocket: { port: 8080 } },
        volumeMounts: [{ name: 'v', mountPath: '/v' }],
        securityContext: { runAsUser: 1000, capabilities: { drop: ['ALL'] } },
      },
    ],
    volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 'a' } }, { downwardAPI: { items: [] } }] } }],
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
  },
}
const job = { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } }

/** Objects with fields of all forms that protobuf has: quantities, times, maps of bytes, numbers or names, and JSON of any form. */
export const objects: readonly JsonObject[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { z: '', a: 'é\u{1f600}' }, binaryData: { b: 'AAEC' } },
  { apiVersion: 'v1', kind: 'Secret', metadata, data: { b: '', a: 'AAEC' }, type: 'Opaque' },
  { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: {
      selector: { app: 'a' },
      ports: [
        { name: 'a', port: 80, targetPort: 'http' },
        { name: 'b', port: 81 },
      ],
    },
  },
  { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: { pods: '100', 'limits.cpu': '20' } } },
  { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 0, selector, template } },
  { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, revision: 3, data: { b: [1, null], a: { c: 'd' } } },
  { apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec: { schedule: '1 * * * *', jobTemplate: { spec: job } } },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: { maxUnavailable: '10%', selector } },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata,
    spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: [{ port: 80 }] }] },
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata,
    spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.678901Z' },
  },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
      maxReplicas: 3,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '100m' } } },
      ],
    },
  },
]

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        level: { type: 'integer', default: 1, minimum: 0, maximum: 1.5e9, enum: [0, 1, 2] },
        names: { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' }, 'x-kubernetes-list-type': 'set' },
        ports: { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: { a: [null, 1.5, 'b'] } },
      },
      'x-kubernetes-validations': [{ rule: 'self.level > 0', message: 'more' }],
    },
  },
}

export const definition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'games.arcade.example.com' },
  spec: {
    group: 'arcade.example.com',
    scope: 'Namespaced',
    names: { plural: 'games', kind: 'Game' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
}
