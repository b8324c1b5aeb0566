import { describe, expect, it } from 'vitest'
import type { AccessAttributes } from './access.ts'
import { bootstrapPolicy } from './bootstrap-policy.ts'
import { forbidden } from './forbidden.ts'
import type { Binding, ClusterRole, PolicyRule, PolicySource, Role, Subject } from './policy.ts'
import { authorize } from './rbac.ts'
import { ruleAllows } from './rule.ts'

const user = { name: 'jane', groups: ['dev'] }

const asked = (parts: Partial<AccessAttributes> = {}): AccessAttributes => ({
  user,
  verb: 'get',
  resource: 'pods',
  group: '',
  version: 'v1',
  namespace: '',
  name: '',
  subresource: '',
  path: '/api/v1/pods',
  ...parts,
})

const rule = (parts: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: ['get', 'list'],
  apiGroups: [''],
  resources: ['pods'],
  ...parts,
})

interface Policy {
  readonly roles?: readonly Role[]
  readonly clusterRoles?: readonly ClusterRole[]
  readonly roleBindings?: readonly Binding[]
  readonly clusterRoleBindings?: readonly Binding[]
}

const source = ({
  roles = [],
  clusterRoles = [],
  roleBindings = [],
  clusterRoleBindings = [],
}: Policy): PolicySource => ({
  role: (namespace, name) => roles.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
  clusterRole: name => clusterRoles.find(({ metadata }) => metadata.name === name),
  clusterRoles: () => clusterRoles,
  roleBindings: namespace => roleBindings.filter(({ metadata }) => metadata.namespace === namespace),
  clusterRoleBindings: () => clusterRoleBindings,
})

const binding = (roleKind: string, role: string, subjects: Subject[], namespace?: string): Binding => ({
  metadata: { name: `${role}-binding`, namespace },
  roleRef: { kind: roleKind, name: role },
  subjects,
})

const jane: Subject = { kind: 'User', name: 'jane' }

describe('a rule', () => {
  const allows = (parts: Partial<PolicyRule>, wanted: Partial<AccessAttributes>): boolean =>
    ruleAllows(rule(parts), asked(wanted))

  it('F1: goes by verb, group and resource, each exactly or by *', () => {
    expect(allows({}, {})).toBe(true)
    expect(allows({}, { verb: 'watch' })).toBe(false)
    expect(allows({ verbs: ['*'] }, { verb: 'deletecollection' })).toBe(true)
    expect(allows({}, { group: 'apps' })).toBe(false)
    expect(allows({ apiGroups: ['*'] }, { group: 'apps' })).toBe(true)
    expect(allows({ apiGroups: [] }, {})).toBe(false)
    expect(allows({}, { resource: 'secrets' })).toBe(false)
    expect(allows({ resources: ['*'] }, { resource: 'secrets' })).toBe(true)
    expect(allows({ resources: undefined }, {})).toBe(false)
  })

  it('F1: a subresource is a resource of its own; * and */scale cover it', () => {
    expect(allows({}, { subresource: 'status' })).toBe(false)
    expect(allows({ resources: ['pods/status'] }, { subresource: 'status' })).toBe(true)
    expect(allows({ resources: ['pods/status'] }, {})).toBe(false)
    expect(allows({ resources: ['*'] }, { subresource: 'status' })).toBe(true)
    expect(allows({ resources: ['*/scale'] }, { resource: 'deployments', subresource: 'scale' })).toBe(true)
    expect(allows({ resources: ['*/scale'] }, { resource: 'deployments', subresource: 'status' })).toBe(false)
    expect(allows({ resources: ['*/scale'] }, { resource: 'deployments' })).toBe(false)
    expect(allows({ resources: ['pods/*'] }, { subresource: 'status' })).toBe(false)
  })

  it('F1: with names it covers those only, so a list only with a selector of that name', () => {
    const named = { resourceNames: ['c0001'], verbs: ['*'] }
    expect(allows(named, { name: 'c0001' })).toBe(true)
    expect(allows(named, { name: 'c0002' })).toBe(false)
    expect(allows(named, { verb: 'list' })).toBe(false)
    expect(allows(named, { verb: 'watch', name: 'c0001' })).toBe(true)
    expect(allows(named, { verb: 'create' })).toBe(false)
    expect(allows({ resourceNames: [] }, { name: 'c0002' })).toBe(true)
  })

  it('F1: for paths goes by URL, with a * at the end', () => {
    const path = (urls: string[], wanted: string): boolean =>
      allows({ nonResourceURLs: urls }, { resource: '', path: wanted })
    expect(path(['/healthz'], '/healthz')).toBe(true)
    expect(path(['/healthz'], '/healthz/etcd')).toBe(false)
    expect(path(['/healthz/*'], '/healthz/etcd')).toBe(true)
    expect(path(['/healthz/*'], '/healthz')).toBe(false)
    expect(path(['/heal*'], '/healthz')).toBe(true)
    expect(path(['*'], '/metrics')).toBe(true)
    expect(path(['/a*z'], '/abz')).toBe(false)
    expect(allows({ resources: ['*'] }, { resource: '', path: '/metrics' })).toBe(false)
    expect(allows({ nonResourceURLs: ['*'], resources: [] }, {})).toBe(false)
  })
})

describe('authorize', () => {
  const reader: ClusterRole = { metadata: { name: 'reader' }, rules: [rule()] }

  it('F1: allows everything to system:masters and nothing without a binding', () => {
    const policy = source({ clusterRoles: [reader] })
    expect(
      authorize(asked({ user: { name: 'root', groups: ['system:masters'] }, verb: 'escalate' }), policy).allowed,
    ).toBe(true)
    expect(authorize(asked(), policy)).toEqual({ allowed: false })
  })

  it('F1: a ClusterRoleBinding holds everywhere', () => {
    const policy = source({
      clusterRoles: [reader],
      clusterRoleBindings: [binding('ClusterRole', 'reader', [{ kind: 'User', name: 'joe' }, jane])],
    })
    for (const namespace of ['', 'prod']) {
      expect(authorize(asked({ namespace }), policy)).toEqual({
        allowed: true,
        reason: 'RBAC: allowed by ClusterRoleBinding "reader-binding" of ClusterRole "reader" to User "jane"',
      })
    }
    expect(authorize(asked({ verb: 'delete' }), policy).allowed).toBe(false)
    expect(authorize(asked({ user: { name: 'dev', groups: [] } }), policy).allowed).toBe(false)
  })

  it('F1: a RoleBinding holds in its namespace, for a Role there or a ClusterRole', () => {
    const policy = source({
      roles: [
        { metadata: { name: 'writer', namespace: 'prod' }, rules: [rule({ verbs: ['create'] })] },
        { metadata: { name: 'other', namespace: 'test' }, rules: [rule({ verbs: ['*'] })] },
      ],
      clusterRoles: [reader],
      roleBindings: [
        binding('Role', 'writer', [{ kind: 'Group', name: 'dev' }], 'prod'),
        binding('ClusterRole', 'reader', [jane], 'prod'),
      ],
    })
    expect(authorize(asked({ namespace: 'prod', verb: 'create' }), policy)).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "writer-binding/prod" of Role "writer" to Group "dev"',
    })
    expect(authorize(asked({ namespace: 'prod' }), policy).allowed).toBe(true)
    expect(authorize(asked({ namespace: 'test' }), policy).allowed).toBe(false)
    const anywhere = { ...policy, roleBindings: () => [binding('ClusterRole', 'reader', [jane], 'prod')] }
    expect(authorize(asked(), anywhere).allowed).toBe(false)
  })

  it('F1: a service account is the user of its namespace, by default the binding’s', () => {
    const account = (namespace?: string): Subject => ({ kind: 'ServiceAccount', name: 'web', namespace })
    const web = { name: 'system:serviceaccount:prod:web', groups: [] }
    const inProd = asked({ user: web, namespace: 'prod' })
    const bound = (subject: Subject, namespace?: string): boolean =>
      authorize(
        inProd,
        source({
          clusterRoles: [reader],
          ...(namespace === undefined
            ? { clusterRoleBindings: [binding('ClusterRole', 'reader', [subject])] }
            : { roleBindings: [binding('ClusterRole', 'reader', [subject], namespace)] }),
        }),
      ).allowed
    expect(bound(account('prod'))).toBe(true)
    expect(bound(account('test'))).toBe(false)
    expect(bound(account())).toBe(false)
    expect(bound(account(), 'prod')).toBe(true)
    expect(bound(account('test'), 'prod')).toBe(false)
    expect(bound({ kind: 'Robot', name: web.name })).toBe(false)
  })

  it('F1: names missing roles as the reason, each once, when nothing else allows it', () => {
    const missing = [binding('ClusterRole', 'gone', [jane]), binding('ClusterRole', 'gone', [jane])]
    expect(authorize(asked(), source({ clusterRoleBindings: missing }))).toEqual({
      allowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    })
    const both = {
      clusterRoleBindings: missing,
      roleBindings: [binding('Role', 'lost', [jane], 'prod')],
      clusterRoles: [reader],
    }
    expect(authorize(asked({ namespace: 'prod' }), source(both)).reason).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "lost" not found]',
    )
    const helped = { ...both, clusterRoleBindings: [...missing, binding('ClusterRole', 'reader', [jane])] }
    expect(authorize(asked({ namespace: 'prod' }), source(helped)).allowed).toBe(true)
  })

  it('F1: an aggregated ClusterRole has the rules of those it selects, also through another, and none of its own', () => {
    const aggregate = (
      name: string,
      labels: Record<string, string>,
      ...clusterRoleSelectors: object[]
    ): ClusterRole => ({
      metadata: { name, labels },
      rules: [rule({ verbs: ['own'] })],
      aggregationRule: { clusterRoleSelectors },
    })
    const part = (name: string, labels: Record<string, string>): ClusterRole => ({
      metadata: { name, labels },
      rules: [rule({ verbs: [name] })],
    })
    const allowed = (role: ClusterRole, ...others: ClusterRole[]): string[] => {
      const policy = source({
        clusterRoles: [role, ...others],
        clusterRoleBindings: [binding('ClusterRole', role.metadata.name, [jane])],
      })
      const verbs = ['own', 'a', 'b', 'c', 'd']
      return verbs.filter(verb => authorize(asked({ verb }), policy).allowed)
    }
    const a = part('a', { 'to-view': 'true' })
    const b = part('b', { 'to-edit': 'true', tier: 'x' })
    const c = part('c', { tier: 'y' })
    const d = part('d', {})
    const others = [a, b, c, d]
    expect(allowed(aggregate('view', {}, { matchLabels: { 'to-view': 'true' } }), ...others)).toEqual(['a'])
    const either = aggregate('either', {}, { matchLabels: { 'to-view': 'true' } }, { matchLabels: { tier: 'y' } })
    expect(allowed(either, ...others)).toEqual(['a', 'c'])
    const by = (operator: string, key: string, values?: string[]): string[] =>
      allowed(aggregate('by', {}, { matchExpressions: [{ key, operator, values }] }), ...others)
    expect(by('In', 'tier', ['x', 'z'])).toEqual(['b'])
    expect(by('NotIn', 'tier', ['x'])).toEqual(['a', 'c', 'd'])
    expect(by('Exists', 'tier')).toEqual(['b', 'c'])
    expect(by('DoesNotExist', 'tier')).toEqual(['a', 'd'])
    expect(by('Exists', 'constructor')).toEqual([])
    expect(by('Unknown', 'tier')).toEqual([])
    expect(allowed(aggregate('all', {}, {}), ...others)).toEqual(['a', 'b', 'c', 'd'])
    expect(allowed(aggregate('none', {}), ...others)).toEqual([])
    const edit = aggregate('edit', { 'to-admin': 'true' }, { matchLabels: { 'to-edit': 'true' } })
    const admin = aggregate('admin', { 'to-edit': 'true' }, { matchLabels: { 'to-admin': 'true' } })
    expect(allowed(admin, edit, ...others)).toEqual(['b'])
  })
})

describe('the default policy', () => {
  const objects = bootstrapPolicy()
  const policy = source({
    clusterRoles: objects.filter(({ kind }) => kind === 'ClusterRole') as ClusterRole[],
    clusterRoleBindings: objects.filter(({ kind }) => kind === 'ClusterRoleBinding') as unknown as Binding[],
  })
  const allowed = (group: string, parts: Partial<AccessAttributes>): boolean =>
    authorize(asked({ user: { name: 'x', groups: [group] }, ...parts }), policy).allowed
  const path = (wanted: string): Partial<AccessAttributes> => ({ resource: '', path: wanted })

  it('F1: lets the authenticated discover and ask about themselves, and everybody see health and version', () => {
    const [known, unknown] = ['system:authenticated', 'system:unauthenticated']
    expect([known, unknown].map(group => allowed(group, path('/version')))).toEqual([true, true])
    expect([known, unknown].map(group => allowed(group, path('/readyz')))).toEqual([true, true])
    expect([known, unknown].map(group => allowed(group, path('/apis/apps/v1')))).toEqual([true, false])
    expect([known, unknown].map(group => allowed(group, path('/metrics')))).toEqual([false, false])
    expect(allowed('system:monitoring', path('/metrics'))).toBe(true)
    const review = { verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' }
    expect([known, unknown].map(group => allowed(group, review))).toEqual([true, false])
    expect(allowed(known, {})).toBe(false)
  })
})

describe('the refusal', () => {
  it('F1: is worded as the real server words it', () => {
    const message = (parts: Partial<AccessAttributes>, reason?: string): string =>
      forbidden(asked({ verb: 'list', resource: 'configmaps', user: { name: 'x', groups: [] }, ...parts }), reason)
        .message
    expect(message({ namespace: 'v1' })).toBe(
      'configmaps is forbidden: User "x" cannot list resource "configmaps" in API group "" in the namespace "v1"',
    )
    expect(message({})).toBe(
      'configmaps is forbidden: User "x" cannot list resource "configmaps" in API group "" at the cluster scope',
    )
    expect(message({ namespace: 'v1', name: 'c1', verb: 'get' })).toBe(
      'configmaps "c1" is forbidden: User "x" cannot get resource "configmaps" in API group "" in the namespace "v1"',
    )
    expect(message({ group: 'ex.io', resource: 'foos', subresource: 'status', name: 'f', verb: 'update' })).toBe(
      'foos.ex.io "f" is forbidden: User "x" cannot update resource "foos/status" in API group "ex.io" at the cluster scope',
    )
    expect(message({ resource: '', path: '/metrics', verb: 'get' })).toBe(
      'forbidden: User "x" cannot get path "/metrics"',
    )
    expect(message({}, 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found')).toMatch(
      /at the cluster scope: RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found$/,
    )
    expect(message({ user: { name: '<b>&', groups: [] } })).toContain('User "&lt;b&gt;&amp;" cannot list')
  })

  it('F1: carries what was asked for in its details', () => {
    const status = forbidden(asked({ group: 'ex.io', resource: 'foos', name: 'f' })).toStatus()
    expect(status).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      details: { name: 'f', group: 'ex.io', kind: 'foos' },
    })
    expect(forbidden(asked()).toStatus().details).toEqual({ kind: 'pods' })
    expect(forbidden(asked({ resource: '', path: '/x' })).toStatus().details).toEqual({})
  })
})
