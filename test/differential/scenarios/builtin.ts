import { collect, del, get, merge, post, put, quietly, request, type Scenario, wait, watch } from '../scenario.ts'
import { cms, configMap, filled, namespaces } from './shapes.ts'

const apps = '/apis/apps/v1/namespaces/{ns}'
const deployment = (replicas: number): Record<string, unknown> => ({
  metadata: { name: 'd', labels: { l: 'x' } },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
})
const d = `${apps}/deployments/d`
const leases = '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases'
const nodes = '/api/v1/nodes'
const pods = '/api/v1/namespaces/{ns}/pods'
const pod = (name: string, metadata: Record<string, unknown> = {}): unknown => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }] },
})
const ns = `${namespaces}/{ns}-x`
const owned = (name: string, kind: string, uid: string, more: Record<string, unknown> = {}): unknown =>
  configMap(name, { ownerReferences: [{ apiVersion: 'v1', kind, name: 'owner', uid, ...more }] })

const containers = [{ name: 'c', image: 'i' }]

export const builtinScenarios: readonly Scenario[] = [
  {
    name: 'a Deployment: generation, status, scale',
    steps: [
      post(`${apps}/deployments`, deployment(2)),
      merge(d, { metadata: { labels: { l: 'y' } } }),
      merge(d, { spec: { replicas: 3 } }),
      merge(d, { status: { replicas: 9 } }),
      merge(d, { metadata: { annotations: { a: 'b' } } }),
      merge(`${d}/status`, { metadata: { annotations: { a: 'c' } } }),
      merge(d, { metadata: { annotations: null } }),
      merge(`${d}/status`, { status: { replicas: 1 }, spec: { replicas: 9 } }),
      get(`${d}/scale`),
      merge(`${d}/scale`, { spec: { replicas: 4 } }),
      merge(`${d}/scale`, { spec: { replicas: -1 } }),
      get(d),
      get(`${apps}/deployments?fieldSelector=spec.replicas=4`),
      del(d, { preconditions: { uid: 'other' } }),
      del(d),
    ],
  },
  {
    name: 'leases',
    steps: [
      post(
        leases,
        { metadata: { name: 'l' }, spec: { holderIdentity: 'me', leaseDurationSeconds: 15 } },
        { save: { rv: 'metadata.resourceVersion' } },
      ),
      put(`${leases}/l`, {
        metadata: { name: 'l', resourceVersion: '{rv}' },
        spec: { holderIdentity: 'you', leaseDurationSeconds: 15 },
      }),
      put(`${leases}/l`, {
        metadata: { name: 'l', resourceVersion: '{rv}' },
        spec: { holderIdentity: 'me', leaseDurationSeconds: 15 },
      }),
      get(leases),
      del(`${leases}/l`),
    ],
  },
  {
    name: 'what a delete answers',
    steps: [
      quietly(post(pods, pod('p'))),
      del(`${pods}/p`),
      quietly(
        post('/api/v1/namespaces/{ns}/services', {
          metadata: { name: 's' },
          spec: { clusterIP: 'None', ports: [{ port: 80 }], selector: { a: 'b' } },
        }),
      ),
      del('/api/v1/namespaces/{ns}/services/s'),
      quietly(post('/api/v1/namespaces/{ns}/serviceaccounts', { metadata: { name: 'sa' } })),
      del('/api/v1/namespaces/{ns}/serviceaccounts/sa'),
      quietly(post('/api/v1/namespaces/{ns}/resourcequotas', { metadata: { name: 'q' } })),
      del('/api/v1/namespaces/{ns}/resourcequotas/q'),
      quietly(
        post('/api/v1/namespaces/{ns}/limitranges', { metadata: { name: 'q' }, spec: { limits: [{ type: 'Pod' }] } }),
      ),
      del('/api/v1/namespaces/{ns}/limitranges/q'),
      quietly(
        post('/api/v1/namespaces/{ns}/podtemplates', {
          metadata: { name: 't' },
          template: { metadata: {}, spec: { containers: [{ name: 'c', image: 'i' }] } },
        }),
      ),
      del('/api/v1/namespaces/{ns}/podtemplates/t'),
      quietly(post(nodes, { metadata: { name: '{ns}-n' } })),
      del(`${nodes}/{ns}-n`),
      quietly(
        post('/apis/batch/v1/namespaces/{ns}/jobs', {
          metadata: { name: 'j' },
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
        }),
      ),
      del('/apis/batch/v1/namespaces/{ns}/jobs/j?propagationPolicy=Background'),
      quietly(
        post('/api/v1/namespaces/{ns}/persistentvolumeclaims', {
          metadata: { name: 'c' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        }),
      ),
      quietly(post('/api/v1/namespaces/{ns}/endpoints', { metadata: { name: 'e' } })),
      del('/api/v1/namespaces/{ns}/endpoints/e'),
    ],
  },
  {
    name: 'a Node, and its status',
    steps: [
      post(nodes, { metadata: { name: '{ns}-n' } }),
      merge(`${nodes}/{ns}-n/status`, { status: { phase: 'Running' }, metadata: { labels: { l: 'x' } } }),
      merge(`${nodes}/{ns}-n`, { spec: { unschedulable: true } }),
      get(`${nodes}?fieldSelector=spec.unschedulable=true,metadata.name={ns}-n`),
      del(`${nodes}/{ns}-n`),
    ],
    except: ['*.body.status', '*.body.items.*.status', '*.body.spec', '*.body.items.*.spec'],
  },
  {
    name: 'what metadata a write to status writes',
    steps: [
      quietly(post(`${apps}/deployments`, deployment(1))),
      quietly(post(pods, pod('p', { labels: { l: 'x' } }))),
      quietly(post(`${apps}/replicasets`, { ...deployment(1), metadata: { name: 'd' } })),
      quietly(
        post(`${apps}/daemonsets`, {
          metadata: { name: 'd' },
          spec: {
            selector: { matchLabels: { app: 'd' } },
            template: deployment(1).spec && (deployment(1).spec as { template: unknown }).template,
          },
        }),
      ),
      quietly(
        post('/api/v1/namespaces/{ns}/services', {
          metadata: { name: 'd' },
          spec: { clusterIP: 'None', ports: [{ port: 80 }] },
        }),
      ),
      quietly(
        post('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', {
          metadata: { name: 'd' },
          spec: { minAvailable: 1, selector: {} },
        }),
      ),
      ...[
        `${d}`,
        `${pods}/p`,
        `${apps}/replicasets/d`,
        `${apps}/daemonsets/d`,
        '/api/v1/namespaces/{ns}/services/d',
        '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets/d',
      ].map(path =>
        merge(`${path}/status`, {
          metadata: { labels: { new: 'x' }, annotations: { new: 'x' }, finalizers: ['ex.io/f'] },
        }),
      ),
    ],
  },
  {
    name: 'a Pod that runs nowhere is deleted at once, one on a node gracefully',
    steps: [
      post(pods, pod('p')),
      get(`${pods}?fieldSelector=status.phase=Pending,spec.nodeName=`),
      get(`${pods}?fieldSelector=spec.nodeName=n`),
      get(`${pods}?fieldSelector=spec.x=n`),
      del(`${pods}/p`),
      get(`${pods}/p`),
      quietly(
        post(pods, { metadata: { name: 'q' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } }),
      ),
      del(`${pods}/q`),
      get(`${pods}/q`),
      del(`${pods}/q?gracePeriodSeconds=5`),
      del(`${pods}/q`, { gracePeriodSeconds: 0 }),
      get(`${pods}/q`),
      ...['r', 's'].map(name => quietly(post(pods, { metadata: { name }, spec: { nodeName: 'n', containers } }))),
      quietly(merge(`${pods}/r/status`, { status: { phase: 'Succeeded' } })),
      del(`${pods}/r`),
      get(`${pods}/r`),
      del(`${pods}/s`, { gracePeriodSeconds: -5 }),
      quietly(merge(`${pods}/s/status`, { status: { phase: 'Failed' } })),
      del(`${pods}/s`),
      get(`${pods}/s`),
    ],
  },
  {
    name: 'a namespace goes with what is in it',
    steps: [
      quietly(post(namespaces, { metadata: { name: '{ns}-x' } })),
      quietly(post('/api/v1/namespaces/{ns}-x/configmaps', configMap('a'))),
      quietly(post('/api/v1/namespaces/{ns}-x/configmaps', configMap('f', { finalizers: ['ex.io/f'] }))),
      get('/api/v1/namespaces/{ns}-x/configmaps', { save: { rv: 'metadata.resourceVersion' } }),
      watch('w', '/api/v1/namespaces/{ns}-x/configmaps?watch=1&resourceVersion={rv}'),
      del(ns),
      wait('/api/v1/namespaces/{ns}-x/configmaps', { items: 1 }),
      // It is being deleted itself, before its finalizer goes.
      wait('/api/v1/namespaces/{ns}-x/configmaps/f', { at: ['metadata.deletionGracePeriodSeconds', 0] }),
      post('/api/v1/namespaces/{ns}-x/configmaps', configMap('b')),
      quietly(merge('/api/v1/namespaces/{ns}-x/configmaps/f', { metadata: { finalizers: null } })),
      wait(ns, { status: 404 }),
      // No write into it any more: a real server's admission may hold it to be terminating for a while.
      collect('w', { events: 3 }),
    ],
  },
  {
    name: 'a name of a namespace that is too long',
    steps: [
      post(namespaces, { metadata: { name: 'x'.repeat(64) } }),
      post('/api/v1/namespaces/{ns}/services', { metadata: { name: '9x' }, spec: { ports: [{ port: 80 }] } }),
    ],
    except: ['1.body'],
  },
  {
    name: 'namespaces that can not be deleted',
    steps: [del(`${namespaces}/default`), del(`${namespaces}/kube-system`), del(`${namespaces}/kube-public`)],
  },
  {
    name: 'dependents go with their owner, in the background',
    steps: [
      quietly(post(cms, configMap('owner'), { save: { uid: 'metadata.uid' } })),
      quietly(post(cms, owned('a', 'ConfigMap', '{uid}'))),
      quietly(post(cms, owned('b', 'ConfigMap', '{uid}', { blockOwnerDeletion: true }))),
      ...filled('c'),
      del(`${cms}/owner?propagationPolicy=Background`),
      wait(cms, { items: 1 }),
      get(cms),
    ],
  },
  {
    name: 'dependents are orphaned',
    steps: [
      quietly(post(cms, configMap('owner'), { save: { uid: 'metadata.uid' } })),
      quietly(post(cms, owned('a', 'ConfigMap', '{uid}'))),
      wait(`${cms}/a`, { at: ['metadata.name', 'a'] }),
      del(`${cms}/owner?propagationPolicy=Orphan`),
      wait(`${cms}/owner`, { status: 404 }),
      get(`${cms}/a`),
    ],
  },
  ...(
    [
      ['a Job', '/apis/batch/v1/namespaces/{ns}/jobs', 'batch/v1', 'Job'],
      ['a ReplicationController', '/api/v1/namespaces/{ns}/replicationcontrollers', 'v1', 'ReplicationController'],
    ] as const
  ).map(([what, path, apiVersion, kind]) => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { restartPolicy: 'Never', containers } }
    const always = { metadata: { labels: { a: 'b' } }, spec: { containers } }
    const spec = kind === 'Job' ? { template } : { selector: { a: 'b' }, replicas: 0, template: always }
    const owner = { apiVersion, kind, name: 'owner', uid: '{uid}' }
    return {
      name: `dependents of ${what} are orphaned by a deletion that does not mention them`,
      steps: [
        quietly(post(path, { metadata: { name: 'owner' }, spec }, { save: { uid: 'metadata.uid' } })),
        quietly(post(cms, { metadata: { name: 'a', ownerReferences: [owner] } })),
        wait(`${cms}/a`, { at: ['metadata.name', 'a'] }),
        del(`${path}/owner`),
        wait(`${path}/owner`, { status: 404 }),
        get(`${cms}/a`),
      ],
    }
  }),
  {
    name: 'a deletion in the foreground waits for dependents',
    steps: [
      quietly(post(cms, configMap('owner'), { save: { uid: 'metadata.uid' } })),
      quietly(post(cms, { ...(owned('a', 'ConfigMap', '{uid}', { blockOwnerDeletion: true }) as object) })),
      quietly(merge(`${cms}/a`, { metadata: { finalizers: ['ex.io/f'] } })),
      del(`${cms}/owner?propagationPolicy=Foreground`),
      wait(`${cms}/a`, { at: ['metadata.deletionGracePeriodSeconds', 0] }),
      get(`${cms}/owner`),
      quietly(merge(`${cms}/a`, { metadata: { finalizers: null } })),
      wait(`${cms}/owner`, { status: 404 }),
    ],
  },
  {
    name: 'options of writes that are refused',
    steps: [
      post(`${cms}?fieldValidation=Nonsense`, configMap('a')),
      put(`${cms}/a?dryRun=x`, configMap('a')),
      merge(`${cms}/a?force=true`, {}),
      merge(`${cms}/a?fieldValidation=Nonsense&dryRun=x`, {}),
      post(`${cms}?fieldManager=${'x'.repeat(129)}`, configMap('a')),
      del(`${cms}/a?dryRun=x`),
    ],
  },
  {
    name: 'objects that are too large',
    steps: [
      post(cms, configMap('a', { data: { x: 'x'.repeat(1_048_577) } })),
      post(`${apps}/deployments`, {
        ...deployment(1),
        metadata: { name: 'd', annotations: { a: 'x'.repeat(200_000) }, labels: {} },
      }),
    ],
    except: ['1.body'],
  },
  { name: 'a body over 3 MiB', steps: [post(cms, configMap('a', { data: { x: 'x'.repeat(3_200_000) } }))] },
  {
    name: 'keys of data',
    steps: [
      ...['..', '..a', '.', 'k'.repeat(254)].map(key => post(cms, configMap('a', { data: { [key]: 'x' } }))),
      post(cms, { ...configMap('b'), binaryData: { b: 'ZZ==', c: 'no!' } }),
      post(cms, { ...configMap('c'), data: [] }),
    ],
  },
  {
    name: 'endpoints warn that they are old',
    steps: [get('/api/v1/namespaces/{ns}/endpoints'), get('/api/v1/componentstatuses')],
    except: ['1.status', '1.body'],
  },
  {
    name: 'HEAD and OPTIONS',
    steps: [...filled('a'), request('OPTIONS', cms), request('HEAD', cms), request('OPTIONS', '/api')],
  },
]
