import { as, del, get, jsonPatch, merge, post, quietly, request, type Scenario, wait } from '../scenario.ts'
import type { SentHeaders } from '../target.ts'
import { configMap } from './shapes.ts'

const accounts = '/api/v1/namespaces/{ns}/serviceaccounts'
const pods = '/api/v1/namespaces/{ns}/pods'
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const authentication = '/apis/authentication.k8s.io/v1'
const authorization = '/apis/authorization.k8s.io/v1'
const ann = as('ann-{ns}')
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const account = (name: string) => quietly(post(accounts, { metadata: { name } }))
const pod = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'x' } },
  spec: {
    serviceAccountName: 'robot',
    automountServiceAccountToken: false,
    containers: [{ name: 'c', image: 'i' }],
    terminationGracePeriodSeconds: 0,
    ...more,
  },
})
const running = (name: string, ready = true) =>
  quietly(
    merge(`${pods}/${name}/status`, {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
    }),
  )
const evict = (name: string, more: object = {}, query = '') =>
  post(`${pods}/${name}/eviction${query}`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace: '{ns}' },
    ...more,
  })
const budgets = '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets'
const budget = (status: object, spec: object = {}) => [
  quietly(
    post(budgets, {
      metadata: { name: 'b' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } }, ...spec },
    }),
  ),
  quietly(merge(`${budgets}/b/status`, { status: { observedGeneration: 1, ...status } })),
]
const tokenRequest = (spec: object = {}): object => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  spec,
})
const review = (spec: object): object => ({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec })
const about = (verb: string, resource: string, more: object = {}): object => ({
  resourceAttributes: { namespace: '{ns}', verb, resource, ...more },
})
/** Ann may read ConfigMaps. The real server's authorizer sees it a moment later. */
const role: Scenario['steps'] = [
  quietly(
    post(`${rbac}/namespaces/{ns}/roles`, {
      metadata: { name: 'r' },
      rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] }],
    }),
  ),
  quietly(
    post(`${rbac}/namespaces/{ns}/rolebindings`, {
      metadata: { name: 'b' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [
        { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann-{ns}' },
        { kind: 'ServiceAccount', name: 'robot', namespace: '{ns}' },
      ],
    }),
  ),
  wait('/api/v1/namespaces/{ns}/configmaps', { status: 200 }, ann),
]

export const reviewScenarios: readonly Scenario[] = [
  {
    name: 'a token of a service account is given and taken',
    steps: [
      account('robot'),
      ...role,
      post(`${accounts}/robot/token`, tokenRequest(), { save: { token: 'status.token' } }),
      get('/api/v1/namespaces/{ns}/configmaps', { headers: bearer('{token}') }),
      get('/api/v1/namespaces/{ns}/secrets', { headers: bearer('{token}') }),
      post(
        `${authentication}/selfsubjectreviews`,
        { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        { headers: bearer('{token}') },
      ),
      del(`${accounts}/robot`),
      wait('/version', { status: 401 }, bearer('{token}')),
      get('/version', { headers: bearer('{token}') }),
    ],
    // Nobody owns the fields of what is not stored here.
    except: ['*.body.status.token', '*.body.metadata.managedFields'],
  },
  {
    name: 'requests for tokens that are refused',
    steps: [
      account('robot'),
      post(`${accounts}/nobody/token`, tokenRequest()),
      post(`${accounts}/robot/token`, tokenRequest({ expirationSeconds: 60 })),
      post(`${accounts}/robot/token`, { ...tokenRequest(), metadata: { name: 'other' } }),
      post(`${accounts}/robot/token`, { ...tokenRequest(), metadata: { namespace: 'other' } }),
      post(`${accounts}/robot/token`, configMap('a')),
      post(
        `${accounts}/robot/token`,
        tokenRequest({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } }),
      ),
      post(
        `${accounts}/robot/token`,
        tokenRequest({ boundObjectRef: { kind: 'Toy', apiVersion: 'v1', name: 'none' } }),
      ),
      post(`${accounts}/robot/token`, tokenRequest({ expirationSeconds: 4_294_967_297 })),
      get(`${accounts}/robot/token`),
      post(`${accounts}/robot/token`, tokenRequest(), { headers: ann }),
    ],
  },
  {
    name: 'tokens for an audience, and bound to a pod',
    steps: [
      account('robot'),
      account('other'),
      quietly(post(pods, pod('p'))),
      post(`${accounts}/robot/token`, tokenRequest({ audiences: ['vault', 'x'], expirationSeconds: 1000 }), {
        save: { vault: 'status.token' },
      }),
      get('/version', { headers: bearer('{vault}') }),
      post(`${authentication}/tokenreviews`, { spec: { token: '{vault}' } }),
      post(`${authentication}/tokenreviews`, { spec: { token: '{vault}', audiences: ['vault', 'y'] } }),
      post(`${accounts}/other/token`, tokenRequest({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } })),
      post(`${accounts}/robot/token`, tokenRequest({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } }), {
        save: { token: 'status.token' },
      }),
      post(`${authentication}/tokenreviews`, { spec: { token: '{token}' } }),
      quietly(del(`${pods}/p`)),
      wait('/version', { status: 401 }, bearer('{token}')),
      post(`${authentication}/tokenreviews`, { spec: { token: '{token}' } }),
    ],
    except: ['*.body.status.token', '*.body.spec.token', '*.body.metadata.managedFields'],
  },
  {
    name: 'reviews of tokens',
    steps: [
      post(`${authentication}/tokenreviews`, { spec: { token: 'nonsense' } }),
      post(`${authentication}/tokenreviews`, { spec: {} }),
      post(`${authentication}/tokenreviews`, { spec: { token: 'a.b.c' } }),
      get(`${authentication}/tokenreviews`),
      post(`${authentication}/tokenreviews`, { spec: { token: 'x' } }, { headers: ann }),
    ],
  },
  {
    name: 'what somebody may do is reviewed',
    steps: [
      account('robot'),
      ...role,
      post(`${authorization}/subjectaccessreviews`, review({ user: 'ann-{ns}', ...about('get', 'configmaps') })),
      post(`${authorization}/subjectaccessreviews`, review({ user: 'ann-{ns}', ...about('delete', 'configmaps') })),
      post(`${authorization}/subjectaccessreviews`, review({ user: 'nobody', ...about('get', 'configmaps') })),
      post(`${authorization}/subjectaccessreviews`, review({ groups: ['system:masters'], ...about('get', 'nodes') })),
      post(
        `${authorization}/subjectaccessreviews`,
        review({ user: 'system:serviceaccount:{ns}:robot', ...about('list', 'configmaps') }),
      ),
      post(
        `${authorization}/subjectaccessreviews`,
        review({
          user: 'a',
          groups: ['system:authenticated'],
          nonResourceAttributes: { path: '/version', verb: 'get' },
        }),
      ),
      post(`${authorization}/subjectaccessreviews`, review({ user: 'a' })),
      post(`${authorization}/subjectaccessreviews`, review(about('get', 'pods'))),
      post(
        `${authorization}/subjectaccessreviews`,
        review({ user: 'a', ...about('get', 'pods'), nonResourceAttributes: { path: '/', verb: 'get' } }),
      ),
      post(`${authorization}/subjectaccessreviews`, review({ user: 'a', ...about('get', 'pods') }), { headers: ann }),
      post(`${authorization}/namespaces/{ns}/localsubjectaccessreviews`, {
        metadata: { namespace: '{ns}' },
        spec: { user: 'ann-{ns}', ...about('get', 'configmaps') },
      }),
      post(`${authorization}/namespaces/{ns}/localsubjectaccessreviews`, {
        metadata: { namespace: '{ns}' },
        spec: { user: 'ann-{ns}', ...about('get', 'configmaps', { namespace: 'other' }) },
      }),
      post(`${authorization}/selfsubjectaccessreviews`, { spec: about('get', 'configmaps') }, { headers: ann }),
      post(`${authorization}/selfsubjectaccessreviews`, { spec: about('get', 'secrets') }, { headers: ann }),
      post(`${authorization}/selfsubjectaccessreviews`, { spec: {} }, { headers: ann }),
      post(`${authorization}/subjectaccessreviews?dryRun=All`, review({ user: 'a', ...about('get', 'pods') })),
    ],
    // Which of several bindings is named is chance in a real server.
    except: ['5.body.status.reason'],
  },
  {
    name: 'the identity of a user, and the rules that grant its rights',
    steps: [
      ...role,
      post(`${authentication}/selfsubjectreviews`, {}, { headers: as('bob', 'makers') }),
      post(`${authentication}/selfsubjectreviews`, {}, { headers: { ...ann, 'impersonate-extra-scope': 'a' } }),
      post(`${authorization}/selfsubjectrulesreviews`, { spec: { namespace: '{ns}' } }, { headers: ann }),
      post(`${authorization}/selfsubjectrulesreviews`, { spec: {} }, { headers: ann }),
    ],
    // So is the order of the rules.
    except: ['2.body.status.resourceRules', '2.body.status.nonResourceRules'],
  },
  {
    name: 'each line of a header is one value of the user that a request acts as, with its commas',
    steps: [
      { 'impersonate-extra-scope': 'a, b' },
      { 'impersonate-extra-scope': ['a,b', 'c', 'c', ''] },
      { 'impersonate-extra-scope': 'a', 'impersonate-extra-%53cope': 'b', 'impersonate-extra-a%2fb%zz': 'c' },
      { 'impersonate-group': 'a,b' },
      { 'impersonate-group': ['a, b', 'c', 'a, b', ''] },
      { 'impersonate-group': ['a', 'system:authenticated'], 'impersonate-uid': 'u, v' },
      { 'impersonate-uid': ['u', 'v'] },
      { 'impersonate-user': ['ann,b', 'bob'] },
    ].map(headers =>
      post(`${authentication}/selfsubjectreviews`, {}, { headers: { ...ann, ...headers } as SentHeaders }),
    ),
  },
  {
    name: 'pods are evicted where no budget is in the way',
    steps: [
      account('robot'),
      quietly(post(pods, pod('pending'))),
      quietly(post(pods, pod('running'))),
      quietly(post(pods, pod('dry'))),
      running('running'),
      running('dry'),
      evict('pending'),
      evict('running'),
      get(`${pods}/running`),
      evict('dry', {}, '?dryRun=All'),
      evict('dry', { deleteOptions: { dryRun: ['All'] } }),
      evict('dry', { deleteOptions: { preconditions: { uid: 'other' } } }),
      evict('dry', { deleteOptions: { preconditions: { resourceVersion: '1' } } }),
      evict('none'),
      evict('dry', { metadata: { name: 'other' } }),
      get(`${pods}/dry/eviction`),
      post(`${pods}/dry/eviction`, configMap('dry')),
      evict('dry', { deleteOptions: { gracePeriodSeconds: 0 } }),
    ],
  },
  {
    name: 'a budget with room lets a pod go, and has less room',
    steps: [
      account('robot'),
      quietly(post(pods, pod('a'))),
      quietly(post(pods, pod('c'))),
      running('a'),
      running('c'),
      ...budget({ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 }),
      evict('a', {}, '?dryRun=All'),
      evict('a'),
      get(`${budgets}/b`),
      evict('c'),
      jsonPatch(`${budgets}/b/status`, [{ op: 'replace', path: '/status/currentHealthy', value: 5 }], { quiet: true }),
      evict('c'),
    ],
  },
  {
    name: 'a budget that is not ready, negative, or one of two',
    steps: [
      account('robot'),
      quietly(post(pods, pod('a'))),
      running('a'),
      ...budget({ observedGeneration: 0 }),
      evict('a'),
      quietly(
        merge(`${budgets}/b/status`, { status: { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1 } }),
      ),
      evict('a'),
      quietly(
        merge(`${budgets}/b/status`, {
          status: {
            conditions: [
              {
                type: 'DisruptionAllowed',
                status: 'False',
                reason: 'SyncFailed',
                message: 'no',
                lastTransitionTime: '2020-01-01T00:00:00Z',
              },
            ],
          },
        }),
      ),
      evict('a'),
      quietly(post(budgets, { metadata: { name: 'c' }, spec: { minAvailable: 1, selector: {} } })),
      evict('a'),
    ],
  },
  {
    name: 'a pod that is not ready goes as its budget says',
    steps: [
      account('robot'),
      quietly(post(pods, pod('a'))),
      quietly(post(pods, pod('c'))),
      running('a', false),
      running('c', false),
      ...budget({ currentHealthy: 0, desiredHealthy: 1 }),
      evict('a'),
      quietly(merge(`${budgets}/b/status`, { status: { currentHealthy: 1 } })),
      evict('a'),
      quietly(merge(`${budgets}/b/status`, { status: { currentHealthy: 0 } })),
      quietly(merge(`${budgets}/b`, { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } })),
      evict('c'),
      get(`${budgets}/b`),
    ],
    // Zeros are left out.
    except: ['3.body.status'],
  },
  {
    name: 'a user without the right to evict or to ask for tokens is refused',
    steps: [
      account('robot'),
      ...role,
      request('POST', `${pods}/a/eviction`, { metadata: { name: 'a' } }, { headers: ann }),
      request('POST', `${accounts}/robot/token`, tokenRequest(), { headers: ann }),
    ],
  },
]
