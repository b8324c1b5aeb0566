import { apply, get, merge, nextSecond, post, put, quietly, type Scenario } from '../scenario.ts'
import { secrets } from './shapes.ts'

const apps = '/apis/apps/v1/namespaces/{ns}'
const batch = '/apis/batch/v1/namespaces/{ns}'
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const net = '/apis/networking.k8s.io/v1/namespaces/{ns}'
const core = '/api/v1/namespaces/{ns}'

const probe = { httpGet: { port: 80 } }
/** A Pod's spec with as much as gets defaults. */
const everything = {
  initContainers: [{ name: 'i', image: 'busybox:1.36', resources: { limits: { cpu: '0.5' } } }],
  containers: [
    {
      name: 'a',
      image: 'repo.example.com:5000/app',
      args: [],
      command: null,
      env: [
        { name: 'EMPTY', value: '' },
        { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      ],
      ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP', name: 'u' }],
      resources: { limits: { cpu: '1000m', memory: '1024Mi' }, requests: { cpu: '0.5', memory: '0.5Gi' } },
      livenessProbe: probe,
      readinessProbe: { tcpSocket: { port: 'x' }, periodSeconds: 3, initialDelaySeconds: 0 },
      startupProbe: { exec: { command: ['true'] } },
      lifecycle: { preStop: { httpGet: { port: 1, scheme: 'HTTPS' } } },
      volumeMounts: [{ name: 'e', mountPath: '/e', readOnly: false }],
      stdin: false,
      tty: false,
      securityContext: {},
    },
    { name: 'b', image: 'x:latest', imagePullPolicy: 'Never', resources: { limits: { memory: '1e3' } } },
    { name: 'c', image: 'x@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' },
  ],
  volumes: [
    { name: 'e' },
    { name: 'd', emptyDir: { sizeLimit: '1024Ki' } },
    { name: 's', secret: { secretName: 's' } },
    { name: 'm', configMap: { name: 'm', items: [{ key: 'k', path: 'p' }] } },
    { name: 'h', hostPath: { path: '/h' } },
    { name: 'w', downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name' } }] } },
    {
      name: 'p',
      projected: { sources: [{ serviceAccountToken: { path: 't' } }, { configMap: { name: 'm' } }] },
    },
    {
      name: 'g',
      ephemeral: {
        volumeClaimTemplate: {
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
        },
      },
    },
  ],
  hostNetwork: false,
  nodeName: '',
  nodeSelector: {},
  tolerations: [],
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} }],
}
const small = { containers: [{ name: 'c', image: 'i' }] }
/** The same for a Pod itself, which needs an account for its tokens. */
const ofPod = { ...everything, serviceAccountName: 'x' }
const template = (spec: unknown = small, app = 'a'): unknown => ({
  metadata: { labels: { app }, creationTimestamp: null },
  spec,
})
const selector = { matchLabels: { app: 'a' } }
const meta = (name: string): unknown => ({ name, creationTimestamp: null })
const claim = (name: string, spec: Record<string, unknown> = {}): unknown => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } }, ...spec },
})
const service = (name: string, spec: Record<string, unknown> = {}): unknown => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], selector: { a: 'b' }, ...spec },
})
const job = (name: string, spec: Record<string, unknown> = {}): unknown => ({
  metadata: { name },
  spec: { template: { spec: { restartPolicy: 'Never', ...small } }, ...spec },
})
const kind = (apiVersion: string, kind: string, object: unknown): unknown => ({
  apiVersion,
  kind,
  ...(object as object),
})

/** The second apply of a claim or a Job that an apply made is stored once more by a real server, though nothing is seen to change. */
const secondApply: readonly string[] = ['*.body.metadata.resourceVersion']

/** The fields that a real server fills in, or stores otherwise than they were sent, and their managers. */
export const defaultsScenarios: readonly Scenario[] = [
  {
    name: 'defaults of a Pod',
    steps: [
      post(`${core}/pods`, { metadata: meta('a'), spec: ofPod }),
      post(`${core}/pods`, { metadata: meta('b'), spec: { ...small, serviceAccountName: 'x', hostNetwork: true } }),
      post(`${core}/pods`, {
        metadata: meta('c'),
        spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }], hostNetwork: true },
      }),
      post(`${core}/pods`, {
        metadata: meta('d'),
        spec: {
          containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '1', memory: '1Gi' } } }],
          terminationGracePeriodSeconds: 0,
        },
      }),
      get(`${core}/pods/a`),
    ],
  },
  {
    name: 'defaults of a Pod that is applied',
    steps: [
      apply('me', `${core}/pods/a`, kind('v1', 'Pod', { metadata: meta('a'), spec: ofPod })),
      nextSecond,
      apply('me', `${core}/pods/a`, kind('v1', 'Pod', { metadata: meta('a'), spec: ofPod })),
    ],
  },
  {
    name: 'defaults of workloads',
    steps: [
      post(`${apps}/deployments`, { metadata: meta('a'), spec: { selector, template: template(everything) } }),
      post(`${apps}/deployments`, {
        metadata: meta('b'),
        spec: { selector, template: template(), strategy: { type: 'Recreate' }, paused: false, minReadySeconds: 0 },
      }),
      post(`${apps}/deployments`, {
        metadata: meta('c'),
        spec: { selector, template: template(), replicas: 0, strategy: { rollingUpdate: { maxSurge: 1 } } },
      }),
      post(`${apps}/statefulsets`, {
        metadata: meta('a'),
        spec: { selector, template: template(), serviceName: 's', volumeClaimTemplates: [claim('v')] },
      }),
      post(`${apps}/statefulsets`, {
        metadata: meta('b'),
        spec: { selector, template: template(), updateStrategy: { type: 'OnDelete' } },
      }),
      post(`${apps}/daemonsets`, { metadata: meta('a'), spec: { selector, template: template() } }),
      post(`${apps}/replicasets`, { metadata: meta('a'), spec: { selector, template: template() } }),
      post(`${core}/replicationcontrollers`, { metadata: meta('a'), spec: { template: template() } }),
      post(`${core}/podtemplates`, { metadata: meta('a'), template: template() }),
    ],
  },
  {
    name: 'defaults of workloads that are applied',
    steps: [
      ...[1, 2].map(() =>
        apply(
          'me',
          `${apps}/deployments/a`,
          kind('apps/v1', 'Deployment', { metadata: meta('a'), spec: { selector, template: template(everything) } }),
        ),
      ),
      ...[1, 2].map(() =>
        apply(
          'me',
          `${apps}/statefulsets/a`,
          kind('apps/v1', 'StatefulSet', {
            metadata: meta('a'),
            spec: { selector, template: template(), serviceName: 's', volumeClaimTemplates: [claim('v')] },
          }),
        ),
      ),
    ],
  },
  {
    name: 'defaults of Jobs and CronJobs',
    steps: [
      post(`${batch}/jobs`, job('a')),
      post(
        `${batch}/jobs`,
        job('b', { parallelism: 2, backoffLimitPerIndex: 1, completions: 3, completionMode: 'Indexed' }),
      ),
      post(`${batch}/jobs`, {
        metadata: { name: 'c' },
        spec: { template: { metadata: { labels: { l: 'x' } }, spec: { restartPolicy: 'Never', ...small } } },
      }),
      post(
        `${batch}/jobs`,
        job('d', {
          selector,
          manualSelector: true,
          template: { metadata: { labels: { app: 'a' } }, spec: { restartPolicy: 'OnFailure', ...small } },
        }),
      ),
      post(`${batch}/cronjobs`, {
        metadata: { name: 'a' },
        spec: {
          schedule: '* * * * *',
          jobTemplate: job('x') && { spec: { template: { spec: { restartPolicy: 'Never', ...small } } } },
        },
      }),
      ...[1, 2, 3].map(() => apply('me', `${batch}/jobs/e`, kind('batch/v1', 'Job', job('e')))),
    ],
    except: secondApply,
  },
  {
    name: 'defaults of Services',
    steps: [
      post(`${core}/services`, service('a')),
      post(`${core}/services`, service('b', { clusterIP: 'None' })),
      post(`${core}/services`, {
        metadata: { name: 'c' },
        spec: { clusterIP: 'None', ports: [{ port: 80, targetPort: 'x' }] },
      }),
      post(`${core}/services`, service('d', { type: 'NodePort' })),
      post(`${core}/services`, service('e', { type: 'LoadBalancer' })),
      post(`${core}/services`, service('f', { type: 'ExternalName', externalName: 'x.example.com', ports: undefined })),
      post(`${core}/services`, service('g', { sessionAffinity: 'ClientIP', publishNotReadyAddresses: false })),
      post(
        `${core}/services`,
        service('h', {
          ports: [
            { port: 80, name: 'a' },
            { port: 80, name: 'b', protocol: 'UDP' },
          ],
          type: 'NodePort',
        }),
      ),
      ...[1, 2].map(() => apply('me', `${core}/services/i`, kind('v1', 'Service', service('i')))),
      ...['j', 'k'].map(name =>
        post(`${core}/services`, service(name, { type: 'NodePort', ports: [{ port: 80, nodePort: 30123 }] })),
      ),
      merge(`${core}/services/a`, { spec: { type: 'NodePort' } }),
      merge(`${core}/services/a`, { spec: { type: 'ClusterIP' } }),
      put(`${core}/services/a`, service('a')),
      merge(`${core}/services/a`, { spec: { type: 'ExternalName', externalName: 'x' } }),
      merge(`${core}/services/a`, { spec: { type: 'ClusterIP', externalName: null } }),
    ],
  },
  {
    name: 'defaults of PersistentVolumeClaims',
    steps: [
      post(`${core}/persistentvolumeclaims`, claim('a')),
      post(`${core}/persistentvolumeclaims`, claim('b', { storageClassName: '', volumeName: '', volumeMode: 'Block' })),
      ...[1, 2, 3].map(() =>
        apply('me', `${core}/persistentvolumeclaims/c`, kind('v1', 'PersistentVolumeClaim', claim('c'))),
      ),
    ],
    except: secondApply,
  },
  {
    name: 'defaults of roles and their bindings',
    steps: [
      post(`${rbac}/namespaces/{ns}/rolebindings`, {
        metadata: { name: 'a' },
        roleRef: { kind: 'Role', name: 'r' },
        subjects: [
          { kind: 'User', name: 'u' },
          { kind: 'Group', name: 'g' },
          { kind: 'ServiceAccount', name: 's', namespace: 'n' },
        ],
      }),
      post(`${rbac}/clusterrolebindings`, {
        metadata: { name: '{ns}-a' },
        roleRef: { kind: 'ClusterRole', name: 'r', apiGroup: 'rbac.authorization.k8s.io' },
        subjects: [{ kind: 'User', name: 'u', apiGroup: '' }],
      }),
      post(`${rbac}/namespaces/{ns}/roles`, { metadata: { name: 'a' } }),
      post(`${rbac}/namespaces/{ns}/roles`, {
        metadata: { name: 'b' },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: [] }],
      }),
      ...[1, 2].map(() =>
        apply(
          'me',
          `${rbac}/namespaces/{ns}/rolebindings/c`,
          kind('rbac.authorization.k8s.io/v1', 'RoleBinding', {
            metadata: { name: 'c' },
            roleRef: { kind: 'Role', name: 'r', apiGroup: 'rbac.authorization.k8s.io' },
            subjects: [{ kind: 'User', name: 'u' }],
          }),
        ),
      ),
    ],
  },
  {
    name: 'defaults of NetworkPolicies and Ingresses',
    steps: [
      post(`${net}/networkpolicies`, { metadata: { name: 'a' }, spec: { podSelector: {} } }),
      post(`${net}/networkpolicies`, {
        metadata: { name: 'b' },
        spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }], egress: [{}] },
      }),
      ...[1, 2].map(() =>
        apply(
          'me',
          `${net}/networkpolicies/c`,
          kind('networking.k8s.io/v1', 'NetworkPolicy', {
            metadata: { name: 'c' },
            spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
          }),
        ),
      ),
      post(`${net}/ingresses`, {
        metadata: { name: 'a' },
        spec: {
          rules: [
            {
              http: {
                paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
              },
            },
          ],
        },
      }),
      post('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', {
        metadata: { name: 'a' },
        spec: { maxUnavailable: 1, selector },
      }),
      post('/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers', {
        metadata: { name: 'a' },
        spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' } },
      }),
      post(`${core}/serviceaccounts`, { metadata: { name: 'a' } }),
    ],
  },
  {
    name: 'a Secret with stringData, and base64 with newlines',
    steps: [
      post(secrets, { metadata: { name: 'a' }, stringData: { p: 'x' }, data: { q: 'eA\n==' } }),
      ...[1, 2].map(() =>
        apply(
          'me',
          `${secrets}/b`,
          kind('v1', 'Secret', { metadata: { name: 'b' }, stringData: { p: 'x' }, data: { q: 'eA\n==' } }),
        ),
      ),
      put(`${secrets}/b?fieldManager=other`, { metadata: { name: 'b' }, data: { p: 'eA==', q: 'eA==' } }),
    ],
  },
  {
    name: 'creationTimestamp: null is no change',
    steps: [
      quietly(post(`${apps}/deployments`, { metadata: { name: 'a' }, spec: { selector, template: template(small) } })),
      put(`${apps}/deployments/a?fieldManager=other`, {
        metadata: meta('a'),
        spec: { selector, template: template(small) },
      }),
      ...[1, 2].flatMap(() => [
        nextSecond,
        apply(
          'me',
          `${apps}/deployments/a?force=true`,
          kind('apps/v1', 'Deployment', { metadata: meta('a'), spec: { selector, template: template(small) } }),
        ),
        apply('me', `${core}/configmaps/a`, kind('v1', 'ConfigMap', { metadata: meta('a'), data: { a: '1' } })),
      ]),
    ],
  },
  {
    name: 'quantities',
    steps: [
      ...[
        '1000m',
        '1.5',
        '0.5',
        '1500m',
        '0.1m',
        '100u',
        '1e3',
        '1E3',
        '12e-3',
        '1.0',
        '0',
        '+1',
        '001',
        '2Gi',
        '1.5Gi',
        '1048576Ki',
        '1000Ki',
        '128974848',
        '129e6',
        '129M',
        '1000000',
        '0.5Gi',
        '1Ti',
        '1P',
        '.5',
        '5.',
      ].map((quantity, i) =>
        post(`${core}/resourcequotas`, {
          metadata: { name: `q${i}` },
          spec: { hard: { 'limits.memory': quantity, pods: '1000' } },
        }),
      ),
      ...['', 'x', '1x', '1 Gi'].map(quantity =>
        post(`${core}/persistentvolumeclaims`, {
          metadata: { name: 'q' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: quantity } } },
        }),
      ),
      post(`${core}/persistentvolumeclaims`, {
        metadata: { name: 'n' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: 1 } } },
      }),
    ],
  },
]
