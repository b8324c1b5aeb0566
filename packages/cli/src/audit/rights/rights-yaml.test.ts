import { expect, it } from 'vitest'
import { apiCall, type RequestHead } from '../ledger/api-call.ts'
import { Ledger } from '../ledger/ledger.ts'
import { rightsYaml } from './rights-yaml.ts'

type Sent = readonly [path: string, more?: Partial<RequestHead>, status?: number]

/** The roles for requests. */
function rolesFor(...sent: readonly Sent[]): string {
  const head = {
    method: 'GET',
    accept: '',
    contentType: '',
    userAgent: '',
    isUpgrade: false,
    isOwn: true,
    impersonation: {},
  }
  const ledger = new Ledger(() => 0, 1)
  for (const [path, more, status = 200] of sent) ledger.begin(apiCall({ ...head, path, ...more })).answered(status)
  return rightsYaml(ledger.rights.all())
}

/** The rules in one line each, with the roles and the comments. */
const short = (yaml: string): string[] =>
  yaml
    .replace(/^apiVersion.*\n|^metadata:\n|^rules:\n|^ {2}name: operator\n|^---\n/gm, '')
    .replace(/\n(?: {6,}- | {4,}| {2}(?=namespace))/g, ' ')
    .trim()
    .split('\n')
    .filter(line => !line.startsWith('# Seen'))

it('roles hold in the cluster, and in each namespace that the program used, with the names of what it watches by name', () => {
  const one = 'fieldSelector=metadata.name%3Dkey'
  const yaml = rolesFor(
    ['/apis/arcade.example.com/v1/games?watch=1'],
    ['/apis/arcade.example.com/v1/namespaces/a/games/chess/status', { method: 'PATCH' }],
    [`/api/v1/namespaces/a/secrets?${one}&watch=1`],
    [`/api/v1/namespaces/b/secrets?${one}`],
    ['/api/v1/namespaces/b/events', { method: 'POST' }, 201],
    ['/apis/coordination.k8s.io/v1/namespaces/own/leases/lock', { method: 'PUT' }],
    ['/version'],
    ['/metrics'],
  )
  expect(short(yaml)).toEqual([
    'kind: ClusterRole',
    '  - apiGroups: "" resources: events verbs: create',
    '  - apiGroups: arcade.example.com resources: games verbs: list watch',
    '  - apiGroups: arcade.example.com resources: games/status verbs: patch',
    '  - nonResourceURLs: /metrics verbs: get',
    'kind: Role namespace: a',
    '  - apiGroups: "" resources: secrets resourceNames: key verbs: list watch',
    'kind: Role namespace: b',
    '  - apiGroups: "" resources: secrets resourceNames: key verbs: list',
    'kind: Role namespace: own',
    '  - apiGroups: coordination.k8s.io resources: leases resourceNames: lock verbs: update',
  ])
})

it('a program without a view of the cluster needs roles in its namespaces only', () => {
  const paths = ['/api/v1/namespaces/a/configmaps/x', '/api/v1/namespaces/b/configmaps/y']
  expect(short(rolesFor(...paths.map(path => [path] as const)))).toEqual([
    'kind: Role namespace: a',
    '  - apiGroups: "" resources: configmaps verbs: get',
    'kind: Role namespace: b',
    '  - apiGroups: "" resources: configmaps verbs: get',
  ])
})

it('a request that is refused is needed, and marked', () => {
  const yaml = rolesFor(['/api/v1/pods?watch=1', {}, 403], ['/api/v1/namespaces/a/pods/b'], ['/api/v1/nodes', {}, 404])
  expect(short(yaml)).toEqual([
    'kind: ClusterRole',
    '  - apiGroups: "" resources: nodes verbs: list',
    '  # refused with 403: watch',
    '  - apiGroups: "" resources: pods verbs: get list watch',
  ])
})

it('a patch that makes an object needs its creation, and so does an exec', () => {
  const yaml = rolesFor(
    ['/api/v1/namespaces/a/configmaps/x', { method: 'PATCH' }, 201],
    ['/api/v1/namespaces/a/secrets/x', { method: 'PATCH' }],
    ['/api/v1/namespaces/a/pods/x/exec?command=ls', { isUpgrade: true }, 101],
    ['/api/v1/namespaces/a/pods/x/log'],
  )
  expect(short(yaml)).toEqual([
    'kind: Role namespace: a',
    '  - apiGroups: "" resources: configmaps verbs: create patch',
    '  - apiGroups: "" resources: pods/exec verbs: get create',
    '  - apiGroups: "" resources: pods/log verbs: get',
    '  - apiGroups: "" resources: secrets verbs: patch',
  ])
})

it('what others send through the proxy is not needed by the program', () => {
  const yaml = rolesFor(['/api/v1/pods', { isOwn: false }], ['*', { method: 'OPTIONS' }], ['/%zz'])
  expect(short(yaml)).toEqual(['# No request needed a right.'])
})

it('a program that writes roles may need more, which is said', () => {
  const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/a/roles'
  expect(rolesFor([path, { method: 'POST' }, 201])).toContain('# The program wrote roles or bindings')
  expect(rolesFor([path])).not.toContain('wrote roles')
})

it('a request as another user needs the right to act as that user and its groups, by name, and none of the rights of the request', () => {
  const path = '/api/v1/namespaces/a/secrets/key'
  const as = (impersonation: Record<string, string>): Sent => [path, { impersonation }]
  const yaml = rolesFor(
    as({ 'impersonate-user': 'jane', 'impersonate-group': 'dev\nops', 'impersonate-uid': 'u-1' }),
    as({ 'impersonate-user': 'system:serviceaccount:b:robot', 'impersonate-extra-scopes': 'view' }),
    ['/api/v1/serviceaccounts?watch=1'],
  )
  expect(short(yaml)).toEqual([
    '# The program acted as other users. The rights of these requests are theirs, and are not in these roles.',
    'kind: ClusterRole',
    '  - apiGroups: "" resources: serviceaccounts verbs: list watch',
    '  - apiGroups: "" resources: groups resourceNames: dev verbs: impersonate',
    '  - apiGroups: "" resources: groups resourceNames: ops verbs: impersonate',
    '  - apiGroups: "" resources: users resourceNames: jane verbs: impersonate',
    '  - apiGroups: authentication.k8s.io resources: uids resourceNames: u-1 verbs: impersonate',
    '  - apiGroups: authentication.k8s.io resources: userextras/scopes resourceNames: view verbs: impersonate',
    'kind: Role namespace: b',
    '  - apiGroups: "" resources: serviceaccounts resourceNames: robot verbs: impersonate',
  ])
})

it('a request as another user that is refused may be refused for the other user, so no right is marked', () => {
  const yaml = rolesFor(['/api/v1/pods', { impersonation: { 'impersonate-user': 'jane' } }, 403])
  expect(yaml).toContain('impersonate')
  expect(yaml).not.toContain('refused')
})

it('headers that name no user give no right', () => {
  const path = '/api/v1/pods'
  expect(short(rolesFor([path, { impersonation: { 'impersonate-group': 'dev' } }]))).toEqual([
    '# No request needed a right.',
  ])
  expect(short(rolesFor([path, { impersonation: { 'impersonate-user': '' } }]))).toEqual([
    'kind: ClusterRole',
    '  - apiGroups: "" resources: pods verbs: list',
  ])
})
