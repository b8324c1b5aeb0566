import {
  Client,
  defineResource,
  isConflict,
  isForbidden,
  type KubernetesObject,
  type Resource,
  type View,
} from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { clusterRoleBindings, clusterRoles } from '@wherry/client/resources/rbac'
import { DynamicCache } from '@wherry/dynamic-cache'
import { Store } from '@wherry/informer'
import type { ApiServer } from '@wherry/testing'
import { countInstances } from '@wherry/testing/testkit/count-instances'
import { type Registrar, type ViewsFailedError, WatchManager } from '@wherry/watch-manager'
import { Delivery } from '@wherry/watch-manager/delivery/delivery'
import { RegistrarOfViews } from '@wherry/watch-manager/registrar-of-views'
import { RecordingSink } from '@wherry/watch-manager/testing'
import { expect, it, vi } from 'vitest'

/** A user that may read ConfigMaps, once {@link allowReader} was called, and nothing else. */
export const reader = { token: 'token-of-reader', name: 'reader' } as const

const games: Resource<KubernetesObject, 'namespaced'> = defineResource<KubernetesObject>({
  group: 'fanout.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})
const definition = { name: 'games.fanout.example.com' }
const namespace = 'default'
const mine = configMaps.within({ labels: { fanout: 'yes' } })
const blue = configMaps.within({ labels: { fanout: 'yes', colour: 'blue' } })

const until = <T>(holds: () => T | Promise<T>): Promise<T> => vi.waitFor(holds, { interval: 5 })

interface Parts {
  readonly client: Client
  readonly cache: DynamicCache
  readonly manager: WatchManager
}

/** What holds of registrars over a dynamic cache, on an embedded and on a real API server alike. */
export function registrarsOverSockets(
  server: () => ApiServer,
  { definitions }: { readonly definitions: number },
): void {
  const connected = async (test: (parts: Parts) => Promise<void>, token = server().token): Promise<void> => {
    const { url, ca } = server()
    const client = new Client({ url, ca, token })
    const cache = new DynamicCache({ client, whenUnknown: 'wait' })
    const manager = new WatchManager({ cache, environment: client.environment, closeTimeoutMs: 1000 })
    manager.start()
    try {
      await test({ client, cache, manager })
    } finally {
      await manager.close()
      await cache.close()
      await client.close()
    }
  }

  it('W2, W3, W4: registrars add, replace and remove views, the server is asked once, and each has all objects', () =>
    connected(async ({ client, cache, manager }) => {
      const made = await Promise.all(['a', 'b', 'c'].map(name => create(client, name, name === 'b' ? 'blue' : 'red')))
      const [first, late] = [new RecordingSink(), new RecordingSink()]
      const [one, two] = [manager.registrar('one', first), manager.registrar('two', late)]
      await one.add(mine)
      await one.synced()
      await two.add(mine)
      await two.synced()
      expect(cache.report()).toMatchObject({ watches: 1 })
      expect(keysOf(late, mine)).toEqual(made.map(({ metadata }) => `${namespace}/${metadata?.name}`))
      expect(late.events.map(({ type }) => type)).toEqual(['reset', 'changed', 'changed', 'changed', 'synced'])
      await two.replace([mine, configMaps.metadata().within({ labels: { fanout: 'yes' } })])
      await two.synced()
      expect(late.events.filter(({ type }) => type === 'reset')).toHaveLength(2)
      await one.replace([blue], { onFailure: 'rollback' })
      await until(() => expect(keysOf(first, blue)).toEqual([`${namespace}/b`]))
      await client.patch(configMaps, { namespace, name: 'a' }, { metadata: { labels: { colour: 'blue' } } })
      await until(() => expect(keysOf(first, blue)).toEqual([`${namespace}/a`, `${namespace}/b`]))
      await two.close()
      expect(cache.report().informers.map(({ view }) => view)).toEqual([blue.key])
      await one.remove(blue)
      expect(cache.report()).toMatchObject({ informers: [], watches: 0 })
      expect([...first.problems, ...late.problems]).toEqual([])
      await removeAll(client)
    }))

  it('D9: a registrar receives only the difference when its view moves', () =>
    connected(async ({ client, cache, manager }) => {
      await create(client, 'a', 'red')
      await create(client, 'b', 'blue')
      const recorder = new RecordingSink()
      const one = manager.registrar('one', recorder)
      await one.add(mine)
      await one.synced()
      await one.replace([blue])
      await until(() => expect(keysOf(recorder, blue)).toEqual([`${namespace}/b`]))
      await client.patch(configMaps, { namespace, name: 'b' }, { data: { x: 'y' } })
      const last = (): unknown => (recorder.events.at(-1)?.object as { data?: object } | undefined)?.data
      await until(() => expect(last()).toEqual({ x: 'y' }))
      expect(recorder.events.slice(4).map(({ type }) => type)).toEqual(['deleted', 'changed'])
      expect(one.watched).toEqual([blue])
      expect(cache.report()).toMatchObject({ informers: [{ view: blue.key }], watches: 1 })
      expect(recorder.problems).toEqual([])
      await removeAll(client)
    }))

  it('W6, W7, W8: while objects are written, late registrars and one that stalls end with all objects', () =>
    connected(async ({ client, manager }) => {
      const recorders: RecordingSink[] = []
      const born = async (name: string, answer?: () => unknown): Promise<Registrar> => {
        const recorder = new RecordingSink({ answer, concurrency: 2 })
        recorders.push(recorder)
        const registrar = manager.registrar(name, recorder)
        await registrar.add(mine)
        return registrar
      }
      let stalls = true
      const ends: (() => void)[] = []
      const stuck = await born('stuck', () => (stalls ? new Promise<void>(resolve => ends.push(resolve)) : undefined))
      const names = Array.from({ length: 20 }, (_, i) => `w${i}`)
      const write = async (name: string, index: number): Promise<void> => {
        const key = { namespace, name }
        await create(client, name, 'red')
        for (let i = 0; i < 5; i++) await client.patch(configMaps, key, { data: { i: `${i}` } })
        if (index % 3 > 0) return
        await client.delete(configMaps, key)
        if (index % 2 > 0) await create(client, name, 'blue')
      }
      const writing = Promise.all(names.map(write))
      const late: Registrar[] = []
      for (let i = 0; i < 5; i++) {
        const one = await born(`late-${i}`)
        await one.synced()
        late.push(one)
      }
      await writing
      const there = await contentsOf(client)
      await until(() => {
        for (const recorder of recorders.slice(1)) expect(versionsOf(recorder)).toEqual(there)
      })
      // It delayed no other, and received nothing yet.
      expect(versionsOf(recorders[0] as RecordingSink)).toEqual({})
      expect(stuck.stats()).toMatchObject({ running: 1, delivered: 0 })
      stalls = false
      for (const end of ends) end()
      await stuck.synced()
      await until(() => expect(versionsOf(recorders[0] as RecordingSink)).toEqual(there))
      expect(stuck.stats()).toMatchObject({ lag: 0, running: 0, resets: 0 })
      expect(recorders.flatMap(({ problems }) => problems)).toEqual([])
      await removeAll(client)
      await until(() => {
        for (const recorder of recorders) expect(versionsOf(recorder)).toEqual({})
      })
    }))

  it(`D8, W5, W9: a definition is deleted and made again ${definitions} times while registrars hold it, and they follow`, () =>
    connected(async ({ client, cache, manager }) => {
      const recorders = [new RecordingSink(), new RecordingSink({ answer: () => Promise.resolve(), concurrency: 3 })]
      const registrars = recorders.map((recorder, i) => manager.registrar(`r${i}`, recorder))
      for (const one of registrars) await one.add(games)
      await registrars[0]?.add(mine)
      await until(() => expect(cache.informer(mine).hasSynced).toBe(true))
      expect(registrars.map(one => one.pending.map(({ view }) => view.key))).toEqual([[games.key], [games.key]])
      for (let cycle = 0; cycle < definitions; cycle++) {
        await until(() => define(client))
        await Promise.all(registrars.map(one => until(() => one.synced())))
        const key = { namespace, name: `game-${cycle}` }
        const made = await until(() => client.create(games, { metadata: key }))
        for (const recorder of recorders) {
          await until(() =>
            expect(uidsOf(recorder, games)).toEqual({ [`${namespace}/${key.name}`]: made.metadata?.uid }),
          )
        }
        await client.delete(customResourceDefinitions, definition).catch(error => {
          if (!isConflict(error)) throw error
        })
        for (const recorder of recorders) await until(() => expect(uidsOf(recorder, games)).toEqual({}))
        await until(() => expect(registrars.map(one => one.pending.length)).toEqual([1, 1]))
      }
      const deleted = recorders.map(({ events }) => events.filter(({ type }) => type === 'deleted').length)
      expect(deleted).toEqual([definitions, definitions])
      expect(recorders.flatMap(({ problems }) => problems)).toEqual([])
    }))

  it('W4, W5: a forbidden view is named in the error, the others proceed, and it is watched once it is allowed', async () => {
    const admin = new Client({ url: server().url, ca: server().ca, token: server().token })
    try {
      await connected(async ({ cache, manager }) => {
        const recorder = new RecordingSink()
        const one = manager.registrar('one', recorder)
        const kept = configMaps.within({ namespaces: [namespace] })
        await one.add(kept)
        await one.synced()
        const rolledBack = await one
          .replace([mine, secrets], { onFailure: 'rollback' })
          .catch((error: unknown) => error)
        expectForbidden(rolledBack, [secrets.key])
        expect(one.intended).toEqual([kept])
        expect(cache.report().informers.map(({ view }) => view)).toEqual([kept.key])
        await one.replace([mine, secrets])
        expectForbidden(await one.synced().catch((error: unknown) => error), [secrets.key])
        expect(one.watched).toEqual([mine])
        expect(one.pending).toMatchObject([{ view: { key: secrets.key } }])
        await create(admin, 'a', 'red')
        await until(() => expect(keysOf(recorder, mine)).toEqual([`${namespace}/a`]))
        await allowReader(admin, 'secrets')
        await until(() => expect(one.pending).toEqual([]))
        await until(() => one.synced())
        expect(recorder.problems).toEqual([])
      }, reader.token)
      await removeAll(admin)
    } finally {
      await admin.close()
    }
  })

  it('W13, D11: registrars come and go while objects are written, and nothing of them is left', () =>
    connected(async ({ client, cache, manager }) => {
      const views: View<KubernetesObject>[] = [mine, blue, configMaps.metadata(), games]
      const counted = [RegistrarOfViews, Delivery, Store]
      const before = countInstances(counted)
      await rounds(client, manager, views)
      await until(() => expect(manager.intended).toEqual([]))
      expect(cache.report()).toMatchObject({ informers: [], watches: 0 })
      await removeAll(client)
      await until(() => expect(countInstances(counted)).toBe(before))
    }))
}

/** 30 registrars, ten at a time; some are closed before they have synced, some while their sink is at work. */
async function rounds(client: Client, manager: WatchManager, views: View<KubernetesObject>[]): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const registrars = Array.from({ length: 10 }, (_, i) => {
      const answer = i % 3 === 0 ? (): unknown => new Promise(resolve => setImmediate(resolve)) : undefined
      return manager.registrar(`r${i}`, new RecordingSink({ answer, events: false }))
    })
    await Promise.all(registrars.map((one, i) => one.replace(views.filter((_, at) => (i >> at) % 2 === 0))))
    await create(client, `round-${round}`, 'blue')
    await Promise.all(registrars.filter((_, i) => i % 2 === 0).map(one => one.remove(mine)))
    await Promise.all(registrars.map(one => one.close()))
  }
}

/** Lets the reader read a resource. */
export async function allowReader(admin: Client, plural: 'configmaps' | 'secrets'): Promise<void> {
  const metadata = { name: `fan-out-${plural}` }
  const rules = [{ apiGroups: [''], resources: [plural], verbs: ['list', 'watch'] }]
  await admin.create(clusterRoles, { metadata, rules })
  await admin.create(clusterRoleBindings, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
    subjects: [{ kind: 'User', name: reader.name, apiGroup: 'rbac.authorization.k8s.io' }],
  })
}

function create(client: Client, name: string, colour: string): Promise<KubernetesObject> {
  return client.create(configMaps, { metadata: { namespace, name, labels: { fanout: 'yes', colour } } })
}

async function removeAll(client: Client): Promise<void> {
  const { items } = await client.list(mine)
  await Promise.all(items.map(({ metadata }) => client.delete(configMaps, { namespace, name: metadata?.name ?? '' })))
}

/** Rejects while its namesake is still on its way out. */
async function define(client: Client): Promise<void> {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as never
  await client.create(customResourceDefinitions, {
    metadata: definition,
    spec: {
      group: 'fanout.example.com',
      scope: 'Namespaced',
      names: { plural: 'games', kind: 'Game' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  })
}

function expectForbidden(error: unknown, keys: readonly string[]): void {
  const { code, views } = error as ViewsFailedError
  expect(code).toBe('VIEWS_FAILED')
  expect(views.map(({ view, reason }) => [view.key, isForbidden(reason)])).toEqual(keys.map(key => [key, true]))
}

function keysOf(recorder: RecordingSink, view: View): string[] {
  return [...recorder.contents(view).keys()].sort()
}

function byKey(
  recorder: RecordingSink,
  view: View,
  field: 'uid' | 'resourceVersion',
): Record<string, string | undefined> {
  const entries = [...recorder.contents(view)] as [string, KubernetesObject][]
  return Object.fromEntries(entries.map(([key, { metadata }]) => [key, metadata?.[field]]))
}

function uidsOf(recorder: RecordingSink, view: View): Record<string, string | undefined> {
  return byKey(recorder, view, 'uid')
}

function versionsOf(recorder: RecordingSink): Record<string, string | undefined> {
  return byKey(recorder, mine, 'resourceVersion')
}

async function contentsOf(client: Client): Promise<Record<string, string | undefined>> {
  const { items } = await client.list(mine)
  return Object.fromEntries(items.map(({ metadata }) => [`${namespace}/${metadata?.name}`, metadata?.resourceVersion]))
}
