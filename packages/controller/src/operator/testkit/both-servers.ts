import { once } from 'node:events'
import { createServer, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import { Client, type Environment } from '@wherry/client'
import { systemClock } from '@wherry/client/internal'
import { configMaps, secrets } from '@wherry/client/resources/core'
import type { ApiServer } from '@wherry/testing'
import { expect, it, vi } from 'vitest'
import { prometheusMetrics } from '../../metrics/prometheus.ts'
import { Operator } from '../operator.ts'
import type { OperatorSettings } from '../options.ts'
import { defineGames, desiredConfig, game, games, ours, secret } from './games.ts'

/** For machines with much else to do. */
export const patient = { timeoutMs: 150_000 }
const testMs = 180_000
const waiting = { interval: 20 }
export const until = (fn: () => unknown): Promise<unknown> => vi.waitFor(fn, waiting)

/** An operator of a client of its own on a server, which is closed at the end. */
export async function operating(
  server: Pick<ApiServer, 'url' | 'ca' | 'token'>,
  body: (parts: {
    readonly operator: Operator
    readonly client: Client
    readonly errors: Error[]
    /** The lines of the log. */
    readonly lines: string[]
    run(): void
    end(): Promise<unknown>
  }) => Promise<void>,
  settings: OperatorSettings & { readonly environment?: Partial<Environment> } = {},
): Promise<void> {
  const { environment, ...rest } = settings
  const errors: Error[] = []
  const lines: string[] = []
  const { url, ca, token } = server
  const onError = (error: Error): void => void errors.push(error)
  const log = (_: string, message: string): void => void lines.push(message)
  const client = new Client({ url, ca, token, environment: { onError, log, ...environment } })
  const operator = new Operator({ ...rest, name: 'arcade', client })
  const stop = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  const run = (): void => {
    running = operator.run({ signal: stop.signal, signals: false }).then(
      () => 'ended',
      error => error,
    )
  }
  const end = (): Promise<unknown> => {
    stop.abort(new Error('enough'))
    return running
  }
  try {
    await body({ operator, client, errors, lines, run, end })
  } finally {
    await end()
    await operator.close()
    await client.close()
  }
}

/** Asks a health server, and gives status and body. */
export async function answerOf(port: number, path: string, token?: string): Promise<string> {
  const headers = { connection: 'close', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  return `${answer.status} ${await answer.text()}`
}

/** What an operator does on any server. */
export function operatorOverSockets(server: () => ApiServer): void {
  const config = { name: 'chess-config', namespace: 'default' }

  it(
    'C2, C4, C5, C11: an operator in a user’s style: what it makes follows what it reads, whoever changes either',
    () =>
      operating(server(), async ({ operator, client, errors, run, end }) => {
        const gone: string[] = []
        operator
          .controller('game')
          .for(games)
          .owns(ours.metadata())
          .reconcile(async ({ object, read, apply, client: own, key }) => {
            const found = await read.get(secrets, { name: object.spec.secret })
            if (!found) return
            const { object: made } = await apply(ours, desiredConfig(object, found))
            if (made !== undefined) await own.status.patch(games, key, { status: { phase: 'Made' } })
          })
          .onGone(({ key }) => {
            gone.push(key.name)
          })
        await defineGames(client)
        await client.create(games, game('chess'))
        run()
        await operator.settled(patient)
        expect(await client.get(configMaps, config)).toBeUndefined()
        await client.create(secrets, secret('key', 'hunter2'))
        await operator.settled(patient)
        expect((await client.get(configMaps, config))?.data).toEqual({ title: 'Chess', key: btoa('hunter2') })
        expect((await client.get(games, { name: 'chess', namespace: 'default' }))?.status).toEqual({ phase: 'Made' })
        await client.patch(secrets, { name: 'key', namespace: 'default' }, { stringData: { value: 'other' } })
        await operator.settled(patient)
        expect((await client.get(configMaps, config))?.data?.key).toBe(btoa('other'))
        await client.patch(configMaps, config, { data: { title: 'by hand' } })
        await operator.settled(patient)
        expect((await client.get(configMaps, config))?.data?.title).toBe('Chess')
        await client.delete(configMaps, config)
        await operator.settled(patient)
        expect((await client.get(configMaps, config))?.data?.title).toBe('Chess')
        expect(`${operator.explain('game', 'default/chess')}`).toContain(': default/chess-config of ')
        await client.delete(games, { name: 'chess', namespace: 'default' })
        await operator.settled(patient)
        expect(gone).toEqual(['chess'])
        expect(errors).toEqual([])
        expect(await end()).toBe('ended')
        await client.delete(secrets, { name: 'key', namespace: 'default' })
      }),
    testMs,
  )

  it(
    'C5, C6: a leader runs its controllers, and the next takes over when it ends',
    () =>
      operating(
        server(),
        async first => {
          const log: string[] = []
          const declare = (operator: Operator, replica: string): void => {
            operator
              .controller('maps')
              .for(configMaps.within({ labels: { lead: 'test' } }))
              .reconcile(({ key }) => {
                log.push(`${replica} ${key.name}`)
              })
          }
          declare(first.operator, 'first')
          const metadata = { name: 'led', namespace: 'default', labels: { lead: 'test' } }
          await first.client.create(configMaps, { metadata })
          first.run()
          await first.operator.settled(patient)
          expect(log).toEqual(['first led'])
          await operating(
            server(),
            async second => {
              declare(second.operator, 'second')
              second.run()
              expect(await first.end()).toBe('ended')
              await second.operator.settled(patient)
              expect(log).toEqual(['first led', 'second led'])
            },
            { leader: { name: 'lead-test', namespace: 'default' } },
          )
          await first.client.delete(configMaps, { name: 'led', namespace: 'default' })
        },
        { leader: { name: 'lead-test', namespace: 'default' } },
      ),
    testMs,
  )

  it(
    'C8: asks the server about few of the tokens that come at once, and about none again that it has refused',
    async () => {
      const metrics = await prometheusMetrics({ processMetrics: false })
      // A thousand times slower than the machine's: no answer expires while the test runs, however slow the machine is.
      const machine = systemClock()
      const clock = { ...machine, monotonic: () => machine.monotonic() / 1000 }
      const settings = { metrics, health: { tokenReview: true }, environment: { metrics, clock } }
      await operating(
        server(),
        async ({ operator, run, errors }) => {
          operator
            .controller('maps')
            .for(ours)
            .reconcile(() => {})
          run()
          await until(() => expect(operator.healthPort).toBeGreaterThan(0))
          const ask = (token: string): Promise<string> => answerOf(operator.healthPort, '/metrics', token)
          const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => ask(`junk-${i}`)))
          const refused = answers.filter(answer => answer.startsWith('401'))
          expect(refused.length).toBeGreaterThan(0)
          const sent = async (): Promise<string | undefined> =>
            /rest_client_requests_total\{[^}]*POST[^}]*\} (\d+)/.exec(await metrics.text())?.[1]
          expect(await sent()).toBe(`${refused.length}`)
          expect(refused.length).toBeLessThanOrEqual(100)
          expect(answers.filter(answer => answer.startsWith('429'))).toHaveLength(300 - refused.length)
          await ask(`junk-${answers.findIndex(answer => answer.startsWith('401'))}`)
          expect(await sent()).toBe(`${refused.length}`)
          expect(errors).toEqual([])
        },
        settings,
      )
    },
    testMs,
  )

  it(
    'C5, C8: junk tokens do not cost the leader its lease, however slow their reviews are',
    async () => {
      const proxy = await holdingReviews(server())
      const metrics = await prometheusMetrics({ processMetrics: false })
      // No lease ends by itself while the test runs, however slow the machine is: the test shows that renewals get through.
      const leader = {
        ...{ name: 'junk', namespace: 'default' },
        ...{ leaseMs: 240_000, renewDeadlineMs: 180_000, retryMs: 200 },
      }
      const settings = { metrics, leader, health: { tokenReview: true } }
      try {
        await operating(
          proxy,
          async ({ operator, run, end, errors }) => {
            operator
              .controller('maps')
              .for(ours)
              .reconcile(() => {})
            run()
            await operator.settled(patient)
            const created = vi.spyOn(operator.client, 'create')
            const tokens = Array.from({ length: 100 }, (_, i) => `junk-${i}`)
            const asked = Promise.allSettled(
              tokens.map(async token => (await answerOf(operator.healthPort, '/metrics', token)).slice(0, 3)),
            )
            // As many as are reviewed at a time.
            await until(() => expect(proxy.held).toBe(4))
            const { renewals } = proxy
            // The first of them may have begun before.
            await until(() => expect(proxy.renewals).toBeGreaterThan(renewals + 1))
            expect(proxy.held).toBe(4)
            proxy.release()
            const answers = await asked
            expect(answers.filter(({ status }) => status === 'rejected')).toEqual([])
            expect(answers).toContainEqual({ status: 'fulfilled', value: '401' })
            // They have connections of their own.
            expect(created.mock.calls.filter(([view]) => view.resource.kind === 'TokenReview')).toEqual([])
            expect(errors).toEqual([])
            expect(await end()).toBe('ended')
          },
          settings,
        )
      } finally {
        await proxy.close()
      }
    },
    testMs,
  )
}

/** A server over plain HTTP/1.1 that holds all reviews of tokens until it is to release them, and counts the renewals of leases. */
async function holdingReviews({ url, ca, token }: ApiServer) {
  const target = new URL(url)
  const request = target.protocol === 'https:' ? secureRequest : plainRequest
  const released = Promise.withResolvers<void>()
  const found = { held: 0, renewals: 0 }
  const proxy = createServer((from, to) => {
    const { hostname, port } = target
    const pass = (): void => {
      const on = request({
        hostname,
        port,
        ca,
        agent: false,
        path: from.url,
        method: from.method,
        headers: from.headers,
      })
      on.on('response', answer => {
        to.writeHead(answer.statusCode ?? 502, answer.headers)
        to.flushHeaders()
        pipeline(answer, to, error => {
          if (!error && from.method === 'PUT' && from.url?.includes('/leases/')) found.renewals += 1
        })
      })
      on.on('error', () => to.destroy())
      to.on('close', () => on.destroy())
      pipeline(from, on, () => {})
    }
    if (from.url?.includes('/tokenreviews') !== true) return pass()
    found.held += 1
    void released.promise.then(pass)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  const close = async (): Promise<void> => {
    proxy.closeAllConnections()
    proxy.close()
    await once(proxy, 'close')
  }
  return Object.assign(found, {
    url: `http://127.0.0.1:${port}`,
    ca: undefined,
    token,
    release: released.resolve,
    close,
  })
}
