import { describe, expect, it } from 'vitest'
import { configMap, reflectorBenches } from '../testkit/bench.ts'
import { bookmark, event, scripted, verbs as verbsOf } from '../testkit/scripted-server.ts'

const idle = reflectorBenches()
const bench = reflectorBenches(async ({ server, simulation, watch }) => {
  await server.fill([configMap('a'), configMap('b')])
  await watch()
  await simulation.advance(1100)
})

const watches = { match: { verb: 'watch' } } as const
const line = (type: string, object: object): string => JSON.stringify({ type, object })

describe('watching', () => {
  it('R14: a clean close is followed by a watch from the last resourceVersion, at once and with no event', async () => {
    const { server, simulation, recording, states, said, asked, write } = await bench(1)
    await write('+c')
    await simulation.runUntil(() => recording.log.length === 2)
    const at = simulation.clock.monotonic()
    await server.endWatches()
    await simulation.runUntil(() => asked.length === 2)
    expect(simulation.clock.monotonic() - at).toBeLessThan(100)
    expect(asked[1]).toBe(`watch rv=${await server.revision()}`)
    await write('+d')
    await simulation.runUntil(() => recording.log.length === 3)
    expect(recording.log.slice(1)).toEqual(['ADDED c', 'ADDED d'])
    expect(states).toEqual(['streaming', 'watching'])
    expect(said).toEqual(['synced'])
  })

  it.each(['h2', 'http/1.1'] as const)(
    'R14: a break in the middle of a line: backoff, and the line comes whole from the next watch (%s)',
    async protocol => {
      const { server, simulation, recording, states, asked, write } = await bench(2, {}, { protocol })
      await server.faults.add({ ...watches, nth: 1, effect: { kind: 'break', afterBytes: 400 } })
      await server.endWatches()
      await simulation.runUntil(() => asked.length === 2)
      await write('+c', '+d', '+e', '+f')
      await simulation.runUntil(() => recording.log.at(-1) === 'ADDED f')
      expect(recording.log.slice(1)).toEqual(['ADDED c', 'ADDED d', 'ADDED e', 'ADDED f'])
      expect(states).toEqual(['streaming', 'watching', 'waiting', 'watching'])
      expect(asked.filter(one => one.startsWith('stream'))).toHaveLength(1)
    },
  )

  it.each(['reset', 'rst'] as const)(
    'R14, P5: a resourceVersion that the server answers by an abrupt end (%s), never by a 410: the fifth time, a relist',
    async kind => {
      const { server, simulation, reflector, recording, asked, write } = await bench(33)
      const stale = await server.faults.add({ match: { verb: 'watch' }, times: 5, effect: { kind, afterBytes: 0 } })
      await server.endWatches()
      await simulation.runUntil(() => asked.length === 7)
      await stale.remove()
      expect(asked.map(one => one.split(' ')[0])).toEqual(['stream', ...Array(5).fill('watch'), 'stream'])
      await write('+c')
      await simulation.runUntil(() => reflector.state === 'watching' && recording.names.includes('c'))
      expect(reflector.stats.relists).toBe(1)
      expect(simulation.clock.monotonic()).toBeLessThan(60_000)
    },
  )

  it('R14: one that it answers by a clean end at once likewise', async () => {
    const { simulation, reflector, asked } = scripted(
      request => (request.line === 'watch rv=7' ? request.answer().end() : request.list('7', 'a')),
      { initial: 'whole' },
    )
    reflector.start()
    await simulation.runUntil(() => reflector.stats.relists === 2)
    const five = Array(5).fill('watch')
    expect(verbsOf(asked).slice(0, 13)).toEqual(['list', ...five, 'list', ...five, 'list'])
    await simulation.run(() => reflector.stop())
  })

  it('X14: a bookmark that goes back is reported and skipped; the watch goes on from where it was', async () => {
    const { simulation, reflector, recording, asked } = scripted(
      (request, nth) => {
        if (request.line.startsWith('list')) return request.list('7', 'a')
        request.answer()
        if (nth === 0) request.send(event('ADDED', 'b', '1000'), bookmark('844'), event('ADDED', 'c', '1001')).end()
        if (nth === 1) request.send(bookmark('844')).end()
      },
      { initial: 'whole' },
    )
    reflector.start()
    await simulation.runUntil(() => asked.length === 4)
    expect(asked).toEqual([expect.stringContaining('list'), 'watch rv=7', 'watch rv=1001', 'watch rv=1001'])
    expect(recording.names).toEqual(['a', 'b', 'c'])
    expect(simulation.environment.errors.map(({ error }) => error.message)).toEqual(
      Array(2).fill('v1/configmaps: a bookmark is older than what the watch has shown'),
    )
    await simulation.run(() => reflector.stop())
  })

  it.each<['whole' | 'stream']>([['whole'], ['stream']])(
    'X14: a state that is older than the one asked for deletes nothing (%s)',
    async initial => {
      let isSick = false
      const { simulation, reflector, recording, asked, said } = scripted(
        request => {
          if (request.line.startsWith('watch')) {
            isSick = true
            return request.answer(410).end()
          }
          if (request.line.startsWith('list')) return request.list(isSick ? '6' : '7', ...(isSick ? [] : ['a']))
          request.answer()
          if (isSick) return request.send(bookmark('6', true))
          request.send(event('ADDED', 'a'), bookmark('7', true)).end()
        },
        { initial },
      )
      reflector.start()
      await simulation.runUntil(() => asked.length > 8)
      expect(recording.names).toEqual(['a'])
      expect(reflector.lastSyncedResourceVersion).toBe('7')
      expect(said.at(-1)).toMatchObject({
        code: 'INVALID_BODY',
        message: expect.stringContaining('the state is older than the one asked for'),
      })
      await simulation.run(() => reflector.stop())
    },
  )

  it('R14: ends in the midst of a line are no lines that can’t be read: no relist, and nothing is lost', async () => {
    const { simulation, reflector, recording, asked } = scripted(
      (request, nth) => {
        if (request.line.startsWith('list')) return request.list('7', 'a')
        const [half, whole] = [nth, nth + 1].map(n => `${JSON.stringify(event('ADDED', `n${n}`, `${10 + n}`))}\n`)
        request.answer().text(nth === 0 ? '' : (half as string))
        request.text((whole as string).slice(0, 30)).end()
      },
      { initial: 'whole' },
    )
    reflector.start()
    await simulation.runUntil(() => asked.length > 8)
    expect(verbsOf(asked)).toEqual(['list', ...Array(8).fill('watch')])
    expect(recording.log.slice(1, 4)).toEqual(['ADDED n1', 'ADDED n2', 'ADDED n3'])
    await simulation.run(() => reflector.stop())
  })

  it('R14: bookmarks between the breaks show that the server knows the resourceVersion: no relist', async () => {
    const { simulation, transport, asked } = await bench(34, { timeoutSeconds: { min: 3000, max: 3000 } })
    for (let time = 0; time < 12; time++) {
      await simulation.advance(60_500)
      for (let again = 0; again < 3; again++) {
        for (const connection of transport.controls.connections()) transport.controls.kill(connection)
        await simulation.advance(8000)
      }
    }
    expect(asked.filter(one => one.startsWith('stream'))).toHaveLength(1)
  })

  it('R16: a server that asks for a century is asked again after five minutes; `state` and `lastError` say so', async () => {
    const { server, simulation, reflector, recording, asked, write } = await bench(35)
    const effect = { kind: 'status', code: 429, retryAfterSeconds: 999_999_999 } as const
    await server.faults.add({ ...watches, nth: 1, effect })
    await server.endWatches()
    await simulation.runUntil(() => reflector.state === 'waiting')
    const at = simulation.clock.monotonic()
    await write('+c')
    await simulation.advance(299_000)
    expect([reflector.state, reflector.lastError]).toMatchObject(['waiting', { retryAfterMs: 999_999_999_000 }])
    await simulation.runUntil(() => recording.names.includes('c'))
    expect(simulation.clock.monotonic() - at).toBeLessThan(301_000)
    expect(verbsOf(asked)).toEqual(['stream', 'watch', 'watch'])
  })

  it('R16: so is a first state, listed or streamed, refused at opening or inside the stream', async () => {
    for (const initial of ['stream', 'whole'] as const) {
      for (const effect of [
        { kind: 'status', code: 503, retryAfterSeconds: 999_999_999 },
        { kind: 'error-event', code: 429, retryAfterSeconds: 999_999_999 },
      ] as const) {
        const { server, simulation, reflector } = await idle(36, { initial })
        const handle = await server.faults.add({ effect })
        reflector.start()
        await simulation.runUntil(() => reflector.state === 'waiting' || reflector.state === 'watching')
        await handle.remove()
        await simulation.runUntil(() => reflector.state === 'watching')
        expect(simulation.clock.monotonic()).toBeLessThan(302_000)
      }
    }
  })

  it('R16, X8: a Retry-After of 1 s for ever: the waits grow all the same', async () => {
    const { server, simulation, states } = await bench(37)
    await server.faults.add({ ...watches, effect: { kind: 'status', code: 429, retryAfterSeconds: 1 } })
    await server.endWatches()
    for (const bound of [1000, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]) {
      await simulation.runUntil(() => states.at(-1) === 'waiting')
      const at = simulation.clock.monotonic()
      await simulation.runUntil(() => states.at(-1) !== 'waiting')
      expect(simulation.clock.monotonic() - at).toBeGreaterThanOrEqual(bound)
    }
  })

  it('R15: closed at once without an event: backoff, and an error only the third time running', async () => {
    const { server, simulation, reflector, recording, states, said, asked, write } = await bench(3)
    const ends = await server.faults.add({ ...watches, effect: { kind: 'line', text: '', afterEvents: 0 } })
    await ends.remove()
    const quick = async (): Promise<void> => {
      const count = asked.length
      await server.endWatches()
      await simulation.runUntil(() => asked.length > count)
      await simulation.advance(10)
    }
    await quick()
    expect(states.at(-1)).toBe('watching')
    await quick()
    await quick()
    expect(said).toEqual(['synced'])
    expect(states.filter(state => state === 'waiting')).toHaveLength(2)
    await quick()
    expect(said).toEqual(['synced', 'Error'])
    expect(simulation.environment.errors).toMatchObject([{ context: { resource: 'v1/configmaps', phase: 'watch' } }])
    await write('+c')
    await simulation.runUntil(() => recording.log.length === 2)
    const at = simulation.clock.monotonic()
    await quick()
    expect(simulation.clock.monotonic() - at).toBeLessThan(100)
    expect(reflector.stats.lists).toBe(1)
  })

  it.each([
    ['an answer of 429', { kind: 'status', code: 429, retryAfterSeconds: 9, plain: true }],
    ['an ERROR of 429', { kind: 'error-event', code: 429, retryAfterSeconds: 9 }],
    ['an answer of 503', { kind: 'status', code: 503, retryAfterSeconds: 9 }],
    ['an answer of 500 with a Retry-After', { kind: 'status', code: 500, retryAfterSeconds: 9 }],
  ] as const)('R16: %s: waits as long as it says, and watches again', async (_, effect) => {
    const { server, simulation, recording, said, asked, write } = await bench(4)
    await server.faults.add({ ...watches, nth: 1, effect })
    await server.endWatches()
    await simulation.runUntil(() => said.length === 2)
    const at = simulation.clock.monotonic()
    await write('+c')
    await simulation.runUntil(() => recording.log.length === 2)
    expect(simulation.clock.monotonic() - at).toBeGreaterThan(8900)
    expect(simulation.clock.monotonic() - at).toBeLessThan(9500)
    expect(asked.map(one => one.split(' ')[0])).toEqual(['stream', 'watch', 'watch'])
  })

  it('R16: a server that refuses connections is waited for, without a relist', async () => {
    const { server, simulation, recording, states, asked, write } = await bench(5)
    await server.refuse(true)
    await server.breakConnections()
    await simulation.advance(20_000)
    expect(states.filter(state => state === 'waiting').length).toBeGreaterThan(2)
    await server.refuse(false)
    await write('+c')
    await simulation.runUntil(() => recording.log.length === 2)
    expect(asked.map(one => one.split(' ')[0])).toEqual(['stream', 'watch'])
  })

  it('R17: a resourceVersion that is too old: the state is read again, not older than the last', async () => {
    const { server, simulation, transport, reflector, recording, states, said, asked, write } = await bench(6)
    await write('~a')
    await simulation.runUntil(() => recording.log.length === 2)
    const last = await server.revision()
    transport.controls.refuse(true)
    for (const connection of transport.controls.connections()) transport.controls.kill(connection)
    await write('-b', '+c')
    await server.expireWatchCaches()
    transport.controls.refuse(false)
    await simulation.runUntil(() => recording.log.length > 2 && reflector.state === 'watching')
    expect(recording.log[2]).toBe(`commit a c at ${await server.revision()}`)
    expect(asked).toEqual(['stream', `watch rv=${last}`, `stream rv=${last}`])
    expect(states.slice(-4)).toEqual(['watching', 'waiting', 'relisting', 'watching'])
    expect(said.filter(one => one === 'synced')).toHaveLength(2)
    expect(reflector.stats).toMatchObject({ relists: 1, rollbacks: 0 })
    const expired = simulation.environment.errors.filter(({ error }) => 'status' in error && error.status === 410)
    expect(expired).toEqual([])
  })

  it('R5: where the last resourceVersion is ahead of the server, the newest state is taken, and that is counted', async () => {
    const { server, simulation, reflector, recording, asked, write } = await bench(7)
    const early = await server.revision()
    await write('+c', '+d', '-a')
    await simulation.runUntil(() => recording.log.length === 4)
    const last = await server.revision()
    await server.restoreEtcd(early)
    await server.faults.add({ ...watches, nth: 1, effect: { kind: 'expired' } })
    await simulation.runUntil(() => recording.log.at(-1)?.startsWith('commit') === true)
    expect(recording.names).toEqual(['a', 'b'])
    expect(asked.slice(1)).toEqual([`watch rv=${last}`, `stream rv=${last}`, 'stream'])
    expect(recording.reuses).toEqual([true, true, false])
    expect(reflector.stats).toMatchObject({ relists: 1, rollbacks: 1 })
    expect(simulation.environment.metric('reflector_rollbacks_total', { name: 'v1/configmaps' })).toBe(1)
    expect(reflector.lastSyncedResourceVersion).toBe(`${await server.revision()}`)
  })

  it('R5: a list that must have the newest state asks at once, whatever Retry-After says', async () => {
    const { server, simulation, reflector, recording, asked, write } = await bench(8, { initial: 'whole' })
    const early = await server.revision()
    await write('+c')
    await simulation.runUntil(() => recording.log.length === 2)
    const last = await server.revision()
    await server.restoreEtcd(early)
    await server.faults.add({ ...watches, nth: 1, effect: { kind: 'expired' } })
    await simulation.runUntil(() => reflector.stats.relists === 1)
    expect(asked.filter(one => one.startsWith('list')).slice(-2)).toEqual([`list rv=${last}`, 'list'])
    expect(recording.reuses).toEqual([true, true, false])
    expect(reflector.stats.rollbacks).toBe(1)
  })

  it('R5: an Expired list likewise; if the newest fails too, backoff, and the last resourceVersion again', async () => {
    const { server, simulation, reflector, recording, asked, write } = await bench(9, { initial: 'whole' })
    await write('+c')
    await simulation.runUntil(() => recording.log.length === 2)
    const last = await server.revision()
    await server.faults.add({ ...watches, nth: 1, effect: { kind: 'expired' } })
    await server.faults.add({ match: { verb: 'list' }, times: 2, effect: { kind: 'expired' } })
    await server.endWatches()
    await simulation.runUntil(() => reflector.stats.relists === 1)
    const lists = asked.filter(one => one.startsWith('list'))
    expect(lists.slice(-3)).toEqual([`list rv=${last}`, 'list', `list rv=${last}`])
  })

  it.each([
    ['ERROR events', { kind: 'error-event', code: 500 }],
    ['answers', { kind: 'status', code: 500 }],
  ] as const)('R18: other %s: the same again, the fifth time a relist; the store stays', async (_, effect) => {
    const { server, simulation, reflector, recording, asked, write } = await bench(10)
    const handle = await server.faults.add({ match: { verb: 'watch' }, effect })
    await server.endWatches()
    await simulation.runUntil(() => asked.some((one, i) => i > 0 && one.startsWith('stream')))
    expect(asked.map(one => one.split(' ')[0])).toEqual(['stream', ...Array(5).fill('watch'), 'stream'])
    expect(recording.names).toEqual(['a', 'b'])
    await handle.remove()
    await write('+c')
    await simulation.runUntil(() => reflector.state === 'watching' && recording.names.length === 3)
  })

  it('R18: a watch that worked in between restarts the count', async () => {
    const { server, simulation, recording, asked, write } = await bench(11)
    for (let round = 0; round < 6; round++) {
      await server.faults.add({ ...watches, nth: 1, effect: { kind: 'error-event', code: 500 } })
      await server.endWatches()
      await write(`+c${round}`)
      await simulation.runUntil(() => recording.log.at(-1) === `ADDED c${round}`)
      await simulation.advance(10_000)
    }
    expect(asked.filter(one => one.startsWith('stream'))).toHaveLength(1)
  })

  it('R19: bookmarks change nothing but the resourceVersion that is known', async () => {
    const { server, simulation, reflector, recording } = await bench(12)
    await server.fill([{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'other' } }])
    const revision = await server.revision()
    expect(reflector.lastSyncedResourceVersion).not.toBe(`${revision}`)
    await simulation.advance(62_000)
    expect(reflector.lastSyncedResourceVersion).toBe(`${revision}`)
    expect(recording.log).toHaveLength(1)
    const metric = simulation.environment.metric('reflector_last_resource_version', { name: 'v1/configmaps' })
    expect(metric).toBe(revision)
  })

  it('R20: reports and leaves out an object of another resource, which advances nothing', async () => {
    const { server, simulation, reflector, recording, write } = await bench(13)
    const before = reflector.lastSyncedResourceVersion
    const text = [
      line('ADDED', { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', resourceVersion: '99999' } }),
      line('ADDED', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '99999' } }),
      line('ADDED', { kind: 'ConfigMap', apiVersion: 'v1' }),
      line('WHAT', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'q', resourceVersion: '99999' } }),
    ].join('\n')
    await server.faults.add({ ...watches, nth: 1, effect: { kind: 'line', text, afterEvents: 0 } })
    await server.endWatches()
    await simulation.runUntil(() => simulation.environment.errors.length === 4)
    const reported = simulation.environment.errors.map(({ error, context }) => [
      (error as { code?: string }).code,
      context,
    ])
    expect(reported).toEqual(Array(4).fill(['INVALID_OBJECT', { resource: 'v1/configmaps', phase: 'watch' }]))
    expect(reflector.lastSyncedResourceVersion).toBe(before)
    await write('+c')
    await simulation.runUntil(() => recording.log.length === 2)
    expect(recording.log[1]).toBe('ADDED c')
  })

  it.each([
    ['no JSON', { kind: 'line', text: '<html>' }, {}],
    ['too long', { kind: 'line', text: `"${'x'.repeat(5000)}"` }, { maxObjectBytes: 4000 }],
  ] as const)(
    'R20: a line that is %s: backoff and again; then a relist; then only at the longest backoff',
    async (_, effect, options) => {
      const { server, simulation, reflector, recording, asked, write } = await bench(14, options)
      const handle = await server.faults.add({ match: { verb: 'watch' }, effect })
      await server.endWatches()
      await simulation.runUntil(() => reflector.lastError !== undefined && reflector.state === 'waiting')
      await simulation.runUntil(() => asked.at(-1)?.startsWith('list') === true)
      expect(asked.slice(1).map(one => one.split(' ')[0])).toEqual(['watch', 'watch', 'stream', 'list'])
      await simulation.runUntil(() => reflector.state === 'waiting')
      const at = simulation.clock.monotonic()
      await simulation.runUntil(() => reflector.state !== 'waiting')
      expect(simulation.clock.monotonic() - at).toBeGreaterThanOrEqual(30_000)
      expect(reflector.lastError).toBeInstanceOf(Error)
      expect(recording.names).toEqual(['a', 'b'])
      await handle.remove()
      await write('+c')
      await simulation.runUntil(() => recording.names.length === 3)
      await simulation.settle()
      expect(reflector.state).toBe('watching')
      expect(reflector.lastError).toBeUndefined()
    },
  )

  it('R21: watches are asked to last between 290 and 590 s', async () => {
    const { simulation, asked } = await bench(15)
    const at: number[] = []
    while (at.length < 8) {
      const count = asked.length
      await simulation.runUntil(() => asked.length > count)
      at.push(simulation.clock.monotonic())
    }
    const spans = at.slice(1).map((time, i) => Math.round((time - (at[i] as number)) / 1000))
    for (const span of spans) expect([span >= 290, span <= 591]).toEqual([true, true])
    expect(new Set(spans).size).toBeGreaterThan(3)
  })

  it('R21: after a watch that was silent to its end, the server is asked whether it is behind', async () => {
    const { server, simulation, reflector, recording, asked, write } = await bench(
      16,
      { initial: 'whole' },
      { withoutWatchCache: ['configmaps'] },
    )
    const early = await server.revision()
    await write('+c', '+d')
    await simulation.runUntil(() => recording.log.length === 3)
    const last = await server.revision()
    await server.restoreEtcd(early)
    await simulation.runUntil(() => asked.at(-1) === `watch rv=${last}`)
    const begun = simulation.clock.monotonic()
    await simulation.runUntil(() => reflector.stats.rollbacks === 1)
    expect(simulation.clock.monotonic() - begun).toBeGreaterThan(290_000)
    expect(simulation.clock.monotonic() - begun).toBeLessThan(620_000)
    expect(recording.names).toEqual(['a', 'b'])
    const check = asked.slice(-3)
    expect(check[0]?.split(' ').sort()).toEqual(['limit=1', 'list', 'match=NotOlderThan', `rv=${last}`])
    expect(check[1]).toBe('list')
  })

  it('R21: a silent watch of a server that is not behind goes on, as does one that had events or bookmarks, unasked', async () => {
    const silent = await bench(17, {}, { withoutWatchCache: ['configmaps'] })
    await silent.simulation.runUntil(() => silent.asked.length >= 5)
    expect(silent.asked.map(one => one.split(' ')[0])).toEqual(['stream', 'list', 'watch', 'list', 'watch'])
    expect(silent.recording.log).toHaveLength(1)
    expect(new Set(silent.states)).toEqual(new Set(['streaming', 'watching']))
    const timeoutSeconds = { min: 300, max: 300 }
    const busy = await bench(17, { timeoutSeconds }, { withoutWatchCache: ['configmaps'] })
    for (let watch = 1; watch < 4; watch++) {
      await busy.simulation.advance(150_000)
      await busy.write(`+c${watch}`)
      await busy.simulation.runUntil(() => busy.asked.length > watch)
    }
    expect(busy.asked.map(one => one.split(' ')[0])).toEqual(['stream', 'watch', 'watch', 'watch'])
    const loud = await bench(18)
    await loud.simulation.runUntil(() => loud.asked.length >= 5)
    expect(loud.asked.slice(1).every(one => one.startsWith('watch'))).toBe(true)
  })

  it('R21: a connection that went dead is noticed, and the watch goes on by another', async () => {
    for (const protocol of ['h2', 'http/1.1'] as const) {
      const { simulation, transport, recording, write } = await bench(19, {}, { protocol })
      for (const connection of transport.controls.connections()) transport.controls.freeze(connection)
      await write('+c')
      const begun = simulation.clock.monotonic()
      await simulation.runUntil(() => recording.log.at(-1) === 'ADDED c')
      const bound = protocol === 'h2' ? 50_000 : 625_000
      expect(simulation.clock.monotonic() - begun).toBeLessThan(bound)
      expect(recording.log).toHaveLength(2)
    }
  })

  it('R22: waits double up to 30 to 60 s', async () => {
    const { server, simulation, states } = await bench(20)
    await server.refuse(true)
    await server.breakConnections()
    const waits: number[] = []
    while (waits.length < 9) {
      await simulation.runUntil(() => states.at(-1) === 'waiting')
      const at = simulation.clock.monotonic()
      await simulation.runUntil(() => states.at(-1) !== 'waiting')
      waits.push(simulation.clock.monotonic() - at)
    }
    const bounds = [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000]
    waits.forEach((wait, i) => {
      const bound = bounds[i] as number
      expect([wait >= bound, wait <= 2 * bound + 1]).toEqual([true, true])
    })
  })

  it('R22: single failures of watches that worked between wait as the first does, after a storm too; a server that refuses each at once waits longer', async () => {
    const { server, simulation, states, reflector } = await bench(20)
    const waitOf = async (how: () => Promise<unknown>): Promise<number> => {
      await how()
      await simulation.runUntil(() => states.at(-1) === 'waiting')
      const at = simulation.clock.monotonic()
      await simulation.runUntil(() => states.at(-1) !== 'waiting')
      return simulation.clock.monotonic() - at
    }
    const once = async (): Promise<unknown> => {
      await simulation.advance(11_000)
      const status = { kind: 'status', code: 500, reason: 'InternalError' } as const
      await server.faults.add({ ...watches, times: 1, effect: status })
      return server.endWatches()
    }
    const singles: number[] = []
    for (let i = 0; i < 5; i++) singles.push(await waitOf(once))
    expect(singles.filter(wait => wait > 1601)).toEqual([])
    await server.refuse(true)
    await server.breakConnections()
    await simulation.advance(60_000)
    await server.refuse(false)
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(await waitOf(once)).toBeLessThanOrEqual(1601)
    // Closed soon after each opening, with an error: the waits grow.
    const growing: number[] = []
    for (let i = 0; i < 5; i++) {
      growing.push(
        await waitOf(async () => {
          await simulation.runUntil(() => reflector.state === 'watching')
          await simulation.advance(2_000)
          await server.breakConnections()
        }),
      )
    }
    expect(growing.at(-1)).toBeGreaterThan(6_400)
  })

  it('R36: reports a 403 on a watch, and tries again', async () => {
    const { server, simulation, recording, said, asked, write } = await bench(21)
    await server.faults.add({ ...watches, times: 2, effect: { kind: 'status', code: 403, reason: 'Forbidden' } })
    await server.endWatches()
    await write('+c')
    await simulation.runUntil(() => recording.log.length === 2)
    expect(said).toEqual(['synced', 'ApiError', 'ApiError'])
    expect(asked.filter(one => one.startsWith('stream'))).toHaveLength(1)
  })

  it('N14: a server that is going away: the next watch is open before the old one ends, with no event', async () => {
    const { server, simulation, reflector, recording, states, said, asked, write } = await bench(22)
    await server.goawayAll()
    const begun = simulation.clock.monotonic()
    await simulation.runUntil(() => asked.length === 2)
    expect(simulation.clock.monotonic() - begun).toBeGreaterThan(10)
    expect(simulation.clock.monotonic() - begun).toBeLessThan(5100)
    await write('+c', '~a', '-b')
    await simulation.runUntil(() => recording.log.length === 4)
    await simulation.advance(10_000)
    expect(recording.log.slice(1)).toEqual(['ADDED c', 'MODIFIED a', 'DELETED b'])
    expect(states).toEqual(['streaming', 'watching'])
    expect(said).toEqual(['synced'])
    expect((await server.stats()).byVerb.watch?.configmaps).toMatchObject({ openStreams: 1 })
    expect(asked).toHaveLength(2)
    expect(reflector.lastError).toBeUndefined()
  })

  it('N14: opens one next watch, however often a server says that it is going away', async () => {
    const { server, simulation, transport, asked } = await bench(25)
    for (let time = 0; time < 3; time++) transport.controls.goawayAll()
    await simulation.runUntil(() => asked.length === 2)
    transport.controls.goawayAll()
    await simulation.advance(60_000)
    expect(asked.length).toBeLessThan(4)
    expect((await server.stats()).byVerb.watch?.configmaps).toMatchObject({ openStreams: 1 })
  })

  it('N14: if the state is still being streamed then, opens the next watch when that is whole', async () => {
    const { server, simulation, transport, reflector, recording, asked } = await idle(
      26,
      {},
      { client: { gzip: false } },
    )
    await server.fill([configMap('a', { text: 'x'.repeat(2000) })])
    await server.faults.add({ ...watches, nth: 1, effect: { kind: 'slow', bytesPerSecond: 500 } })
    reflector.start()
    await simulation.advance(2000)
    transport.controls.goawayAll()
    await simulation.runUntil(() => reflector.state === 'watching')
    const at = simulation.clock.monotonic()
    await simulation.runUntil(() => asked.length === 2)
    expect(simulation.clock.monotonic() - at).toBeLessThan(5100)
    expect([reflector.state, asked[1]]).toEqual(['watching', `watch rv=${await server.revision()}`])
    expect(recording.log).toHaveLength(1)
  })

  it('N14: delivers a change once that happens while the next watch is on its way', async () => {
    const { server, simulation, recording, asked, write } = await bench(29)
    await server.faults.add({ ...watches, nth: 1, effect: { kind: 'delay', ms: 3000 } })
    await server.goawayAll()
    await simulation.runUntil(() => asked.length === 2)
    await write('+c')
    await simulation.advance(2000)
    await write('+d')
    await simulation.advance(60_000)
    expect(recording.log.slice(1)).toEqual(['ADDED c', 'ADDED d'])
    expect(asked).toHaveLength(2)
  })

  it('N14: where the next watch is refused, the old one goes on at once, and another one is tried', async () => {
    const { server, simulation, recording, asked, write } = await bench(30)
    await server.faults.add({ ...watches, nth: 1, effect: { kind: 'status', code: 503 } })
    await server.goawayAll()
    await simulation.runUntil(() => asked.length === 2)
    await simulation.advance(10)
    await write('+c')
    await simulation.advance(100)
    expect(recording.log.slice(1)).toEqual(['ADDED c'])
    await simulation.advance(10_000)
    expect(asked).toHaveLength(3)
  })

  it('N14: where the old watch ends before the next one is opened, one follows it', async () => {
    const { server, simulation, asked } = await bench(31)
    await server.goawayAll()
    await server.endWatches()
    await simulation.advance(60_000)
    expect(asked).toHaveLength(2)
    expect((await server.stats()).byVerb.watch?.configmaps).toMatchObject({ openStreams: 1 })
  })

  it('N14: where the next watch is not answered, the old one goes on until one is', async () => {
    const { server, simulation, recording, asked, write } = await bench(27)
    await server.faults.add({ ...watches, nth: 1, effect: { kind: 'hang' } })
    await server.goawayAll()
    await simulation.runUntil(() => asked.length === 2)
    await write('+c')
    const at = simulation.clock.monotonic()
    await simulation.runUntil(() => recording.log.length === 2)
    expect(simulation.clock.monotonic() - at).toBeLessThan(5100)
    await simulation.advance(10_000)
    expect(asked).toHaveLength(3)
    await write('+d')
    await simulation.advance(60_000)
    expect(recording.log.slice(1)).toEqual(['ADDED c', 'ADDED d'])
    expect((await server.stats()).byVerb.watch?.configmaps).toMatchObject({ openStreams: 1 })
    expect(asked).toHaveLength(3)
  })

  it.each(['waits to open the next watch', 'opens it'])(
    'R23, N14: stopped while it %s, it leaves none open and asks for none',
    async when => {
      const { server, simulation, reflector, recording, asked, write } = await bench(28)
      await server.faults.add({ ...watches, nth: 1, effect: { kind: 'hang' } })
      await server.goawayAll()
      if (when === 'opens it') await simulation.runUntil(() => asked.length === 2)
      const { length } = asked
      await simulation.run(() => reflector.stop())
      await write('+c')
      await simulation.advance(60_000)
      expect([asked.length, recording.log.length]).toEqual([length, 1])
      expect((await server.stats()).byVerb.watch?.configmaps).toMatchObject({ openStreams: 0 })
    },
  )

  it('N14: delivers changes while the watch moves once and in order', async () => {
    const { server, simulation, recording, asked, write } = await bench(23, {}, {})
    await server.goawayAll()
    const names: string[] = []
    for (let i = 0; i < 60; i++) {
      names.push(`n${i}`)
      await write(`+n${i}`)
      await simulation.advance(100)
    }
    expect(asked.length).toBe(2)
    await simulation.advance(1000)
    expect(recording.log.slice(1)).toEqual(names.map(name => `ADDED ${name}`))
  })

  it('N14: where no new watch can be opened, the old one goes on until it can', async () => {
    const { server, simulation, recording, asked, write } = await bench(24)
    await server.goawayAll()
    await server.refuse(true)
    await simulation.advance(20_000)
    await server.refuse(false)
    expect(asked).toHaveLength(1)
    await simulation.runUntil(() => asked.length === 2)
    await write('+c')
    await simulation.runUntil(() => recording.log.length === 2)
    expect(recording.log[1]).toBe('ADDED c')
  })
})
