import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, defineResource } from '@wherry/client'
import { leases } from '@wherry/client/resources/coordination'
import { configMaps } from '@wherry/client/resources/core'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { prometheusMetrics } from '../metrics/prometheus.ts'
import { tokenReview } from '../server/authorize.ts'
import { HealthServer } from '../server/health-server.ts'
import { defineRing } from '../shards/testkit/sharder.ts'
import { Operator } from './operator.ts'
import type { ConnectOptions } from './options.ts'
import { answerOf, operating, operatorOverSockets, patient, until } from './testkit/both-servers.ts'
import { whatReconcilesAreReported } from './testkit/reconcile-reports.ts'

describe('an operator over sockets', () => {
  let server: EmbeddedApiServer

  beforeAll(async () => {
    server = (await startApiServer()) as EmbeddedApiServer
  })

  afterAll(() => server.close())
  afterEach(() => vi.unstubAllEnvs())

  operatorOverSockets(() => server)
  whatReconcilesAreReported(() => server)

  it('C8: says that it is well, that it is ready once its caches are there, and what it measures', () =>
    operating(
      server,
      async ({ operator, run, end }) => {
        operator
          .controller('maps')
          .for(configMaps)
          .reconcile(() => {})
        const fault = await server.faults.add({
          match: { resource: 'configmaps' },
          effect: { kind: 'delay', ms: 600_000 },
        })
        run()
        await until(() => expect(operator.healthPort).toBeGreaterThan(0))
        expect(await answerOf(operator.healthPort, '/healthz')).toBe('200 ok')
        expect(await answerOf(operator.healthPort, '/readyz')).toContain('500 [-]caches failed')
        await fault.remove()
        await server.breakConnections()
        await until(async () => expect(await answerOf(operator.healthPort, '/readyz')).toBe('200 ok'))
        expect(await answerOf(operator.healthPort, '/metrics')).toContain('404')
        const { healthPort } = operator
        await end()
        await expect(answerOf(healthPort, '/healthz')).rejects.toThrow()
      },
      { health: {} },
    ))

  it('C5, C7: the health server of a shard answers while its ring can not be read', () =>
    operating(
      server,
      async ({ client, operator, run, lines, errors }) => {
        await defineRing(client, 'maps', [{ resource: 'configmaps' }])
        operator
          .controller('maps')
          .for(configMaps)
          .reconcile(() => {})
        const match = { resource: 'controllerrings.sharding.timebertt.dev', verb: 'get' }
        const fault = await server.faults.add({ match, effect: { kind: 'delay', ms: 600_000 } })
        run()
        await until(() => expect(operator.healthPort).toBeGreaterThan(0))
        expect(await answerOf(operator.healthPort, '/healthz')).toBe('200 ok')
        expect(await answerOf(operator.healthPort, '/readyz')).toContain('500 [-]caches failed')
        expect(lines).toContain('readyz/caches: the ring maps has not been read')
        expect(errors).toEqual([])
        await fault.remove()
        await server.breakConnections()
        await until(async () => expect(await answerOf(operator.healthPort, '/readyz')).toBe('200 ok'))
      },
      { health: {}, shards: { ring: 'maps', name: 'a', namespace: 'default' } },
    ))

  it('C3, C8: is not ready before a source has its first state, and says which', () =>
    operating(
      server,
      async ({ operator, run, errors, lines }) => {
        const synced = Promise.withResolvers<void>()
        operator
          .controller('maps')
          .for(configMaps)
          .from({ name: 'queue', connect: () => ({ synced: () => synced.promise, close: async () => {} }) }, () => [])
          .reconcile(() => {})
        run()
        await until(async () => {
          expect(await answerOf(operator.healthPort, '/readyz')).toContain('500 [-]caches failed')
          expect(lines).toContain('readyz/caches: maps is starting: it waits for the first state of queue')
          // Nothing has failed.
          expect(errors).toEqual([])
        })
        synced.resolve()
        await until(async () => expect(await answerOf(operator.healthPort, '/readyz')).toBe('200 ok'))
      },
      { health: {} },
    ))

  it('C8, D7: is ready while another leads, though a resource has not come that may come later', async () => {
    const toys = defineResource<object>({
      ...{ group: 'arcade.example.com', version: 'v1', kind: 'Toy', plural: 'toys', namespaced: true },
    })
    const settings = {
      health: {},
      leader: { name: 'taken', namespace: 'default' },
      cache: { resources: [{ resource: toys, whenUnknown: 'wait' }] },
    } as const
    await operating(
      server,
      async ({ client, operator, run, end }) => {
        const [acquireTime, holderIdentity] = ['2026-01-01T00:00:00.000000Z', 'another']
        const spec = { holderIdentity, leaseDurationSeconds: 3600, acquireTime, renewTime: acquireTime }
        await client.create(leases, { metadata: { name: 'taken', namespace: 'default' }, spec })
        operator
          .controller('maps')
          .for(configMaps)
          .caches(toys)
          .reconcile(() => {})
        run()
        await until(async () => expect(await answerOf(operator.healthPort, '/readyz')).toBe('200 ok'))
        expect(operator.explain('maps', 'default/a').watched).toMatchObject([{}, { informer: { state: 'missing' } }])
        await client.delete(leases, { name: 'taken', namespace: 'default' })
        await end()
      },
      settings,
    )
  })

  it('C8: shows its metrics to users that the cluster lets read them', async () => {
    const metrics = await prometheusMetrics({ processMetrics: false })
    const tokens = { 'token-of-scraper': { name: 'scraper', groups: [] } }
    const strict = (await startApiServer({ authorization: 'RBAC', tokens })) as EmbeddedApiServer
    const client = new Client({ url: strict.url, ca: strict.ca, token: strict.token, environment: { metrics } })
    const health = new HealthServer({ metrics, authorize: tokenReview(client) })
    await health.start()
    try {
      const ask = (token?: string): Promise<string> => answerOf(health.port, '/metrics', token)
      expect(await ask()).toBe('401 unauthorized')
      expect(await ask('nonsense')).toBe('401 unauthorized')
      expect(await answerOf(health.port, '/metrics', strict.token)).toContain('200 ')
      await strict.resetStats()
      expect(await ask('token-of-scraper')).toBe('403 forbidden')
      expect(await ask('token-of-scraper')).toBe('403 forbidden')
      expect((await strict.stats()).byVerb.create?.['tokenreviews.authentication.k8s.io']?.requests).toBe(1)
      expect(await answerOf(health.port, '/healthz')).toBe('200 ok')
    } finally {
      await health.close()
      await client.close()
      await strict.close()
    }
  })

  it('C5: connects to the cluster of KUBECONFIG, logs there, and closes its client at the end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wherry-operator-'))
    try {
      const path = join(folder, 'config')
      await server.writeKubeconfig(path)
      vi.stubEnv('KUBECONFIG', path)
      const lines: string[] = []
      const at =
        (level: string) =>
        (fields: object, message: string): void =>
          void lines.push(`${level} ${message} ${(fields as { key?: string }).key ?? ''}`)
      const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
      const operator = await Operator.connect({ name: 'arcade', log, metrics: true, health: { port: 0 } })
      let runs = 0
      operator
        .controller('maps')
        .for(configMaps.within({ labels: { connect: 'test' } }))
        .reconcile(({ log: own }) => {
          own.info({}, 'a line')
          if (++runs === 1) throw new Error('no')
        })
      const metadata = { name: 'connected', namespace: 'default', labels: { connect: 'test' } }
      await operator.client.create(configMaps, { metadata })
      const stop = new AbortController()
      const running = operator.run({ signal: stop.signal })
      await operator.settled(patient)
      expect(lines.filter(line => line.includes('connected') && !line.startsWith('debug reconciled'))).toEqual([
        'info a line default/connected',
        'error no default/connected',
        'info a line default/connected',
      ])
      const shown = await answerOf(operator.healthPort, '/metrics')
      expect(shown).toContain('controller_runtime_reconcile_total{controller="maps",result="success"} 1')
      expect(shown).toContain('rest_client_requests_total{')
      expect(shown).toContain('wherry_reads_keys{controller="maps"} 0')
      stop.abort(new Error('enough'))
      await running
      await expect(operator.client.get(configMaps, { name: 'a', namespace: 'b' })).rejects.toMatchObject({
        code: 'CLIENT_CLOSED',
      })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it.each([
    [{ log: {} }, 'operator.log'],
    [{ metrics: 'yes' }, 'operator.metrics'],
    [{ stopTimeoutMs: -1 }, 'operator.stopTimeoutMs'],
    [{ prot: 1 }, 'operator.prot'],
    [{ poll: {} }, 'operator.poll'],
    [{ leader: 'game' }, 'operator.leader'],
  ])('X6: connect refuses %j before it looks for a cluster', async (options, option) => {
    await expect(Operator.connect({ name: 'arcade', ...options } as ConnectOptions)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      option,
    })
  })
})
