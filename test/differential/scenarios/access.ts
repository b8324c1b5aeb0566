import { as, collect, del, get, merge, post, put, quietly, request, type Scenario, wait, watch } from '../scenario.ts'
import { cms, configMap, filled, namespaces } from './shapes.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const inNamespace = `${rbac}/namespaces/{ns}`
const ann = as('ann-{ns}')
/** A role for ann. The real server's authorizer sees it a moment later: `path` is read until that is `status`. */
const role = (rules: unknown[], path: string, status: number): Scenario['steps'] => [
  quietly(post(`${inNamespace}/roles`, { metadata: { name: 'r' }, rules })),
  quietly(
    post(`${inNamespace}/rolebindings`, {
      metadata: { name: 'b' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann-{ns}' }],
    }),
  ),
  wait(path, { status }, ann),
]
const a = `${cms}/a`
const owner = (more: object = {}): object => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{uid}' },
  ...more,
})

export const accessScenarios: readonly Scenario[] = [
  {
    name: 'a user without rights is refused',
    steps: [
      get(cms, { headers: ann }),
      get('/api/v1/configmaps', { headers: ann }),
      get(a, { headers: ann }),
      get(`${cms}?watch=1`, { headers: ann }),
      get(`${cms}?fieldSelector=metadata.name=a`, { headers: ann }),
      post(cms, configMap('a'), { headers: ann }),
      put(a, configMap('a'), { headers: ann }),
      merge(a, {}, { headers: ann }),
      del(a, undefined, { headers: ann }),
      del(cms, undefined, { headers: ann }),
      get('/api/v1/nodes', { headers: ann }),
      get('/api/v1/nodes/n', { headers: ann }),
      get('/apis/apps/v1/namespaces/{ns}/deployments/d/status', { headers: ann }),
      get(`${namespaces}/{ns}`, { headers: ann }),
      get('/apis/nonsense.io/v1/things', { headers: ann }),
      get('/metrics', { headers: ann }),
      get('/version', { headers: ann }),
      get('/nonsense/<b>', { headers: ann }),
      post('/api', {}, { headers: ann }),
    ],
    except: ['16.body'],
  },
  {
    name: 'a HEAD takes the right of a GET, and is not served',
    steps: [
      ...[cms, a, `${cms}?watch=1`, '/api/v1/nodes', '/version', '/nonsense'].map(path =>
        request('HEAD', path, undefined, { headers: ann }),
      ),
      ...role([{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }], a, 404),
      ...[cms, a, `${cms}?watch=1`, `${a}/status`].map(path => request('HEAD', path, undefined, { headers: ann })),
      ...[cms, a, '/version', '/nonsense', '/apis/nonsense.io/v1/things'].map(path => request('HEAD', path)),
      ...['OPTIONS', 'TRACE'].flatMap(method => [
        request(method, cms, undefined, { headers: ann }),
        request(method, '/version', undefined, { headers: ann }),
        request(method, cms),
      ]),
    ],
  },
  {
    name: 'an owner that blocks its deletion takes the right to its finalizers',
    steps: [
      ...role([{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'update', 'patch'] }], a, 404),
      quietly(post(cms, configMap('owner'), { save: { uid: 'metadata.uid' } })),
      quietly(post(cms, configMap('a'))),
      merge(a, { metadata: { ownerReferences: [owner()] } }, { headers: ann }),
      post(cms, configMap('b', { ownerReferences: [owner()] }), { headers: ann }),
      post(cms, configMap('c', { ownerReferences: [owner({ blockOwnerDeletion: true })] }), {
        headers: ann,
      }),
      post(cms, configMap('c', { ownerReferences: [owner({ blockOwnerDeletion: true, kind: 'X' })] }), {
        headers: ann,
      }),
      post(cms, configMap('c', { ownerReferences: [owner({ blockOwnerDeletion: true, kind: 'Node', name: 'n' })] }), {
        headers: ann,
      }),
      merge(`${cms}/b`, { metadata: { ownerReferences: null } }, { headers: ann }),
      merge(`${cms}/b`, { metadata: { labels: { x: 'y' } } }, { headers: ann }),
      quietly(
        post(`${inNamespace}/roles`, {
          metadata: { name: 's' },
          rules: [
            { apiGroups: [''], resources: ['configmaps/finalizers'], verbs: ['update'] },
            { apiGroups: [''], resources: ['configmaps'], verbs: ['delete', 'list'] },
          ],
        }),
      ),
      quietly(
        post(`${inNamespace}/rolebindings`, {
          metadata: { name: 's' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 's' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann-{ns}' }],
        }),
      ),
      wait(cms, { status: 200 }, ann),
      merge(a, { metadata: { ownerReferences: [owner({ blockOwnerDeletion: true })] } }, { headers: ann }),
      merge(a, { metadata: { ownerReferences: null } }, { headers: ann }),
    ],
    // Fields of owners are named by the owners' uids.
    except: ['*.body.metadata.managedFields'],
  },
  {
    name: 'a wrong token',
    steps: [
      get(cms, { headers: { authorization: 'Bearer wrong' } }),
      get('/version', { headers: { authorization: 'Bearer wrong' } }),
    ],
  },
  {
    name: 'nobody',
    steps: [
      get(cms, { headers: as('system:anonymous', 'system:unauthenticated') }),
      get('/healthz', { headers: as('system:anonymous', 'system:unauthenticated') }),
      get('/api', { headers: as('system:anonymous', 'system:unauthenticated') }),
    ],
  },
  {
    name: 'a user with the right to read',
    steps: [
      ...role([{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['configmaps'] }], cms, 200),
      ...filled('a'),
      get(a, { headers: ann }),
      get(cms, { headers: ann }),
      watch('w', `${cms}?watch=1`, ann),
      collect('w', { events: 1 }),
      del(a, undefined, { headers: ann }),
      get('/api/v1/configmaps', { headers: ann }),
    ],
  },
  {
    name: 'a user with rights to a single name',
    steps: [
      ...role(
        [{ verbs: ['*'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'] }],
        `${cms}?fieldSelector=metadata.name=a`,
        200,
      ),
      ...filled('a', 'b'),
      get(a, { headers: ann }),
      get(`${cms}/b`, { headers: ann }),
      get(cms, { headers: ann }),
      get(`${cms}?fieldSelector=metadata.name=a`, { headers: ann }),
      get(`${cms}?fieldSelector=metadata.name=b`, { headers: ann }),
      watch('w', `${cms}?watch=1&fieldSelector=metadata.name=a`, ann),
      collect('w', { events: 1 }),
      post(cms, configMap('a'), { headers: ann }),
      del(`${cms}?fieldSelector=metadata.name=a`, undefined, { headers: ann }),
    ],
  },
  {
    name: 'a user with the right to write a subresource',
    steps: [
      ...role(
        [{ verbs: ['get', 'patch'], apiGroups: [''], resources: ['pods/status'] }],
        '/api/v1/namespaces/{ns}/pods/p/status',
        404,
      ),
      get('/api/v1/namespaces/{ns}/pods/p', { headers: ann }),
      get('/api/v1/namespaces/{ns}/pods/p/status', { headers: ann }),
      merge('/api/v1/namespaces/{ns}/pods/p/status', {}, { headers: ann }),
    ],
  },
  {
    name: 'impersonation by a user that is allowed to',
    steps: [
      get('/apis/authentication.k8s.io/v1/selfsubjectreviews', { headers: ann }),
      get(cms, { headers: { 'impersonate-group': 'x' } }),
      get(cms, { headers: { 'impersonate-uid': 'x' } }),
      get(cms, { headers: { 'impersonate-extra-scope': 'x' } }),
      get(cms, { headers: as('bob', 'system:masters') }),
      get(cms, { headers: as('system:serviceaccount:{ns}:robot') }),
    ],
  },
  {
    name: 'nobody grants rights that they do not have',
    steps: [
      ...role(
        [
          { verbs: ['*'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'] },
          { verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps', 'pods/log'] },
          { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['d'] },
        ].map(rule => ({
          ...rule,
          verbs: rule.verbs.includes('*') ? ['get', 'create', 'update', 'patch', 'delete'] : rule.verbs,
        })),
        `${inNamespace}/roles/none`,
        404,
      ),
      ...[
        [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }],
        [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods/log'] }],
        [{ verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['d'] }],
        [{ verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'] }],
        [{ verbs: ['get', 'watch'], apiGroups: [''], resources: ['configmaps'] }],
        [{ verbs: ['*'], apiGroups: [''], resources: ['configmaps'] }],
        [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
        [{ verbs: ['get'], apiGroups: ['*'], resources: ['configmaps'] }],
      ].map((rules, i) => post(`${inNamespace}/roles`, { metadata: { name: `given-${i}` }, rules }, { headers: ann })),
      merge(
        `${inNamespace}/roles/given-0`,
        { rules: [{ verbs: ['delete'], apiGroups: [''], resources: ['secrets'] }] },
        { headers: ann },
      ),
      merge(`${inNamespace}/roles/given-0`, { metadata: { labels: { a: 'b' } } }, { headers: ann }),
      quietly(
        post(`${inNamespace}/roles`, {
          metadata: { name: 'more' },
          rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }],
        }),
      ),
      ...['given-0', 'more', 'none'].map(name =>
        post(
          `${inNamespace}/rolebindings`,
          {
            metadata: { name: `of-${name}` },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
            subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' }],
          },
          { headers: ann },
        ),
      ),
    ],
  },
  {
    name: 'roles for users are there from the start',
    steps: ['cluster-admin', ...['admin', 'edit', 'view'].flatMap(name => [name, `system:aggregate-to-${name}`])].map(
      name => get(`${rbac}/clusterroles/${name}`),
    ),
    except: ['*.body.metadata.managedFields'],
  },
  {
    name: 'roles that are refused',
    steps: [
      post(`${inNamespace}/roles`, { metadata: { name: 'a:b' }, rules: [] }),
      post(`${inNamespace}/roles`, { metadata: { name: 'a%b' }, rules: [] }),
      post(`${inNamespace}/roles`, { metadata: { name: 'a/b' }, rules: [] }),
      request('GET', `${inNamespace}/roles`),
    ],
    except: ['*.body.rules', '*.body.items.*.rules'],
  },
]
