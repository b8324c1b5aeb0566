import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { allowOne, connected, inParallel, narrowOverSockets, openMany, until } from './testkit/both-servers.ts'
import { keyOf, noting } from './testkit/kit.ts'

const available = await realApiServerAvailable('narrow caches')

describe.runIf(available)('a narrow cache, on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await sharedRealServer()
  })

  narrowOverSockets(() => server)

  it('N10: leave to read one name suffices for it; another is refused, and touches nothing else', () =>
    connected(server, async ({ client: admin }) => {
      await admin.create(configMaps, { metadata: keyOf('default/mine'), data: { n: '1' } })
      await admin.create(configMaps, { metadata: keyOf('default/yours'), data: { n: '1' } })
      await allowOne(admin, 'one', 'mine')
      await connected({ url: server.url, ca: server.ca, token: 'token-of-one' }, async ({ narrow }) => {
        await until(async () => expect((await narrow.get(configMaps, keyOf('default/mine')))?.data).toEqual({ n: '1' }))
        const log: string[] = []
        await until(() => narrow.watch(configMaps, keyOf('default/mine'), noting(log)))
        await expect(narrow.get(configMaps, keyOf('default/yours'))).rejects.toMatchObject({ status: 403 })
        await expect(narrow.watch(configMaps, keyOf('default/yours'), noting([]))).rejects.toMatchObject({
          code: 'NARROW_WATCH_REFUSED',
        })
        await admin.patch(configMaps, keyOf('default/mine'), { data: { n: '2' } })
        await until(() => expect(log).toEqual(['+default/mine 1 first', '~default/mine 1→2']))
      })
    }))

  it('N5, N11: 500 entries outlive a restart of the server, which brings each of them a 410', async () => {
    await using admin = new Client({ url: server.url, ca: server.ca, token: server.token })
    await connected(
      server,
      async one => {
        const { logs } = await openMany(one, 'many', 500)
        const { client, narrow } = one
        await server.restart()
        await server.compact()
        const all = Array.from({ length: 500 }, (_, i) => i)
        await inParallel(all, i => {
          const key = keyOf(`many/n${i}`)
          const data = { n: '1' }
          return i % 2 === 0
            ? admin.patch(configMaps, key, { data })
            : admin.create(configMaps, { metadata: key, data })
        })
        await until(() => expect(logs.filter(log => log.length === 2)).toHaveLength(500))
        expect(logs).toEqual(
          all.map(i => (i % 2 === 0 ? [`+many/n${i} 0 first`, `~many/n${i} 0→1`] : [`0many/n${i}`, `+many/n${i} 1`])),
        )
        expect(narrow.report()).toMatchObject({ entries: 500, streams: 500, escalated: [] })
        expect(client.connections).toBeLessThanOrEqual(8)
      },
      { escalateAt: Number.POSITIVE_INFINITY, escalateAllAt: Number.POSITIVE_INFINITY },
    )
  })
})
