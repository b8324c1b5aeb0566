import {
  apply,
  as,
  collect,
  del,
  get,
  merge,
  post,
  put,
  quietly,
  request,
  type Scenario,
  wait,
  watch,
} from '../scenario.ts'
import { cms, configMap, filled, secrets } from './shapes.ts'

const a = `${cms}/a`
const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}'
const yaml = (method: string, path: string, body: string): ReturnType<typeof request> =>
  request(method, path, body, { headers: { 'content-type': 'application/yaml' } })

/** A ConfigMap to apply. */
const config = (data: unknown, metadata: Record<string, unknown> = {}): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  ...(data === undefined ? {} : { data }),
})

/** A Deployment that is applied, but for what its Pods are. */
const applied = (manager: string, spec: unknown): ReturnType<typeof apply> =>
  apply(manager, '/apis/apps/v1/namespaces/{ns}/deployments/a', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec } },
  })

/** Server-side apply to built-ins: creation, ownership, conflicts, removal, refusals. */
export const applyScenarios: readonly Scenario[] = [
  {
    name: 'apply creates, and updates what it created',
    steps: [
      apply('me', a, config({ a: '1', b: '2' }, { labels: { l: 'x' } })),
      apply('me', a, config({ a: '1', b: '2' }, { labels: { l: 'x' } })),
      apply('me', a, config({ a: '3' }, { labels: { l: 'y' }, annotations: { n: 'z' } })),
      apply('me', a, config(undefined)),
      get(a),
    ],
  },
  {
    name: 'apply over what another wrote',
    steps: [
      ...filled('a'),
      apply('me', a, config({ a: '1' })),
      apply('me', a, config({ b: '2' })),
      apply('me', a, config({ a: '2' })),
      apply('me', `${a}?force=true`, config({ a: '2' })),
      put(`${a}?fieldManager=other`, configMap('a', { data: { a: '3' } })),
      apply('me', a, config({ a: '2', b: '3' })),
      apply('me', a, config({ a: '3', b: '3' })),
      get(a),
    ],
  },
  {
    name: 'apply: conflicts in several fields of one manager',
    steps: [
      quietly(
        post(`${cms}?fieldManager=first`, configMap('a', { data: { a: '1', 'b.c': '2' }, labels: { 'ex.io/l': 'x' } })),
      ),
      apply('me', a, config({ a: '2', 'b.c': '3', d: '4' }, { labels: { 'ex.io/l': 'y' } })),
      apply('me', `${a}?force=true`, config({ a: '2', 'b.c': '3', d: '4' }, { labels: { 'ex.io/l': 'y' } })),
      apply('you', a, config({ a: '5', d: '4' })),
    ],
  },
  {
    name: 'apply: fields owned by two stay until both let go',
    steps: [
      apply('me', a, config({ a: '1', mine: 'x' })),
      apply('you', a, config({ a: '1', yours: 'x' })),
      apply('me', a, config({ mine: 'x' })),
      apply('you', a, config({ yours: 'x' })),
      apply('me', a, config({})),
      apply('you', a, config({})),
    ],
  },
  {
    name: 'apply: a field that nobody owns is kept, and taken over',
    steps: [
      apply('me', a, config({ a: '1' })),
      merge(`${a}?fieldManager=you`, { data: { a: '2', b: '2' } }),
      apply('me', a, config({ b: '2' })),
      merge(`${a}?fieldManager=you`, { data: { a: null, b: null } }),
      apply('me', a, config({ b: '2' })),
    ],
  },
  {
    name: 'apply that changes nothing',
    steps: [
      apply('me', a, config({ a: '1' })),
      watch('w', `${cms}?watch=1&fieldSelector=metadata.name%3Da`),
      apply('me', a, config({ a: '1' })),
      apply('me', `${a}?force=true`, config({ a: '1' })),
      apply('you', a, config({ a: '1' })),
      apply('you', a, config({ a: '1' })),
      apply('me', a, config({ a: '2' })),
      apply('me', `${a}?force=true`, config({ a: '2' })),
      collect('w', { events: 3 }),
    ],
  },
  {
    name: 'apply: dry runs',
    steps: [
      apply('me', `${a}?dryRun=All`, config({ a: '1' })),
      get(a),
      ...filled('a'),
      apply('me', `${a}?dryRun=All`, config({ a: '2' })),
      apply('me', `${a}?dryRun=All&force=true`, config({ a: '2', b: '1' })),
      get(a),
    ],
  },
  {
    name: 'apply: options that are refused',
    steps: [
      get(a),
      apply('', a, config({})),
      apply('x'.repeat(129), a, config({})),
      apply('a%0Ab', a, config({})),
      apply('me', `${a}?dryRun=Some`, config({})),
      apply('me', `${a}?fieldValidation=Some`, config({})),
      merge(`${a}?force=true`, {}),
      apply('me', `${a}?force=maybe`, config({})),
    ],
  },
  {
    name: 'apply: configurations that are refused',
    steps: [
      apply('me', a, { ...config({}), kind: 'Secret' }),
      apply('me', a, { ...config({}), apiVersion: 'apps/v1' }),
      apply('me', a, { metadata: { name: 'a' } }),
      apply('me', a, { ...config({}), metadata: { name: 'b' } }),
      apply('me', a, { apiVersion: 'v1', kind: 'ConfigMap' }),
      apply('me', a, config({}, { namespace: 'other' })),
      apply('me', a, config({}, { managedFields: [] })),
      apply('me', a, config({}, { managedFields: [{ manager: 'x' }] })),
      apply('me', a, config({ a: 1 })),
      apply('me', a, config({ a: 1.5, b: '2' })),
      apply('me', a, config({ a: true })),
      apply('me', a, config('text')),
      apply('me', a, config(['x'])),
      apply('me', a, config({ a: { b: 'c' } })),
      apply('me', a, config({}, { labels: 'x' })),
      apply('me', a, config({}, { finalizers: ['ex.io/a', 'ex.io/a'] })),
      apply('me', a, config({}, { ownerReferences: [{ name: 'x' }] })),
      apply('me', a, config({ 'bad key': 'x' })),
      apply('me', a, config({}, { labels: { 'bad key': 'x' } })),
      apply('me', a, '[]'),
      apply('me', a, '"text"'),
      apply('me', a, ''),
      get(a),
    ],
  },
  {
    name: 'apply: YAML',
    steps: [
      apply(
        'me',
        a,
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: "1"\n  b: |\n    two\n    lines\n',
      ),
      apply('me', a, '# a comment\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: x\n  a: z\n'),
      apply('me', a, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: yes\n'),
      apply('me', a, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: &d\n  a: x\nbinaryData: *d\n'),
      apply('me', a, 'metadata: ['),
      apply('me', `${a}?fieldValidation=Ignore`, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  name: a\n'),
      get(a),
    ],
    except: ['4.body.message'],
  },
  {
    name: 'apply: resourceVersion and uid',
    steps: [
      apply('me', a, config({}, { uid: 'x' })),
      apply('me', a, config({ a: '1' }, { resourceVersion: '1' }), { save: { rv: 'metadata.resourceVersion' } }),
      apply('me', a, config({ a: '2' }, { resourceVersion: '{rv}' })),
      apply('me', a, config({ a: '3' }, { resourceVersion: '{rv}' })),
      apply('me', a, config({ a: '3' }, { uid: '00000000-0000-4000-8000-000000000000' })),
      apply('me', a, config({ a: '3' }, { resourceVersion: 'abc' })),
      get(a),
    ],
  },
  {
    name: 'apply: finalizers and owners are owned one by one',
    steps: [
      post(
        cms,
        configMap('a', {
          finalizers: ['ex.io/a'],
          ownerReferences: [{ apiVersion: 'none.example.com/v1', kind: 'None', name: 'x', uid: '1' }],
        }),
      ),
      apply('me', a, config({ a: '1' }, { finalizers: ['ex.io/b', 'ex.io/a'] })),
      apply('you', a, config({ a: '1' }, { finalizers: ['ex.io/c'] })),
      apply('me', a, config({ a: '1' }, { finalizers: ['ex.io/a'] })),
      apply('you', a, config({ a: '1' })),
      apply(
        'me',
        a,
        config({}, { ownerReferences: [{ apiVersion: 'none.example.com/v1', kind: 'None', name: 'y', uid: '1' }] }),
      ),
      apply(
        'me',
        `${a}?force=true`,
        config({}, { ownerReferences: [{ apiVersion: 'none.example.com/v1', kind: 'None', name: 'y', uid: '2' }] }),
      ),
      get(a),
    ],
  },
  {
    name: 'apply to what is being deleted',
    steps: [
      quietly(post(cms, configMap('a', { finalizers: ['ex.io/a'] }))),
      quietly(del(a)),
      apply('me', a, config({ b: '2' })),
      apply('me', a, config({}, { finalizers: ['ex.io/b'] })),
    ],
  },
  {
    name: 'apply to an object that nobody owned',
    steps: [
      ...filled('a'),
      merge(a, { metadata: { managedFields: [{}] } }),
      put(a, configMap('a', { data: { a: '1', b: '2' } })),
      apply('me', a, config({ a: '2' })),
      apply('me', a, config({ a: '1' })),
    ],
  },
  {
    name: 'apply to a subresource of what is not there',
    steps: [
      apply('me', '/api/v1/namespaces/{ns}-none/status', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: '{ns}-none' },
      }),
      apply('me', '/api/v1/namespaces/none/configmaps/a', config({})),
    ],
  },
  {
    name: 'apply to secrets',
    steps: [
      apply('me', `${secrets}/a`, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'a' },
        stringData: { s: 'text' },
        data: { d: 'ZA==' },
      }),
      apply('me', `${secrets}/a`, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'a' },
        stringData: { s: 'text' },
        data: { d: 'ZA==' },
      }),
      apply('you', `${secrets}/a`, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'a' },
        data: { s: 'ZA==' },
      }),
      get(`${secrets}/a`),
    ],
  },
  {
    name: 'apply: configurations that are not of a built-in type',
    steps: [
      {},
      { bogus: 1 },
      { replicas: 'x' },
      { paused: 'x' },
      { template: { spec: { containers: [{ name: 'c', imag: 'x' }] } } },
      { template: { spec: { containers: [{ name: 'c' }, { name: 'c' }] } } },
      { template: { spec: { containers: [{ image: 'x' }, { image: 'y' }] } } },
      { template: { spec: { containers: [{ name: 'c', ports: [{ containerPort: 80 }, { containerPort: 80 }] }] } } },
      { template: { spec: { containers: [{ name: 'c', args: [1] }] } } },
      { template: { spec: { tolerations: [{ kye: 'x' }] } } },
      { template: { spec: { containers: [{ name: 'c', resources: { limits: { cpu: [] } } }] } } },
      { template: [] },
      { selector: { matchLabels: { a: 1 } } },
      { strategy: { rollingUpdate: { maxSurge: {} } } },
    ].map(spec =>
      apply('me', '/apis/apps/v1/namespaces/{ns}/deployments/a', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a' },
        spec,
      }),
    ),
    except: ['0', '13'],
  },
  {
    name: 'apply to containers of a Deployment',
    steps: [
      applied('me', { containers: [{ name: 'c', image: 'x', env: [{ name: 'A', value: '1' }] }] }),
      applied('you', {
        containers: [
          { name: 'c', env: [{ name: 'B', value: '1' }] },
          { name: 'd', image: 'x' },
        ],
      }),
      applied('you', { containers: [{ name: 'c', image: 'y' }], volumes: [{ name: 'v', emptyDir: {} }] }),
      applied('me', {
        containers: [{ name: 'c', image: 'z', ports: [{ containerPort: 80 }], args: ['a'] }],
        tolerations: [{ operator: 'Exists' }],
      }),
    ],
  },
  {
    name: 'apply without the right to create',
    steps: [
      apply('me', a, config({ a: '1' }), { headers: as('nobody') }),
      quietly(
        post(`${rbac}/roles`, {
          metadata: { name: 'patches' },
          rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch', 'get'] }],
        }),
      ),
      quietly(
        post(`${rbac}/rolebindings`, {
          metadata: { name: 'patches' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'patches' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'patcher-{ns}' }],
        }),
      ),
      wait(a, { status: 404 }, as('patcher-{ns}')),
      apply('me', a, config({ a: '1' }), { headers: as('patcher-{ns}') }),
      ...filled('a'),
      apply('me', a, config({ b: '1' }), { headers: as('patcher-{ns}') }),
    ],
  },
  {
    name: 'bodies in YAML',
    steps: [
      yaml('POST', cms, 'metadata:\n  name: a\ndata:\n  a: x\n  a: z\n  c: "1"\n'),
      yaml('PUT', a, '# changed\nmetadata: {name: a}\ndata: {a: b}\n'),
      yaml('POST', cms, 'text'),
      yaml('POST', cms, '[]'),
      yaml('POST', cms, ''),
      yaml('POST', cms, 'metadata:\n  name: 1\n'),
      yaml('POST', cms, 'metadata: ['),
      yaml('POST', `${cms}?dryRun=All`, '{"metadata":{"name":"json"}}'),
      get(cms),
    ],
    except: ['6.body.message'],
  },
]
