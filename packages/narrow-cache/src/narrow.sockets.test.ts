import { AsyncLocalStorage } from 'node:async_hooks'
import { configMaps } from '@wherry/client/resources/core'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connected, inParallel, narrowOverSockets, openMany, until } from './testkit/both-servers.ts'
import { keyOf } from './testkit/kit.ts'

const count = 500

describe('a narrow cache over sockets', () => {
  let server: EmbeddedApiServer

  beforeAll(async () => {
    server = (await startApiServer({ authorization: 'RBAC' })) as EmbeddedApiServer
  })

  afterAll(() => server.close())

  narrowOverSockets(() => server)

  it.each(['another form', 'others'])('R23, N11: no handler runs in the async context of a reader of %s', asked =>
    connected(
      server,
      async ({ client, narrow }) => {
        const context = new AsyncLocalStorage<string>()
        const key = keyOf(`default/${asked.replaceAll(' ', '-')}`)
        await client.create(configMaps, { metadata: key })
        const seen: unknown[] = []
        await narrow.watch(configMaps.metadata(), key, { update: () => seen.push(context.getStore()) })
        await context.run('asked', async () => {
          if (asked !== 'others') await narrow.get(configMaps, key)
          else for (const name of ['y', 'z']) await narrow.get(configMaps.metadata(), { ...key, name })
        })
        await until(() => expect(narrow.report().streams).toBe(asked === 'others' ? 1 : 2))
        await client.patch(configMaps, key, { data: {}, metadata: { labels: { app: 'x' } } })
        await until(() => expect(seen).toEqual([undefined]))
      },
      { escalateAt: 2 },
    ),
  )

  it('N11: while one watch of all is broken off each time, a new entry has a watch of its own', () =>
    connected(
      server,
      async ({ narrow }) => {
        const broken = await Promise.all(
          ['list', 'watch'].map(verb =>
            server.faults.add({ match: { verb, resource: 'configmaps', name: '' }, effect: { kind: 'rst' } }),
          ),
        )
        for (const name of ['y', 'z']) await narrow.get(configMaps, keyOf(`default/${name}`))
        expect(narrow.report()).toMatchObject({ streams: 3, escalated: [{ phase: 'escalating' }] })
        await Promise.all(broken.map(one => one.remove()))
      },
      { escalateAt: 1 },
    ))

  it(`N11, N14: ${count} entries share connections of 100 streams, and move when the server goes away`, () =>
    connected(
      server,
      async one => {
        const { client, narrow } = one
        const { logs } = await openMany(one, 'many', count)
        expect(narrow.report()).toMatchObject({ entries: count, streams: count, subscriptions: count, escalated: [] })
        expect(client.connections).toBeGreaterThanOrEqual(count / 100)
        expect(client.connections).toBeLessThanOrEqual(count / 100 + 3)
        await server.goawayAll()
        const changed = Array.from({ length: 50 }, (_, i) => i * 2)
        await inParallel(changed, i => client.patch(configMaps, keyOf(`many/n${i}`), { data: { n: '1' } }))
        await until(() => expect(changed.every(i => logs[i]?.length === 2)).toBe(true))
        expect(changed.map(i => logs[i])).toEqual(changed.map(i => [`+many/n${i} 0 first`, `~many/n${i} 0→1`]))
        await server.breakConnections()
        await inParallel(changed, i =>
          client.patch(configMaps, keyOf(`many/n${i + 1}`), { data: {} }).catch(() => undefined),
        )
        await inParallel(changed, i =>
          client.create(configMaps, { metadata: keyOf(`many/n${i + 1}`), data: { n: '2' } }),
        )
        await until(() => expect(changed.every(i => logs[i + 1]?.length === 2)).toBe(true))
        await until(async () => {
          const { byVerb } = await server.stats()
          expect(byVerb.watch?.configmaps?.openStreams).toBe(count)
        })
      },
      { escalateAt: Number.POSITIVE_INFINITY, escalateAllAt: Number.POSITIVE_INFINITY },
    ))
})
