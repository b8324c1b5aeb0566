import { Client, type ClientOptions, isForbidden, isResourceNotFound } from '@wherry/client'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { clusterRoleBindings, clusterRoles } from '@wherry/client/resources/rbac'
import { definition, definitions, things } from '@wherry/informer/testkit/things'
import type { ApiServer } from '@wherry/testing'
import { shortTimers } from '@wherry/testing/real/testkit/short-timers'
import { expect, it, vi } from 'vitest'
import type { NarrowHandler } from '../handler.ts'
import { NarrowCache } from '../narrow-cache.ts'
import type { NarrowCacheOptions } from '../options.ts'
import { keyOf, noting } from './kit.ts'

/** A client of either server, and a narrow cache on it, for a test. */
export interface Connected {
  readonly client: Client
  readonly narrow: NarrowCache
}

export const until = <T>(holds: () => T | Promise<T>): Promise<T> => vi.waitFor(holds, { interval: 20 })

export async function connected(
  { url, ca, token }: { readonly url: string; readonly ca: string | undefined; readonly token: string },
  test: (one: Connected) => Promise<void>,
  options: Partial<NarrowCacheOptions> = {},
  clientOptions: Pick<ClientOptions, 'impersonate' | 'environment'> = {},
): Promise<void> {
  const client = new Client({ url, ca, token, ...clientOptions })
  const narrow = new NarrowCache({ client, ...options })
  try {
    await test({ client, narrow })
  } finally {
    await narrow.close()
    await client.close()
  }
}

/** Opens entries `n0`, `n1`, …; objects with an even number exist. Returns what a subscriber of each received. */
export async function openMany(
  { client, narrow }: Connected,
  namespace: string,
  count: number,
): Promise<{ readonly logs: string[][] }> {
  await client.create(namespaces, { metadata: { name: namespace } })
  const all = Array.from({ length: count }, (_, i) => i)
  await inParallel(
    all.filter(i => i % 2 === 0),
    i => client.create(configMaps, { metadata: keyOf(`${namespace}/n${i}`), data: { n: '0' } }),
  )
  const logs: string[][] = all.map(() => [])
  await Promise.all(all.map(i => narrow.watch(configMaps, keyOf(`${namespace}/n${i}`), noting(logs[i] as string[]))))
  return { logs }
}

export async function inParallel<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const left = [...all]
  const one = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: 20 }, one))
}

/** Tests that hold on embedded and on real API servers. */
export function narrowOverSockets(server: () => ApiServer): void {
  it('N1, N3, N4, N6: an object that comes, changes, goes and comes again is followed by its own watch', () =>
    connected(server(), async ({ client, narrow }) => {
      const log: string[] = []
      const key = keyOf('default/followed')
      await narrow.watch(configMaps, key, noting(log))
      await client.create(configMaps, { metadata: key, data: { n: '1' } })
      await until(() => expect(log).toHaveLength(2))
      await client.patch(configMaps, key, { data: { n: '2' } })
      await until(() => expect(log).toHaveLength(3))
      await client.delete(configMaps, key)
      await until(() => expect(log).toHaveLength(4))
      await client.create(configMaps, { metadata: key, data: { n: '3' } })
      await until(() => expect(log).toHaveLength(5))
      const about = 'default/followed'
      expect(log).toEqual([`0${about}`, `+${about} 1`, `~${about} 1→2`, `-${about}`, `+${about} 3`])
      expect((await narrow.get(configMaps, key))?.data).toEqual({ n: '3' })
    }))

  it('N9: a read sees each write that was made before it', () =>
    connected(server(), async ({ client, narrow }) => {
      const writes = client.withWriteListeners(narrow)
      const key = keyOf('default/written')
      const read = async (): Promise<string | undefined> => (await narrow.get(configMaps, key))?.data?.n
      expect(await read()).toBeUndefined()
      for (let round = 0; round < 20; round++) {
        await writes.create(configMaps, {
          metadata: { ...key, finalizers: ['example.com/x'] },
          data: { n: `${round}` },
        })
        expect(await read()).toBe(`${round}`)
        await writes.patch(configMaps, key, { data: { n: 'changed' } })
        expect(await read()).toBe('changed')
        await writes.patch(configMaps, key, { data: { n: 'changed' } })
        expect(await read()).toBe('changed')
        await writes.delete(configMaps, key)
        await writes.patch(configMaps, key, { metadata: { finalizers: null } })
        expect(await read()).toBeUndefined()
      }
    }))

  it('N11: entries move up to one watch of metadata and down again while objects change', () =>
    connected(
      server(),
      async ({ client, narrow }) => {
        const logs = Array.from({ length: 10 }, (): string[] => [])
        const key = (i: number) => keyOf(`default/moved-${i}`)
        const subscriptions = await Promise.all(logs.map((log, i) => narrow.watch(configMaps, key(i), noting(log))))
        const phase = (): string | undefined => narrow.report().escalated[0]?.phase
        await until(() => expect(phase()).toBe('escalated'))
        for (let i = 0; i < 10; i++) await client.create(configMaps, { metadata: key(i), data: { n: '1' } })
        await until(() => expect(logs.map(log => log.length)).toEqual(logs.map(() => 2)))
        for (const one of subscriptions.slice(1)) await one.close()
        for (let i = 1; i < 10; i++) narrow.forget(configMaps, key(i))
        await client.patch(configMaps, key(0), { data: { n: '2' } })
        await until(() => expect(phase()).toBeUndefined())
        await client.patch(configMaps, key(0), { data: { n: '3' } })
        await until(() => expect(logs[0]?.at(-1)).toMatch(/→3$/))
        expect(narrow.report()).toMatchObject({ entries: 1, streams: 1 })
      },
      { escalateAt: 6 },
    ))

  it('D7, N10: a subscription that begins once there is a definition gets its state before the next try is due', () =>
    connected(
      server(),
      async ({ client, narrow }) => {
        const watch = () => narrow.watch(things, keyOf('default/thing'), noting([]) as NarrowHandler<object>)
        for (let i = 0; i < 3; i++) await expect(watch()).rejects.toSatisfy(isResourceNotFound)
        await client.create(definitions, definition)
        try {
          await until(watch)
        } finally {
          await client.delete(definitions, { name: 'things.x.io' })
        }
        // The watch's own next try would come after 30 s, and never comes on this clock: only a subscription makes a try.
      },
      {},
      { environment: { clock: shortTimers(10_000) } },
    ))

  it('N10: a subscription that begins once a right was granted gets its state before the next try is due', async () => {
    let refusals = 0
    const count = (_: string, labels?: { readonly code?: string | number | undefined }): void => {
      if (`${labels?.code}` === '403') refusals += 1
    }
    // Each refusal makes the next delay longer: after seven, the next try would come after more than ten seconds, and
    // never comes on this clock. Only a subscription makes a try.
    const environment = { metrics: { count, gauge() {}, observe() {} }, clock: shortTimers(5_000) }
    const options = { impersonate: { user: 'late' }, environment }
    const late = async ({ narrow }: Connected): Promise<void> => {
      const watch = () => narrow.watch(configMaps, keyOf('default/late'), noting([]))
      await until(async () => {
        await expect(watch()).rejects.toMatchObject({ cause: expect.toSatisfy(isForbidden) })
        expect(refusals).toBeGreaterThanOrEqual(7)
      })
      await connected(server(), ({ client }) => allowOne(client, 'late', 'late'))
      await until(watch)
    }
    await connected(server(), late, {}, options)
  })

  it('N11: entries of several namespaces move up to one watch of all metadata and down again while objects change', () =>
    connected(
      server(),
      async ({ client, narrow }) => {
        await client.create(namespaces, { metadata: { name: 'elsewhere' } })
        const logs = Array.from({ length: 6 }, (): string[] => [])
        const key = (i: number) => keyOf(`${i % 2 === 0 ? 'default' : 'elsewhere'}/all-${i}`)
        const subscriptions = await Promise.all(logs.map((log, i) => narrow.watch(configMaps, key(i), noting(log))))
        const phase = (): unknown => narrow.report().escalated.map(({ namespace, phase }) => [namespace, phase])
        await until(() => expect(phase()).toEqual([[undefined, 'escalated']]))
        expect(narrow.report().streams).toBe(1)
        for (let i = 0; i < 6; i++) await client.create(configMaps, { metadata: key(i), data: { n: '1' } })
        await until(() => expect(logs.map(log => log.length)).toEqual(logs.map(() => 2)))
        for (const one of subscriptions.slice(1)) await one.close()
        for (let i = 1; i < 6; i++) narrow.forget(configMaps, key(i))
        await client.patch(configMaps, key(0), { data: { n: '2' } })
        await until(() => expect(phase()).toEqual([]))
        await client.patch(configMaps, key(0), { data: { n: '3' } })
        await until(() => expect(logs[0]?.at(-1)).toMatch(/→3$/))
        expect(narrow.report()).toMatchObject({ entries: 1, streams: 1 })
      },
      { escalateAllAt: 4 },
    ))
}

/** Lets a user read a single ConfigMap by its name. */
export async function allowOne(admin: Client, user: string, name: string): Promise<void> {
  const metadata = { name: `narrow-${name}` }
  await admin.create(clusterRoles, {
    metadata,
    rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [name], verbs: ['get', 'list', 'watch'] }],
  })
  await admin.create(clusterRoleBindings, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
    subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
  })
}
