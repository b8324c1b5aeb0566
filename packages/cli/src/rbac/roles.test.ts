import type { UsedRight } from '@wherry/testing'
import { expect, it } from 'vitest'
import { neededRights } from './needed.ts'
import { neverSeen } from './never-seen.ts'
import { neededRoles, undecidedNames } from './roles.ts'

const secrets = { group: '', resource: 'secrets' }
const games = { group: 'arcade.example.com', resource: 'games' }
const leases = { group: 'coordination.k8s.io', resource: 'leases' }
const undecided = { fixed: [], any: [] }

type Declaration = NonNullable<Parameters<typeof neededRights>[1]>['declaration']

/** An operator with primary objects in one namespace, or in the whole cluster. */
function operator(namespaces: Declaration['namespaces'], rights: Declaration['rights'] = []): Declaration {
  return { name: 'game', leader: false, health: undefined, namespaces, rights }
}

/** `arcade: list,watch secrets named key`, for each rule. */
function granted(
  seen: readonly UsedRight[],
  declaration: Declaration | undefined,
  own: readonly string[] = [],
  used: readonly UsedRight[] = [],
): string[] {
  return rulesOf(seen, declaration, own, used).map(
    ({ namespace, verbs, resources, nonResourceURLs, resourceNames }) => {
      const named = resourceNames === undefined ? '' : ` named ${resourceNames}`
      return `${namespace === '' ? 'cluster' : namespace}: ${verbs} ${resources ?? nonResourceURLs}${named}`
    },
  )
}

/** Without a declaration, the rights are those of the tests alone. */
function rulesOf(
  seen: readonly UsedRight[],
  declaration: Declaration | undefined,
  own: readonly string[],
  used: readonly UsedRight[],
) {
  const program = declaration && { file: 'main.ts', declaration, used }
  const namespace = declaration && 'system'
  const tests = seen.map(right => ({ ...right, by: 'plays' }))
  const roles = neededRoles(neededRights(tests, program, { namespace, own }), undecided)
  return roles.flatMap(({ namespace, rules }) => rules.map(rule => ({ namespace, ...rule })))
}

it('K4: what a test used in a namespace of its own is granted where the operator declares such objects', () => {
  const by = 'controller game: for'
  const rights = [{ verb: 'watch', ...games, namespace: 'arcade', by }]
  const seen = [
    { verb: 'patch', group: games.group, resource: 'games/status', namespace: 'default', name: 'chess' },
    // It is not declared, so it is where the primary objects are.
    { verb: 'create', group: '', resource: 'configmaps', namespace: 'default' },
    { verb: 'list', group: '', resource: 'nodes' },
  ]
  expect(granted(seen, operator(['arcade'], rights))).toEqual([
    'cluster: list nodes',
    'arcade: create configmaps',
    'arcade: watch games',
    'arcade: patch games/status',
  ])
  expect(granted(seen, operator(undefined, rights))).toEqual([
    'cluster: create configmaps',
    'cluster: list nodes',
    'arcade: watch games',
    'arcade: patch games/status',
  ])
})

it('K4: what each cluster lets every user do is in no role, and nothing else is left out', () => {
  const reviews = ['authentication', 'authorization'].flatMap(group =>
    ['selfsubjectreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'tokenreviews'].map(resource => ({
      ...{ verb: 'create', group: `${group}.k8s.io`, resource },
    })),
  )
  const paths = ['/api', '/apis/apps', '/openapi/v3', '/healthz', '/livez', '/readyz', '/version', '/version/']
  const other = ['/', '/apiserver', '/metrics/api', '/logs', '/readyz/etcd']
  const seen = [
    ...reviews,
    { ...secrets, verb: 'create' },
    { verb: 'get', group: 'authorization.k8s.io', resource: 'selfsubjectrulesreviews' },
    ...[...paths, ...other].map(path => ({ verb: 'get', path })),
    { verb: 'post', path: '/api' },
  ]
  expect(granted(seen, operator(undefined))).toEqual([
    'cluster: create secrets',
    'cluster: create selfsubjectaccessreviews',
    'cluster: create selfsubjectrulesreviews',
    'cluster: create tokenreviews',
    'cluster: create selfsubjectreviews',
    'cluster: get selfsubjectrulesreviews',
    'cluster: create tokenreviews',
    'cluster: get /',
    'cluster: post /api',
    'cluster: get /apiserver',
    'cluster: get /logs',
    'cluster: get /metrics/api',
    'cluster: get /readyz/etcd',
  ])
})

it('K4: a right in the whole cluster takes the place of the same one in a namespace, and of no other', () => {
  const by = 'controller game: for'
  const rights = [
    { verb: 'list', ...games, by },
    { verb: 'list', ...games, namespace: 'arcade', by },
    { verb: 'patch', ...games, namespace: 'arcade', by },
    { verb: 'get', ...secrets, name: 'key', by },
    { verb: 'get', ...secrets, namespace: 'arcade', by },
  ]
  expect(granted([], operator(['arcade'], rights))).toEqual([
    'cluster: get secrets',
    'cluster: list games',
    'arcade: get secrets',
    'arcade: patch games',
  ])
})

it('K4: what the program uses before its operator runs is granted, and says so', () => {
  const used = [
    { verb: 'get', ...secrets, namespace: 'default', name: 'key' },
    { verb: 'get', path: '/version' },
  ]
  expect(rulesOf([], operator(['arcade']), [], used)).toEqual([
    {
      ...{ namespace: 'arcade', apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
      by: ['main.ts, before its operator runs'],
    },
  ])
})

it('K4: objects are where those of the same group and resource are declared', () => {
  const rights = [
    { verb: 'watch', ...games, namespace: 'arcade', by: 'controller game: for' },
    { verb: 'watch', group: games.group, resource: 'scores', namespace: 'scores', by: 'controller game: owns' },
    {
      verb: 'watch',
      group: 'other.example.com',
      resource: 'games',
      namespace: 'other',
      by: 'controller game: watches',
    },
  ]
  const seen = [{ verb: 'patch', ...games, namespace: 'default', name: 'chess' }]
  expect(granted(seen, operator(undefined, rights))).toEqual([
    'arcade: watch,patch games',
    'other: watch games',
    'scores: watch scores',
  ])
})

it('K4: without a program, what is written but never watched is in the cluster if something is watched there', () => {
  const event = { verb: 'create', group: '', resource: 'events', namespace: 'test' }
  const state = { verb: 'patch', group: '', resource: 'configmaps', namespace: 'test', name: 'state' }
  const watched = { verb: 'list', ...games, namespace: 'test' }
  expect(granted([event, watched, { verb: 'list', ...secrets, name: 'key' }], undefined)).toEqual([
    'cluster: list secrets named key',
    'test: create events',
    'test: list games',
  ])
  const seen = [event, state, watched, { verb: 'list', group: '', resource: 'nodes' }]
  expect(granted(seen, undefined, ['configmaps'])).toEqual([
    'cluster: create events',
    'cluster: list nodes',
    'test: patch configmaps',
    'test: list games',
  ])
  expect(granted([event, watched], undefined)).toEqual(['test: create events', 'test: list games'])
})

it('K4: the right to own objects is granted as tests used it, as OpenShift requires it', () => {
  const primary = { verb: 'watch', ...games, namespace: 'arcade', by: 'controller game: for' }
  const finalizers = { verb: 'update', group: games.group, resource: 'games/finalizers' }
  const seen = [{ ...finalizers, namespace: 'test-1', name: 'chess' }]
  expect(granted(seen, operator(['arcade'], [primary]))).toEqual([
    'arcade: watch games',
    'arcade: update games/finalizers',
  ])
})

it('K4: a lease, and what the user says, is granted in the own namespace of the operator', () => {
  const seen = [
    { verb: 'update', ...leases, namespace: 'default', name: 'game' },
    { verb: 'patch', group: '', resource: 'configmaps', namespace: 'default', name: 'state' },
  ]
  expect(granted(seen, operator(undefined), ['configmaps'])).toEqual([
    'system: patch configmaps',
    'system: update leases named game',
  ])
})

it('K4: names that views declare are granted; a verb on another name is granted on all', () => {
  const rights = ['list', 'watch'].map(verb => ({ verb, ...secrets, namespace: 'arcade', name: 'key', by: 'watches' }))
  const seen = [
    { verb: 'watch', ...secrets, namespace: 'default', name: 'key' },
    { verb: 'patch', ...secrets, namespace: 'default', name: 'other' },
  ]
  expect(granted(seen, operator(['arcade'], rights))).toEqual([
    'arcade: list,watch secrets named key',
    'arcade: patch secrets',
  ])
  const needed = (name: string) => [{ verb: 'watch', ...secrets, name, by: 'plays' }]
  expect(undecidedNames(needed('key'), rights, undecided)).toEqual([])
  expect(undecidedNames(needed('of-a-game'), rights, undecided)).toEqual([
    { resource: 'secrets', names: ['of-a-game'] },
  ])
})

it('K4: a verb is granted by name if each use of it was on a name that is watched', () => {
  const watched = ['token', 'key', 'license'].map(name => ({ verb: 'watch', ...secrets, namespace: 'test', name }))
  const seen = [
    ...watched,
    ...['token', 'key'].map(name => ({ verb: 'patch', ...secrets, namespace: 'test', name })),
    ...['key', 'other'].map(name => ({ verb: 'update', ...secrets, namespace: 'test', name })),
    { verb: 'delete', ...secrets, namespace: 'test', name: 'key' },
    { verb: 'delete', ...secrets, namespace: 'test' },
  ]
  expect(granted(seen, undefined)).toEqual([
    'test: list,watch,patch secrets named key,license,token',
    'test: update,delete secrets',
  ])
})

it('K4: verbs stand in the order of their use, and others behind them', () => {
  const verbs = [
    'impersonate',
    'deletecollection',
    'delete',
    'bind',
    'patch',
    'update',
    'create',
    'list',
    'get',
    'approve',
  ]
  const seen = verbs.map(verb => ({ verb, ...games, namespace: 'test' }))
  expect(granted(seen, undefined)).toEqual([
    'test: get,list,create,update,patch,delete,deletecollection,approve,bind,impersonate games',
  ])
})

it('K4: names that a view of another resource declares say nothing', () => {
  const needed = ['token', 'key'].map(name => ({ verb: 'list', ...secrets, name, by: 'plays' }))
  const views = [
    { ...secrets, resource: 'configmaps', name: 'key' },
    { ...secrets, group: 'example.com', name: 'token' },
  ]
  expect(undecidedNames(needed, views, undecided)).toEqual([{ resource: 'secrets', names: ['key', 'token'] }])
  expect(undecidedNames(needed, [...views, { ...secrets, name: 'key' }], undecided)).toEqual([
    { resource: 'secrets', names: ['token'] },
  ])
})

it('K4: what controllers declare and no test used is named, once for all namespaces; a watch is a list, too', () => {
  const rights = ['a', 'b'].flatMap(namespace => [
    ...['list', 'watch'].map(verb => ({ verb, ...games, namespace, by: 'controller game: for' })),
    ...['list', 'watch'].map(verb => ({ verb, ...secrets, namespace, by: 'controller game: watches' })),
    { verb: 'create', group: '', resource: 'events', namespace, by: 'controller game: events' },
    { verb: 'get', ...leases, namespace, by: 'leader' },
  ])
  const unseen = neverSeen(rights, [{ verb: 'watch', ...games }])
  expect(unseen.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(['list secrets', 'watch secrets'])
})

const webhooks = [
  { verb: 'create', ...secrets, namespace: 'system', by: 'webhooks', exact: true },
  ...['list', 'watch', 'patch'].map(verb => ({
    ...{ verb, ...secrets, namespace: 'system', name: 'authorities', by: 'webhooks', exact: true },
  })),
]
const ofWebhooks = ['system: create secrets', 'system: list,watch,patch secrets named authorities']
const usedByWebhooks = [
  { verb: 'create', ...secrets, namespace: 'default' },
  ...['watch', 'patch'].map(verb => ({ verb, ...secrets, namespace: 'default', name: 'authorities' })),
]

it('K4: what is declared exactly is granted by its name alone, also if the operator watches all such objects', () => {
  const by = 'controller game: watches'
  const view = { verb: 'watch', ...secrets, namespace: 'system', by }
  expect(granted([{ verb: 'watch', ...secrets, namespace: 'default' }], operator(['a'], [view, ...webhooks]))).toEqual([
    'system: list,watch secrets',
    ...ofWebhooks,
  ])
  const one = { ...view, name: 'key' }
  expect(granted([], operator(['a'], [one, ...webhooks]))).toEqual(['system: watch secrets named key', ...ofWebhooks])
})

it('K4: what tests used of that is no other right, and needs no word of the user', () => {
  const declaration = operator(undefined, webhooks)
  expect(granted(usedByWebhooks, declaration)).toEqual(ofWebhooks)
  const tests = usedByWebhooks.map(right => ({ ...right, by: 'plays' }))
  const needed = neededRights(tests, { file: 'main.ts', declaration, used: [] }, { namespace: 'system', own: [] })
  expect(undecidedNames(needed, declaration.rights, undecided)).toEqual([])
})

it('K4: what tests used of other objects is granted in addition, with creations', () => {
  const other = { verb: 'patch', ...secrets, namespace: 'default', name: 'key' }
  expect(granted([...usedByWebhooks, other], operator(['a'], webhooks))).toEqual([
    'a: create,patch secrets',
    ...ofWebhooks,
  ])
})
