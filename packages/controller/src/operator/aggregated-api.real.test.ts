import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { Operator } from './operator.ts'
import { AggregatedApi, readings } from './testkit/aggregated-api.ts'

const available = await realApiServerAvailable('an aggregated API that can not be watched')
const key = { name: 'a', namespace: 'default' }

describe.runIf(available)('an aggregated API that can not be watched, on a real API server', () => {
  let server: RealApiServer
  const connect = (): Client => new Client({ url: server.url, ca: server.ca, token: server.token })

  beforeAll(async () => {
    server = await sharedRealServer()
  })

  it('C16: is found and listed, polled at the pace that was asked for, otherwise refused by name, and when it is ill it hides no other', async () => {
    await using client = connect()
    const api = await AggregatedApi.start(client)
    try {
      // The server's own document of what it serves follows a little later.
      await vi.waitFor(async () =>
        expect(await client.discover({ group: 'weather.example.com', kind: 'Reading' })).toMatchObject({
          plural: 'readings',
          verbs: ['get', 'list'],
        }),
      )
      expect((await client.list(readings)).items).toMatchObject([{ celsius: 20 }])
      await client.create(configMaps, { metadata: key })
      const view = configMaps.within({ namespaces: ['default'], fields: { 'metadata.name': 'a' } })

      await using polling = new Operator({ name: 'polls', client, poll: [{ resource: readings, pollMs: 1000 }] })
      const seen: unknown[] = []
      polling
        .controller('maps')
        .for(view)
        .reconcile(async ({ read }) => void seen.push((await read.get(readings, key))?.celsius))
      const ended = polling.run({ signals: false })
      await vi.waitFor(() => expect(seen).toEqual([20]))
      api.celsius = 25
      await vi.waitFor(() => expect(seen.at(-1)).toBe(25))
      await polling.close()
      await ended

      await using plain = new Operator({ name: 'plain', client })
      plain
        .controller('maps')
        .for(view)
        .reconcile(async ({ read }) => void (await read.get(readings, key)))
      const over = plain.run({ signals: false })
      await vi.waitFor(() =>
        expect(plain.explain('maps', 'default/a').lastRun?.error).toMatchObject({
          code: 'NARROW_WATCH_REFUSED',
          message: expect.stringMatching(/readings can't be watched \(.*405 MethodNotAllowed.* with the option poll$/),
        }),
      )
      await plain.close()
      await over

      await using source = new Operator({ name: 'source', client })
      source
        .controller('readings', { syncTimeoutMs: 2000 })
        .for(readings)
        .reconcile(() => {})
      await expect(source.run({ signals: false })).rejects.toMatchObject({
        code: 'SOURCE_NOT_SYNCED',
        cause: { status: 405 },
      })

      await api.becomeIll(client)
      await using fresh = connect()
      expect(await fresh.discover({ group: 'apps', kind: 'Deployment' })).toMatchObject({ plural: 'deployments' })
      await expect(fresh.discover({ group: 'weather.example.com', kind: 'Reading' })).rejects.toThrow(
        'weather.example.com',
      )
    } finally {
      await api.close()
    }
  })
})
