import {
  Client,
  defineResource,
  isConflict,
  isForbidden,
  isResourceNotFound,
  type KubernetesObject,
  type View,
} from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { clusterRoleBindings, clusterRoles } from '@wherry/client/resources/rbac'
import { Informer, type SharedInformer } from '@wherry/informer'
import type { ApiServer } from '@wherry/testing'
import { shortTimers } from '@wherry/testing/real/testkit/short-timers'
import { expect, it, vi } from 'vitest'
import { DynamicCache } from '../dynamic-cache.ts'
import { leftOver } from './left-over.ts'

interface Game extends KubernetesObject {
  spec?: { lives?: number }
}
const games = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})
const definition = { name: 'games.arcade.example.com' }

const served = (name: string, storage = false, isServed = true) => ({
  name,
  served: isServed,
  storage,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as never },
})
const definitionOf = (...versions: ReturnType<typeof served>[]) => ({
  metadata: definition,
  spec: { group: 'arcade.example.com', scope: 'Namespaced', names: { plural: 'games', kind: 'Game' }, versions },
})

/** How often the tests of a run repeat their steps. */
export interface Amounts {
  readonly cycles: number
  readonly views: number
  readonly definitions: number
}

const until = <T>(holds: () => T | Promise<T>): Promise<T> => vi.waitFor(holds, { interval: 5 })

/** What a handler receives: `+name`, `-name`. */
function listenTo(informer: SharedInformer<Game>): { readonly log: string[] } {
  const log: string[] = []
  informer.addHandler({
    add: object => log.push(`+${object.metadata?.name}`),
    delete: object => log.push(`-${object.metadata?.name}`),
  })
  return { log }
}

/** Tests that hold on embedded and on real API servers. */
export function cacheOverSockets(server: () => ApiServer, { cycles, views, definitions }: Amounts): void {
  const connected = async (test: (client: Client, cache: DynamicCache) => Promise<void>): Promise<void> => {
    const { url, ca, token } = server()
    const client = new Client({ url, ca, token })
    const cache = new DynamicCache({ client, whenUnknown: 'wait' })
    try {
      await test(client, cache)
    } finally {
      await cache.close()
      await client.close()
    }
  }

  it('D2, D4, D5: informers are started, read, removed and started again', () =>
    connected(async (client, cache) => {
      const key = { name: 'one', namespace: 'default' }
      await client.create(configMaps, { metadata: key, data: { a: '1' } })
      const informer = cache.informer(configMaps)
      expect((await cache.get(configMaps, key))?.data).toEqual({ a: '1' })
      const received: (string | undefined)[] = []
      informer.addHandler({ update: object => received.push((object as { data?: { a?: string } }).data?.a) })
      await until(() => expect(informer.state).toBe('watching'))
      await client.patch(configMaps, key, { data: { a: '2' } })
      await until(() => expect(received).toEqual(['2']))
      await cache.remove(configMaps)
      await expect(cache.get(configMaps, key)).rejects.toMatchObject({ code: 'NOT_CACHED' })
      expect(cache.informer(configMaps)).not.toBe(informer)
      expect((await cache.get(configMaps, key))?.data).toEqual({ a: '2' })
      await client.delete(configMaps, key)
      await until(() => expect(cache.informer(configMaps).get(key)).toBeUndefined())
    }))

  it('D9, D12: views share a watch that widens and narrows, and move to other scopes', () =>
    connected(async (client, cache) => {
      await client.create(namespaces, { metadata: { name: 'other' } })
      const make = (namespace: string, name: string) => client.create(configMaps, { metadata: { namespace, name } })
      await make('default', 'a')
      await make('other', 'b')
      const received: string[] = []
      const mine = (key: string): boolean => key === 'default/a' || key === 'other/b'
      const metadata = cache.informer(configMaps.metadata())
      metadata.addHandler({
        add: (_, { key }) => mine(key) && received.push(`+${key}`),
        update: (_, { key }) => mine(key) && received.push(`~${key}`),
        delete: (_, { key }) => mine(key) && received.push(`-${key}`),
      })
      await cache.synced()
      cache.informer(configMaps)
      await cache.synced()
      await cache.remove(configMaps)
      await until(() => expect(received.toSorted()).toEqual(['+default/a', '+other/b']))
      const there = configMaps.metadata().within({ namespaces: ['other'] })
      await cache.rescope(configMaps.metadata(), there)
      expect(received.slice(2)).toEqual(['-default/a'])
      await client.patch(configMaps, { namespace: 'other', name: 'b' }, { data: { x: 'y' } })
      await until(() => expect(received.slice(3)).toEqual(['~other/b']))
      expect(cache.report().watches).toBe(1)
    }))

  it(
    `D7, D8: a definition comes and goes ${definitions} times: nothing is left, nothing is stale`,
    { timeout: definitions * 15_000 },
    () =>
      connected(async (client, cache) => {
        const informer = cache.informer(games)
        const state = new Map<string, string>()
        informer.addHandler({
          add: (object, { key }) => {
            expect(state.has(key)).toBe(false)
            state.set(key, object.metadata?.uid ?? '')
          },
          delete: (_, { key }) => expect(state.delete(key)).toBe(true),
        })
        for (let cycle = 0; cycle < definitions; cycle++) {
          await until(async () => {
            // The previous definition of the same name may still be being deleted.
            await client.create(customResourceDefinitions, definitionOf(served('v1', true)))
          })
          await until(() => expect(informer.state).toBe('watching'))
          const key = { namespace: 'default', name: `game-${cycle}` }
          const made = await until(() => client.create(games, { metadata: key, spec: { lives: cycle } }))
          await until(() => expect([...state]).toEqual([[`default/${key.name}`, made.metadata?.uid]]))
          await client.delete(customResourceDefinitions, definition).catch(error => {
            if (!isConflict(error)) throw error
          })
          await until(() => expect([informer.state, state.size, informer.size]).toEqual(['missing', 0, 0]))
        }
        expect(cache.report().informers).toHaveLength(1)
        await cache.remove(games)
        expect(cache.report().watches).toBe(0)
      }),
  )

  it('D8: a version that is no longer served is gone, and back when it is served again', () =>
    connected(async (client, cache) => {
      await until(() => client.create(customResourceDefinitions, definitionOf(served('v1', true), served('v1beta1'))))
      const key = { namespace: 'default', name: 'served' }
      await until(() => client.create(games, { metadata: key }))
      const informer = cache.informer(defineResource<Game>({ ...games.resource, version: 'v1beta1', namespaced: true }))
      const { log } = listenTo(informer)
      await until(() => expect(log).toEqual(['+served']))
      for (const [isServed, received] of [
        [false, ['+served', '-served']],
        [true, ['+served', '-served', '+served']],
      ] as const) {
        const { spec } = definitionOf(served('v1', true), served('v1beta1', false, isServed))
        await client.patch(customResourceDefinitions, definition, { spec: { versions: spec.versions } })
        await until(() => expect([informer.state, log]).toEqual([isServed ? 'watching' : 'missing', received]))
      }
      await client.delete(customResourceDefinitions, definition)
      await until(() => expect(informer.state).toBe('missing'))
    }))

  it('D7, D8: delivers what comes and goes even without the right to read definitions', () =>
    connected(async client => {
      const { url, ca, token } = server()
      const role = { metadata: { name: 'player' } }
      const rules = [{ apiGroups: ['arcade.example.com'], resources: ['games'], verbs: ['get', 'list', 'watch'] }]
      await client.create(clusterRoles, { ...role, rules })
      await client.create(clusterRoleBindings, {
        ...role,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'player' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'player' }],
      })
      const limited = new Client({ url, ca, token, impersonate: { user: 'player' } })
      const cache = new DynamicCache({ client: limited, whenUnknown: 'wait' })
      try {
        await expect(limited.get(customResourceDefinitions, definition)).rejects.toSatisfy(isForbidden)
        // The informer's own next try would come after 30 s, and never comes on this clock: only a wait makes a try.
        const environment = { clock: shortTimers(10_000) }
        const asking = new Client({ url, ca, token, impersonate: { user: 'player' }, environment })
        const eager = new DynamicCache({ client: asking })
        await expect(eager.informer(games).whenSynced()).rejects.toSatisfy(isResourceNotFound)
        await until(() => expect(eager.informer(games).state).toBe('missing'))
        await until(() => client.create(customResourceDefinitions, definitionOf(served('v1', true))))
        await until(() => eager.informer(games).whenSynced()).finally(() => eager.close())
        await asking.close()
        await until(() => client.create(games, { metadata: { namespace: 'default', name: 'one' } }))
        const informer = cache.informer(games)
        const { log } = listenTo(informer)
        await until(() => expect(log).toEqual(['+one']))
        await client.delete(customResourceDefinitions, definition)
        await until(() => expect([informer.state, log]).toEqual(['missing', ['+one', '-one']]))
      } finally {
        await cache.close()
        await limited.close()
        await client.delete(clusterRoleBindings, role.metadata)
        await client.delete(clusterRoles, role.metadata)
      }
    }))

  it('R36: a wait that begins once a right was granted is answered before the next try is due', () =>
    connected(async client => {
      const { url, ca, token } = server()
      const user = 'late-reader'
      let refusals = 0
      const count = (_: string, labels?: { readonly code?: string | number | undefined }): void => {
        if (`${labels?.code}` === '403') refusals += 1
      }
      const metrics = { count, gauge() {}, observe() {} }
      // Each refusal makes the next delay longer: after seven, the next try would come after more than ten seconds, and
      // never comes on this clock. Only a wait makes a try.
      const environment = { metrics, clock: shortTimers(5_000) }
      const limited = new Client({ url, ca, token, impersonate: { user }, environment })
      const cache = new DynamicCache({ client: limited })
      const informer = new Informer({ client: limited, view: configMaps })
      informer.start()
      const asks = [() => informer.whenSynced(), () => cache.informer(configMaps).whenSynced()]
      try {
        await until(async () => {
          await Promise.all(asks.map(ask => expect(ask()).rejects.toSatisfy(isForbidden)))
          expect(refusals).toBeGreaterThanOrEqual(14)
        })
        await client.create(clusterRoles, {
          metadata: { name: user },
          rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
        })
        await client.create(clusterRoleBindings, {
          metadata: { name: user },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
        })
        await Promise.all(asks.map(ask => until(ask)))
      } finally {
        await informer.close()
        await cache.close()
        await limited.close()
        await client.delete(clusterRoleBindings, { name: user })
        await client.delete(clusterRoles, { name: user })
      }
    }))

  it(`D11: ${cycles} times ${views} views: nothing is left`, { timeout: 900_000 + cycles * 3_000 }, () =>
    connected(async (client, cache) => {
      const scopes: View[] = Array.from({ length: views }, (_, i) => configMaps.within({ labels: { view: `v${i}` } }))
      const before = leftOver()
      for (let cycle = 0; cycle < cycles; cycle++) {
        for (const scope of scopes) cache.informer(scope)
        // Does not wait for all: some are removed before they have synced.
        await Promise.all(scopes.filter((_, i) => (i + cycle) % 3 > 0).map(scope => cache.informer(scope).whenSynced()))
        await Promise.all(scopes.map(scope => cache.remove(scope)))
      }
      expect(cache.report()).toMatchObject({ informers: [], watches: 0 })
      // Resets are paced, so the last streams end a moment after the informers. Each check is a pass over the whole heap.
      await vi.waitFor(() => expect(leftOver()).toBe(before), { interval: 500 })
      // The server did not close its connections because of a flood of resets.
      await client.get(configMaps, { namespace: 'default', name: 'none' })
      expect(client.connections).toBeLessThanOrEqual(Math.ceil(views / 100) + 3)
    }),
  )
}
