import { get, merge, post, quietly, type Scenario, type Step } from '../scenario.ts'
import { asTable, columnDescriptions } from './shapes.ts'

const core = '/api/v1/namespaces/{ns}'
const apps = '/apis/apps/v1/namespaces/{ns}'
const rbac = '/apis/rbac.authorization.k8s.io/v1'

const selector = { matchLabels: { app: 'a' } }
const expressions = {
  matchLabels: { app: 'a' },
  matchExpressions: [
    { key: 'z', operator: 'DoesNotExist' },
    { key: 'app', operator: 'In', values: ['b', 'a'] },
    { key: 'app', operator: 'Exists' },
    { key: 'b', operator: 'NotIn', values: ['x'] },
  ],
}
const containers = [
  { name: 'c', image: 'i' },
  { name: 'd', image: 'j' },
]
const template = { metadata: { labels: { app: 'a' } }, spec: { containers } }
const workload = (name: string, more: object = {}): object => ({
  metadata: { name },
  spec: { selector, template, ...more },
})
const job = { spec: { containers, restartPolicy: 'Never' } }
const table = { headers: asTable }

/** A collection as a Table, after its objects were made, and given a status. */
function shown(path: string, ...objects: readonly (readonly [object, object?])[]): Step[] {
  return [
    ...objects.flatMap(([object, status]) => {
      const { name } = (object as { metadata: { name: string } }).metadata
      const made = quietly(post(path, object))
      return status === undefined ? [made] : [made, quietly(merge(`${path}/${name}/status`, { status }))]
    }),
    get(`${path}?includeObject=None`, table),
  ]
}

const pod = (name: string, spec: object = {}): object => ({ metadata: { name }, spec: { containers, ...spec } })
const running = (name: string, more: object = {}): object => ({
  name,
  image: 'i',
  imageID: 'i',
  ready: true,
  restartCount: 0,
  state: { running: {} },
  ...more,
})
const ended = (exitCode: number, more: object = {}): object => ({ terminated: { exitCode, ...more } })
const claim = { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'], resources: { requests: { storage: '1Gi' } } }
const metric = (target: object, name = 'cpu'): object => ({ type: 'Resource', resource: { name, target } })
const scaler = (name: string, more: object = {}): object => ({
  metadata: { name },
  spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' }, ...more },
})
const path = { path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }
const rules = (...hosts: string[]): object[] => hosts.map(host => ({ host, http: { paths: [path] } }))

/** What `kubectl get` shows of built-ins. */
export const tableScenarios: readonly Scenario[] = [
  {
    name: 'Tables of Pods',
    steps: [
      ...shown(
        `${core}/pods`,
        [pod('a')],
        [pod('b', { nodeName: 'n' }), { phase: 'Running', podIP: '10.1.0.1', containerStatuses: [running('c')] }],
        [pod('c'), { phase: 'Succeeded', containerStatuses: [running('c', { ready: false, state: ended(0) })] }],
        [pod('d'), { phase: 'Failed', reason: 'Evicted' }],
        [
          pod('e'),
          {
            phase: 'Running',
            containerStatuses: [
              running('c', { ready: false, restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } }),
              running('d', { restartCount: 1 }),
            ],
          },
        ],
        [
          pod('f'),
          {
            phase: 'Running',
            containerStatuses: [running('c', { ready: false, state: ended(1, { reason: 'Error' }) })],
          },
        ],
        [pod('g'), { phase: 'Running', containerStatuses: [running('c', { ready: false, state: ended(137) })] }],
        [
          pod('h', { initContainers: [{ name: 'i', image: 'i' }] }),
          { phase: 'Pending', initContainerStatuses: [running('i', { ready: false })] },
        ],
        [
          pod('i', { initContainers: [{ name: 'i', image: 'i' }] }),
          {
            phase: 'Pending',
            initContainerStatuses: [running('i', { ready: false, restartCount: 2, state: ended(2) })],
          },
        ],
        [
          pod('j', { initContainers: [{ name: 'i', image: 'i' }] }),
          {
            phase: 'Pending',
            initContainerStatuses: [running('i', { ready: false, state: { waiting: { reason: 'ImagePullBackOff' } } })],
          },
        ],
        [
          pod('k', { initContainers: [{ name: 'i', image: 'i', restartPolicy: 'Always' }] }),
          {
            phase: 'Running',
            conditions: [{ type: 'Initialized', status: 'True' }],
            initContainerStatuses: [running('i', { started: true, restartCount: 1 })],
            containerStatuses: [running('c'), running('d')],
          },
        ],
        [pod('l', { schedulingGates: [{ name: 'g' }] })],
        [
          pod('m', { readinessGates: [{ conditionType: 'ex.io/a' }, { conditionType: 'ex.io/b' }] }),
          { phase: 'Running', conditions: [{ type: 'ex.io/a', status: 'True' }], nominatedNodeName: 'n' },
        ],
        [
          pod('n'),
          {
            phase: 'Running',
            conditions: [{ type: 'Ready', status: 'True' }],
            containerStatuses: [running('c', { ready: false, state: ended(0, { reason: 'Completed' }) }), running('d')],
          },
        ],
      ),
      get(`${core}/pods/a`, table),
      get(`${core}/pods`, table),
    ],
    except: columnDescriptions,
  },
  {
    name: 'Tables of what makes Pods',
    steps: [
      ...shown(
        `${apps}/deployments`,
        [workload('a'), { replicas: 1, readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1 }],
        [workload('b', { replicas: 0 })],
        [workload('c', { selector: { matchExpressions: expressions.matchExpressions.slice(0, 3) } })],
      ),
      ...shown(`${apps}/replicasets`, [workload('a'), { replicas: 1, readyReplicas: 1 }], [workload('b')]),
      ...shown(`${apps}/statefulsets`, [workload('a'), { replicas: 1, readyReplicas: 1 }]),
      ...shown(
        `${apps}/daemonsets`,
        [workload('a')],
        [
          workload('b', { template: { ...template, spec: { containers, nodeSelector: { z: 'x', a: 'b' } } } }),
          {
            currentNumberScheduled: 1,
            desiredNumberScheduled: 2,
            numberReady: 1,
            numberMisscheduled: 0,
            updatedNumberScheduled: 1,
            numberAvailable: 1,
          },
        ],
      ),
      ...shown(`${core}/replicationcontrollers`, [
        { metadata: { name: 'a' }, spec: { selector: { app: 'a' }, template } },
      ]),
      ...shown(
        '/apis/batch/v1/namespaces/{ns}/cronjobs',
        [{ metadata: { name: 'a' }, spec: { schedule: '@daily', jobTemplate: { spec: { template: job } } } }],
        [
          {
            metadata: { name: 'b' },
            spec: {
              schedule: '* * * * *',
              suspend: true,
              timeZone: 'Etc/UTC',
              jobTemplate: { spec: { template: job } },
            },
          },
        ],
      ),
    ],
    except: columnDescriptions,
  },
  {
    name: 'Tables of Jobs',
    steps: [
      quietly(post('/apis/batch/v1/namespaces/{ns}/jobs', { metadata: { name: 'a' }, spec: { template: job } })),
      quietly(
        post('/apis/batch/v1/namespaces/{ns}/jobs', {
          metadata: { name: 'b' },
          spec: { template: job, parallelism: 3, suspend: true },
        }),
      ),
      quietly(
        post('/apis/batch/v1/namespaces/{ns}/jobs', {
          metadata: { name: 'c' },
          spec: { template: job, completions: 3 },
        }),
      ),
      get('/apis/batch/v1/namespaces/{ns}/jobs?includeObject=None', table),
    ],
    // The selector names a uid.
    except: columnDescriptions,
  },
  {
    name: 'Tables of Services, Ingresses and NetworkPolicies',
    steps: [
      ...shown(
        `${core}/services`,
        [{ metadata: { name: 'a' }, spec: { clusterIP: 'None', ports: [{ port: 80 }], selector: { b: 'x', a: 'y' } } }],
        [
          {
            metadata: { name: 'b' },
            spec: {
              type: 'LoadBalancer',
              clusterIP: '10.0.0.9',
              allocateLoadBalancerNodePorts: false,
              ports: [{ port: 80 }],
            },
          },
          { loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'a.example.com' }] } },
        ],
        [{ metadata: { name: 'c' }, spec: { type: 'ExternalName', externalName: 'a.example.com' } }],
        [
          {
            metadata: { name: 'd' },
            spec: {
              clusterIP: 'None',
              ports: [
                { name: 'a', port: 80 },
                { name: 'b', port: 53, protocol: 'UDP' },
              ],
            },
          },
        ],
        [
          {
            metadata: { name: 'e' },
            spec: { clusterIP: 'None', ports: [{ port: 80 }], externalIPs: ['1.2.3.4', '1.2.3.5'] },
          },
        ],
      ),
      ...shown(
        '/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses',
        [{ metadata: { name: 'a' }, spec: { rules: rules('a.example.com') } }],
        [
          {
            metadata: { name: 'b' },
            spec: { ingressClassName: 'x', rules: rules('a.io', 'b.io', 'c.io', 'd.io', 'e.io'), tls: [{}] },
          },
          { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
        ],
        [{ metadata: { name: 'c' }, spec: { defaultBackend: path.backend } }],
      ),
      ...shown(
        '/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies',
        [{ metadata: { name: 'a' }, spec: { podSelector: {} } }],
        [{ metadata: { name: 'b' }, spec: { podSelector: expressions } }],
      ),
      ...shown(`${core}/endpoints`, [
        {
          metadata: { name: 'a' },
          subsets: [
            {
              addresses: [{ ip: '1.2.3.4' }, { ip: '1.2.3.5' }],
              ports: [
                { name: 'x', port: 80 },
                { name: 'y', port: 81 },
              ],
            },
          ],
        },
      ]),
    ],
    except: columnDescriptions,
  },
  {
    name: 'Tables of claims, bindings, budgets and autoscalers',
    steps: [
      ...shown(
        `${core}/persistentvolumeclaims`,
        [{ metadata: { name: 'a' }, spec: claim }],
        [
          { metadata: { name: 'b' }, spec: { ...claim, storageClassName: 'fast', volumeName: 'v' } },
          { phase: 'Bound', capacity: { storage: '2Gi' }, accessModes: ['ReadOnlyMany', 'ReadWriteOnce'] },
        ],
      ),
      ...shown(
        `${rbac}/namespaces/{ns}/rolebindings`,
        [
          {
            metadata: { name: 'a' },
            roleRef: { kind: 'Role', name: 'r' },
            subjects: [
              { kind: 'User', name: 'u' },
              { kind: 'Group', name: 'g' },
              { kind: 'ServiceAccount', name: 's' },
              { kind: 'ServiceAccount', name: 't', namespace: 'n' },
              { kind: 'User', name: 'v' },
            ],
          },
        ],
        [{ metadata: { name: 'b' }, roleRef: { kind: 'ClusterRole', name: 'r' } }],
      ),
      ...shown(`${rbac}/namespaces/{ns}/roles`, [{ metadata: { name: 'a' } }]),
      ...shown(
        '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets',
        [{ metadata: { name: 'a' }, spec: { minAvailable: 1, selector } }],
        [{ metadata: { name: 'b' }, spec: { maxUnavailable: '20%', selector } }],
      ),
      ...shown(
        '/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers',
        [scaler('a')],
        [
          scaler('b', {
            minReplicas: 2,
            metrics: [
              metric({ type: 'Utilization', averageUtilization: 50 }),
              metric({ type: 'AverageValue', averageValue: '500Mi' }, 'memory'),
              metric({ type: 'Utilization', averageUtilization: 60 }, 'other'),
            ],
          }),
          {
            currentReplicas: 2,
            desiredReplicas: 2,
            currentMetrics: [
              { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 40, averageValue: '1' } } },
            ],
          },
        ],
        [
          scaler('c', {
            metrics: [
              { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1k' } } },
              { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '5' } } },
            ],
          }),
        ],
      ),
      get('/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/a?includeObject=None', table),
      quietly(post(`${core}/serviceaccounts`, { metadata: { name: 'a' } })),
      get(`${core}/serviceaccounts/a`, table),
    ],
    except: columnDescriptions,
  },
  {
    name: 'Tables of Nodes, events, classes and what admits',
    steps: [
      ...(
        [
          ['a', {}, undefined],
          ['b', { unschedulable: true }, { conditions: [{ type: 'Ready', status: 'False' }] }],
          [
            'c',
            {},
            {
              conditions: [{ type: 'Ready', status: 'True' }],
              addresses: [{ type: 'InternalIP', address: '10.1.0.1' }],
              nodeInfo: {
                ...{ machineID: '', systemUUID: '', bootID: '', kernelVersion: '6.1', osImage: 'os' },
                ...{ containerRuntimeVersion: 'c://1', kubeletVersion: 'v1.37', kubeProxyVersion: '' },
                ...{ operatingSystem: 'linux', architecture: 'amd64' },
              },
            },
          ],
        ] as const
      ).flatMap(([name, spec, status]) => {
        const labels = { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/etcd': '' }
        const node = `{ns}-${name}`
        return [
          quietly(post('/api/v1/nodes', { metadata: { name: node, ...(name === 'c' ? { labels } : {}) }, spec })),
          ...(status === undefined ? [] : [quietly(merge(`/api/v1/nodes/${node}/status`, { status }))]),
          get(`/api/v1/nodes/${node}?includeObject=None`, table),
        ]
      }),
      ...shown(
        `${core}/events`,
        [
          {
            metadata: { name: 'a' },
            involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}', fieldPath: 'spec.x' },
            ...{ reason: 'R', message: ' m ', type: 'Normal', count: 3, source: { component: 'c', host: 'h' } },
            ...{ firstTimestamp: '2020-01-01T00:00:00Z', lastTimestamp: '2020-02-01T00:00:00Z' },
          },
        ],
        [{ metadata: { name: 'b' }, involvedObject: { kind: 'Pod', namespace: '{ns}' } }],
      ),
      get('/apis/events.k8s.io/v1/namespaces/{ns}/events?includeObject=None', table),
      quietly(
        post('/apis/storage.k8s.io/v1/storageclasses', { metadata: { name: '{ns}-a' }, provisioner: 'p.example.com' }),
      ),
      get('/apis/storage.k8s.io/v1/storageclasses/{ns}-a?includeObject=None', table),
      quietly(post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: '{ns}-a' }, value: 5 })),
      get('/apis/scheduling.k8s.io/v1/priorityclasses/{ns}-a?includeObject=None', table),
      ...['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'].flatMap(plural => [
        quietly(post(`/apis/admissionregistration.k8s.io/v1/${plural}`, { metadata: { name: '{ns}-a' } })),
        get(`/apis/admissionregistration.k8s.io/v1/${plural}/{ns}-a?includeObject=None`, table),
      ]),
    ],
    except: columnDescriptions,
  },
]
