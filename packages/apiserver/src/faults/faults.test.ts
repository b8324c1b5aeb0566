import { describe, expect, it } from 'vitest'
import { brief, cm, definitions, game, gameDefinition, games, sie, withServer } from '../testkit/in-memory.ts'
import { checkFaultRule, type FaultEffect } from './fault-rule.ts'

const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    value => value,
    (error: Error & { code?: string }) => error.code ?? error.message,
  )

describe('faults', () => {
  it('F2: a fault hits the requests that it matches, the nth of them, so many times, until it is removed', () =>
    withServer(async ({ call, configMap, server }) => {
      await configMap('a')
      const statuses = async (count: number): Promise<number[]> => {
        const all: number[] = []
        for (let i = 0; i < count; i++) all.push((await call('GET', `${cm}/a`)).status)
        return all
      }
      const effect: FaultEffect = { kind: 'status', code: 500 }
      const second = await server.faults.add({
        match: { verb: 'get', resource: 'configmaps', name: 'a' },
        nth: 2,
        effect,
      })
      expect(await statuses(4)).toEqual([200, 500, 200, 200])
      expect(await second.hits()).toBe(1)
      await second.remove()
      const twice = await server.faults.add({ match: { name: 'a' }, times: 2, effect })
      expect(await statuses(3)).toEqual([500, 500, 200])
      await twice.remove()
      const always = await server.faults.add({ match: { namespace: 'default' }, effect })
      expect((await call('GET', '/api/v1/namespaces/kube-system/configmaps')).status).toBe(200)
      expect(await statuses(2)).toEqual([500, 500])
      await always[Symbol.asyncDispose]()
      await server.faults.add({ match: { verb: 'list' }, effect })
      await server.faults.clear()
      expect((await call('GET', cm)).status).toBe(200)
    }))

  it('F2: a name is matched by the field selector of a watch too', () =>
    withServer(async ({ server, watch, sim }) => {
      await server.faults.add({ match: { verb: 'watch', name: 'a' }, effect: { kind: 'status', code: 503 } })
      const hit = await watch(`${cm}?watch=1&fieldSelector=metadata.name%3Da`)
      const missed = await watch(`${cm}?watch=1&fieldSelector=metadata.name%3Db`)
      await sim.advance(10)
      expect([hit.status(), missed.status()]).toEqual([503, 200])
    }))

  it('F2: 429 carries Retry-After, as a Status or as text', () =>
    withServer(async ({ call, server }) => {
      const effect = { kind: 'status', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 7 } as const
      await server.faults.add({ nth: 1, effect })
      await server.faults.add({
        nth: 2,
        effect: { ...effect, plain: true, message: 'Too many requests, please try again later.\n' },
      })
      const status = await call('GET', cm)
      expect([status.status, status.headers['retry-after'], status.json.details]).toEqual([
        429,
        '7',
        { retryAfterSeconds: 7 },
      ])
      const plain = await call('GET', cm)
      expect([plain.headers['content-type'], plain.text]).toEqual([
        'text/plain; charset=utf-8',
        'Too many requests, please try again later.\n',
      ])
    }))

  it('F2: expired is an HTTP 410 of a list and an ERROR event of a watch', () =>
    withServer(async ({ call, server, watch, sim }) => {
      await server.faults.add({ effect: { kind: 'expired' } })
      expect((await call('GET', cm)).status).toBe(410)
      const stream = await watch(`${cm}?watch=1&resourceVersion=1`)
      await sim.advance(10)
      expect([stream.status(), brief(stream.events), stream.state()]).toEqual([200, ['ERROR 410'], 'end'])
    }))

  it('F2: drop loses the request; with after, the answer alone', () =>
    withServer(async ({ call, server }) => {
      await server.faults.add({ match: { verb: 'create' }, nth: 1, effect: { kind: 'drop' } })
      await server.faults.add({ match: { verb: 'create' }, nth: 2, effect: { kind: 'drop', after: true } })
      expect(await failure(call('POST', cm, { metadata: { name: 'a' } }))).toBe('ECONNRESET')
      expect((await call('GET', `${cm}/a`)).status).toBe(404)
      expect(await failure(call('POST', cm, { metadata: { name: 'b' } }))).toBe('ECONNRESET')
      expect((await call('GET', `${cm}/b`)).status).toBe(200)
    }))

  it.each([
    ['rst', { kind: 'rst', afterBytes: 100 }],
    ['break', { kind: 'break', afterBytes: 100 }],
    ['reset', { kind: 'reset', afterBytes: 100 }],
  ] as const)('F2: %s ends a body with an error after so many bytes', (_name, effect) =>
    withServer(async ({ configMap, server, watch, sim }) => {
      await configMap('a', { data: { x: 'x'.repeat(500) } })
      await server.faults.add({ match: { verb: 'watch' }, effect })
      const stream = await watch(`${cm}?${sie}`)
      await sim.advance(100)
      expect([stream.status(), stream.state()]).toEqual([200, expect.any(Error)])
      expect(stream.lines).toEqual([])
    }),
  )

  it.each(['rst', 'break', 'reset'] as const)('F2: %s without bytes answers nothing at all', kind =>
    withServer(async ({ call, server }) => {
      await server.faults.add({ effect: { kind } })
      expect(await failure(call('GET', cm))).toMatch(/ECONNRESET|ERR_HTTP2_STREAM_ERROR/)
    }),
  )

  it('F2: truncate ends cleanly in the middle of a line, never behind one', () =>
    withServer(async ({ configMap, server, watch, sim }) => {
      await configMap('a')
      await configMap('b')
      const whole = await watch(`${cm}?${sie}`)
      await sim.advance(10)
      const afterBytes = (whole.lines[0]?.length ?? 0) + 1
      await server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'truncate', afterBytes } })
      const cut = await watch(`${cm}?${sie}`)
      await sim.advance(10)
      expect([cut.lines.length, cut.lines[1], cut.state()]).toEqual([2, '{', 'end'])
    }))

  it('F2: delay, slow bytes and a hang take their time', () =>
    withServer(async ({ configMap, call, server, sim, watch }) => {
      await configMap('a', { data: { x: 'x'.repeat(1000) } })
      const timed = async (effect: FaultEffect): Promise<number> => {
        const fault = await server.faults.add({ effect })
        const start = sim.clock.now()
        await call('GET', `${cm}/a`)
        await fault.remove()
        return sim.clock.now() - start
      }
      expect(Math.round((await timed({ kind: 'delay', ms: 5000 })) / 100)).toBe(50)
      expect(Math.round((await timed({ kind: 'slow', bytesPerSecond: 100 })) / 1000)).toBeGreaterThanOrEqual(12)
      await server.faults.add({ effect: { kind: 'hang', afterBytes: 30 } })
      const hung = await watch(`${cm}?${sie}`)
      await sim.advance(3_000_000)
      expect([hung.status(), hung.lines, hung.state()]).toEqual([200, [], 'open'])
      hung.abort()
    }))

  it('F2: a watch gets an ERROR event, a line or each event twice where it is asked for', () =>
    withServer(async ({ configMap, server, watch, sim }) => {
      for (const name of ['a', 'b']) await configMap(name)
      const open = async (effect: FaultEffect): Promise<string[]> => {
        const fault = await server.faults.add({ effect })
        const stream = await watch(`${cm}?watch=1&resourceVersion=1`)
        await sim.advance(10)
        await fault.remove()
        return [...brief(stream.events), stream.state() === 'end' ? 'end' : 'open']
      }
      expect(await open({ kind: 'duplicate' })).toEqual(['ADDED a', 'ADDED a', 'ADDED b', 'ADDED b', 'open'])
      expect(await open({ kind: 'error-event', code: 500, afterEvents: 1 })).toEqual(['ADDED a', 'ERROR 500', 'end'])
      const nameless = '{"type":"ADDED","object":{"metadata":{"name":"fake"}}}'
      expect(await open({ kind: 'line', text: nameless, afterEvents: 1 })).toEqual([
        'ADDED a',
        'ADDED fake',
        'ADDED b',
        'open',
      ])
    }))

  it('F2: a warning comes as a header, GOAWAY on the connection', () =>
    withServer(async ({ call, connection, server, sim }) => {
      await server.faults.add({ nth: 1, effect: { kind: 'warning', text: 'mind the "gap"' } })
      expect((await call('GET', cm)).headers.warning).toEqual(['299 - "mind the \\"gap\\""'])
      const link = await connection()
      const received: string[] = []
      link.onClose(why => received.push(why))
      await server.faults.add({ nth: 1, effect: { kind: 'goaway' } })
      expect((await call('GET', cm)).status).toBe(200)
      await sim.advance(10)
      expect(received[0]).toBe('goaway')
    }))

  it('F2: refused, broken and going connections', () =>
    withServer(async ({ call, connection, server, watch, sim }) => {
      const stream = await watch(`${cm}?watch=1`)
      await sim.advance(10)
      await server.breakConnections()
      await sim.advance(10)
      expect(stream.state()).toBeInstanceOf(Error)
      await server.refuse(true)
      expect(await failure(connection())).toBe('ECONNREFUSED')
      await server.refuse(false)
      await sim.advance(1)
      const closed: string[] = []
      const link = await connection()
      link.onClose(why => closed.push(why))
      await server.goawayAll()
      await sim.advance(10)
      expect(closed[0]).toBe('goaway')
      expect((await call('GET', cm)).status).toBe(200)
    }))

  it('F2: watches end cleanly on demand', () =>
    withServer(async ({ server, watch, sim }) => {
      const [one, other] = [await watch(`${cm}?watch=1`), await watch('/api/v1/secrets?watch=1')]
      await sim.advance(10)
      await server.endWatches('configmaps')
      await sim.advance(10)
      expect([one.state(), other.state()]).toEqual(['end', 'open'])
    }))

  it('F2: a restart breaks every stream and empties the watch caches', () =>
    withServer(async ({ configMap, server, watch, sim }) => {
      await configMap('a')
      const rv = await server.revision()
      await configMap('b')
      const stream = await watch(`${cm}?watch=1&resourceVersion=${rv}`)
      await sim.advance(10)
      await server.restart()
      await sim.advance(10)
      expect(stream.state()).toBeInstanceOf(Error)
      const again = await watch(`${cm}?watch=1&resourceVersion=${rv}`)
      await sim.advance(10)
      expect(brief(again.events)).toEqual(['ERROR 410'])
    }))

  it('F2: after a restore of etcd the state is the old one and a watch from before is silent', () =>
    withServer(async ({ call, configMap, server, watch, sim }) => {
      await configMap('a')
      const backup = await server.revision()
      await configMap('b')
      await configMap('c')
      const rv = await server.revision()
      await server.restoreEtcd(backup)
      await sim.advance(10)
      expect(
        (await call('GET', cm)).json.items.map((item: { metadata: { name: string } }) => item.metadata.name),
      ).toEqual(['a'])
      const stream = await watch(`${cm}?watch=1&allowWatchBookmarks=true&resourceVersion=${rv}`)
      await configMap('d')
      await sim.advance(100)
      expect([stream.state(), stream.lines]).toEqual(['open', []])
      expect((await call('GET', `${cm}?limit=1&resourceVersion=${rv}&resourceVersionMatch=NotOlderThan`)).status).toBe(
        504,
      )
      await expect(server.restoreEtcd(rv + 100)).rejects.toThrow(RangeError)
    }))

  it('F2: a restore of etcd takes definitions and namespaces back too', () =>
    withServer(async ({ call, server, sim }) => {
      const before = await server.revision()
      await call('POST', definitions, gameDefinition())
      await call('POST', '/api/v1/namespaces', { metadata: { name: 'late' } })
      await sim.advance(1000)
      const after = await server.revision()
      await call('DELETE', `${definitions}/games.arcade.example.com`)
      await call('DELETE', '/api/v1/namespaces/late')
      await sim.advance(5000)
      expect((await call('GET', games)).status).toBe(404)
      await server.restoreEtcd(after)
      await sim.advance(10)
      expect((await call('POST', games, game('chess'))).status).toBe(201)
      expect((await call('POST', '/api/v1/namespaces/late/configmaps', { metadata: { name: 'a' } })).status).toBe(201)
      await server.restoreEtcd(before)
      await sim.advance(10)
      expect((await call('GET', games)).status).toBe(404)
    }))

  it('F2: an effect that only a watch can show neither hits nor counts other requests', () =>
    withServer(async ({ call, configMap, server, watch, sim }) => {
      await configMap('a')
      const fault = await server.faults.add({ nth: 1, effect: { kind: 'line', text: 'nonsense' } })
      expect((await call('GET', cm)).text).not.toContain('nonsense')
      expect(await fault.hits()).toBe(0)
      const stream = await watch(`${cm}?${sie}`)
      await sim.advance(10)
      expect(stream.lines[0]).toBe('nonsense')
    }))

  it('F2: truncate announces no length, so that the end is a clean one on every protocol', () =>
    withServer(async ({ call, configMap, server }) => {
      await configMap('a')
      expect((await call('GET', `${cm}/a`)).headers['content-length']).toBeDefined()
      await server.faults.add({ effect: { kind: 'truncate' } })
      const cut = await call('GET', `${cm}/a`)
      expect([cut.text.length, cut.headers['content-length']]).toEqual([20, undefined])
    }))

  it('F2: a watch from the present goes well after a restore of etcd and the next compaction', () =>
    withServer(
      async ({ configMap, server, watch, sim }) => {
        await configMap('a')
        const before = await server.revision()
        for (const name of ['b', 'c', 'd']) await configMap(name)
        await sim.advance(61_000)
        await server.restoreEtcd(before)
        await sim.advance(61_000)
        const stream = await watch(`${cm}?watch=1&resourceVersion=${await server.revision()}`)
        await sim.advance(10)
        expect([stream.state(), stream.lines]).toEqual(['open', []])
      },
      { compactionMs: 60_000 },
    ))

  it('F2: a restore that history has no state for is refused, and the server goes on', () =>
    withServer(async ({ call, server }) => {
      await expect(server.restoreEtcd(1_000_000)).rejects.toThrow(RangeError)
      await expect(server.restoreEtcd(Number.NaN)).rejects.toThrow(RangeError)
      await expect(server.compact(Number.NaN)).rejects.toThrow(RangeError)
      expect((await call('GET', cm)).status).toBe(200)
    }))

  it('F2: a way to the server that is made while it refuses is refused too, and one after its close', () =>
    withServer(async ({ server }) => {
      const signal = new AbortController().signal
      const connect = async (): Promise<unknown> => failure(server.transport().connect(new URL(server.url), signal))
      await server.refuse(true)
      expect(await connect()).toBe('ECONNREFUSED')
      await server.refuse(false)
      expect(await connect()).toHaveProperty('request')
      await server.close()
      await server.restart()
      expect(await connect()).toBe('ECONNREFUSED')
    }))

  it.each([
    [null, TypeError],
    [{}, TypeError],
    [{ effect: { kind: 'explode' } }, TypeError],
    [{ effect: { kind: 'constructor' } }, TypeError],
    [{ nth: 0, effect: { kind: 'drop' } }, RangeError],
    [{ nth: 1.5, effect: { kind: 'drop' } }, RangeError],
    [{ Nth: 1, effect: { kind: 'drop' } }, TypeError],
    [{ match: { verbs: 'get' }, effect: { kind: 'drop' } }, TypeError],
    [{ match: { verb: 'GET' }, effect: { kind: 'drop' } }, TypeError],
    [{ match: { verb: 'list' }, effect: { kind: 'line', text: '' } }, TypeError],
    [{ effect: { kind: 'drop', afterwards: true } }, TypeError],
    [{ effect: { kind: 'slow', bytesPerSecond: 0 } }, RangeError],
    [{ effect: { kind: 'slow' } }, TypeError],
    [{ effect: { kind: 'delay', ms: -1 } }, RangeError],
    [{ effect: { kind: 'status', code: 99 } }, RangeError],
    [{ effect: { kind: 'status', code: '429' } }, TypeError],
    [{ effect: { kind: 'rst', afterBytes: Number.NaN } }, RangeError],
  ])('X6: refuses a rule that could never do what it says: %j', (rule, error) => {
    expect(() => checkFaultRule(rule as never)).toThrow(error)
    expect(() => checkFaultRule(rule as never)).toThrow(expect.objectContaining({ code: 'ERR_WHERRY_OPTION' }))
  })
})
