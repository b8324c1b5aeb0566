import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Client } from '@wherry/client'
import { configMaps, nodes, secrets, serviceAccounts } from '@wherry/client/resources/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Timer } from '../sources/timer.ts'
import type { OperatorDeclaration } from './declaration.ts'
import { Operator } from './operator.ts'
import type { OperatorOptions } from './options.ts'

let published: unknown[]
const listener = (message: unknown): void => void published.push(message)

beforeEach(() => {
  published = []
  subscribe('wherry.operator.run', listener)
})

afterEach(() => unsubscribe('wherry.operator.run', listener))

/** What an operator publishes when it is run; it ends at once. Nothing listens at its server. */
async function declared(
  declare: (operator: Operator) => void,
  options: Omit<OperatorOptions, 'client' | 'name'> = {},
): Promise<OperatorDeclaration> {
  await using client = new Client({ url: 'http://127.0.0.1:9' })
  await using operator = new Operator({ name: 'game', client, ...options })
  declare(operator)
  await operator.run({ signal: AbortSignal.abort() })
  expect(published).toHaveLength(1)
  return published[0] as OperatorDeclaration
}

/** `list configmaps`, with the namespace, the name, and what needs it. */
function lines({ rights }: OperatorDeclaration): string[] {
  return rights.map(({ verb, group, resource, namespace, name, by }) => {
    const place = namespace === undefined ? '' : ` in ${namespace}`
    return `${verb} ${resource}${group && `.${group}`}${place}${name === undefined ? '' : ` named ${name}`} (${by})`
  })
}

const nothing = (): void => {}
const here = { namespaces: ['b', 'a'] }

it('K4: an operator declares the rights of its views, its finalizer and its events where its objects are', async () => {
  const declaration = await declared(operator =>
    operator
      .controller('key')
      .for(serviceAccounts.within(here))
      .owns(configMaps.within({ namespaces: ['a'] }))
      .watches(secrets.within({ namespaces: ['b'], fields: { 'metadata.name': 'one' } }), () => [])
      .from(new Timer({ everyMs: 1000 }))
      .caches(nodes.metadata())
      .finalizer('example.com/key', nothing)
      .reconcile(nothing),
  )
  expect(declaration).toMatchObject({ name: 'game', leader: false, health: undefined, namespaces: ['a', 'b'] })
  const both = (verbs: readonly string[], what: string, by: string): string[] =>
    ['a', 'b'].flatMap(namespace => verbs.map(verb => `${verb} ${what} in ${namespace} (controller key: ${by})`))
  expect(lines(declaration)).toEqual([
    ...both(['list', 'watch'], 'serviceaccounts', 'for'),
    ...both(['get', 'patch'], 'serviceaccounts', 'finalizer'),
    'list configmaps in a (controller key: owns)',
    'watch configmaps in a (controller key: owns)',
    'list secrets in b named one (controller key: watches)',
    'watch secrets in b named one (controller key: watches)',
    'list nodes (controller key: caches)',
    'watch nodes (controller key: caches)',
    ...both(['create', 'patch'], 'events', 'events'),
  ])
})

it('K4: events about objects without a namespace are declared in `default`, and a singleton has no objects', async () => {
  const declaration = await declared(operator => {
    operator.controller('node').for(nodes).reconcile(nothing)
    operator
      .controller('all')
      .singleton()
      .watches(secrets.within({ namespaces: ['a'] }))
      .reconcile(nothing)
  })
  expect(declaration.namespaces).toBeUndefined()
  expect(lines(declaration)).toEqual([
    'list nodes (controller node: for)',
    'watch nodes (controller node: for)',
    'create events in default (controller node: events)',
    'patch events in default (controller node: events)',
    'list secrets in a (controller all: watches)',
    'watch secrets in a (controller all: watches)',
  ])
})

it('K4: the lease and the reviews of tokens are declared, and what the health server serves', async () => {
  const declare = (operator: Operator): unknown => operator.controller('key').for(serviceAccounts).reconcile(nothing)
  const health = { host: '0.0.0.0', port: 0, tokenReview: true }
  const declaration = await declared(declare, { leader: { namespace: 'arcade' }, health })
  expect(declaration).toMatchObject({
    leader: true,
    health: { host: '0.0.0.0', port: 0, tls: false, metrics: false, tokenReview: true },
  })
  expect(lines(declaration).slice(4)).toEqual([
    'get leases.coordination.k8s.io in arcade named game (leader)',
    'update leases.coordination.k8s.io in arcade named game (leader)',
    'watch leases.coordination.k8s.io in arcade named game (leader)',
    'create leases.coordination.k8s.io in arcade (leader)',
    'create tokenreviews.authentication.k8s.io (health: tokenReview)',
    'create subjectaccessreviews.authorization.k8s.io (health: tokenReview)',
  ])
})

it('K4: a component declares its rights and its details, and one that declares nothing has none', async () => {
  const life = { start: async () => {}, stop: async () => {} }
  const right = { verb: 'create', group: '', resource: 'secrets', namespace: 'a', by: 'server', exact: true }
  const declaration = await declared(operator => {
    operator.controller('key').singleton().watches(nodes).reconcile(nothing)
    operator.addComponent({ name: 'plain', ...life })
    operator.addComponent({ name: 'server', ...life, declare: () => ({ rights: [right], details: { port: 9443 } }) })
  })
  expect(declaration.controllers).toEqual(['key'])
  expect(declaration.components).toEqual([{ name: 'plain' }, { name: 'server', details: { port: 9443 } }])
  expect(declaration.rights.slice(2)).toEqual([right])
})

it('K4: an operator with shards declares the rights to its lease, to the ring, and to release its objects', async () => {
  const declaration = await declared(
    operator => {
      operator.controller('key').for(serviceAccounts.within(here)).reconcile(nothing)
      operator.controller('everywhere', { needLeaderElection: false }).for(configMaps).reconcile(nothing)
    },
    { shards: { ring: 'keys', namespace: 'system' } },
  )
  expect(declaration.leader).toBe(true)
  expect(declaration.rights.find(({ resource }) => resource === 'controllerrings')?.exact).toBe(true)
  expect(lines(declaration).filter(line => line.includes('shards'))).toEqual([
    'patch serviceaccounts in a (controller key: shards)',
    'patch serviceaccounts in b (controller key: shards)',
    'get controllerrings.sharding.timebertt.dev named keys (shards)',
    ...['get', 'update', 'watch', 'create'].map(verb => `${verb} leases.coordination.k8s.io in system (shards)`),
  ])
})

it('K4: an operator that shares objects by uid declares its number of processes, and the right to list their leases', async () => {
  const declaration = await declared(
    operator => {
      operator.controller('key').for(serviceAccounts.within(here)).reconcile(nothing)
    },
    { shards: { count: 3, namespace: 'system' } },
  )
  expect([declaration.leader, declaration.processes]).toEqual([true, 3])
  expect(lines(declaration).filter(line => line.includes('shards'))).toEqual(
    ['get', 'update', 'watch', 'create', 'list'].map(verb => `${verb} leases.coordination.k8s.io in system (shards)`),
  )
})
