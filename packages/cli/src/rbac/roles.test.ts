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

/** An operator whose primary objects are in one namespace, or in the whole cluster. */
function operator(namespaces: Declaration['namespaces'], rights: Declaration['rights'] = []): Declaration {
  return { name: 'game', leader: false, health: undefined, namespaces, rights }
}

/** `Role arcade: list,watch secrets named key`, for each rule. */
function granted(seen: readonly UsedRight[], declaration: Declaration, own: readonly string[] = []): string[] {
  const program = { file: 'main.ts', declaration, used: [] }
  const tests = seen.map(right => ({ ...right, test: 'plays' }))
  const roles = neededRoles(neededRights(tests, program, { namespace: 'system', own }), undecided)
  return roles.flatMap(({ namespace, rules }) =>
    rules.map(({ verbs, resources, resourceNames }) => {
      const named = resourceNames === undefined ? '' : ` named ${resourceNames}`
      return `${namespace === '' ? 'cluster' : namespace}: ${verbs} ${resources}${named}`
    }),
  )
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
