import { InvalidBodyError, type ReadTarget, targetsOf } from '@wherry/client/internal'
import { describe, expect, it } from 'vitest'
import { configMap, reflectorBenches, view } from '../testkit/bench.ts'
import { bookmark, listOf, received, scripted, verbs } from '../testkit/scripted-server.ts'
import { StreamingSupport } from './streaming-support.ts'

const bench = reflectorBenches()

/** Uncompressed, so that the test can count bytes. */
const plain = { client: { gzip: false } }
const unsupported = { kind: 'status', code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden' } as const

describe('reading the first state', () => {
  it('R9, R10: comes by a watch that goes on with the changes', async () => {
    const { server, simulation, reflector, recording, states, said, asked, watch, write } = await bench(1)
    await server.fill([configMap('b'), configMap('a')])
    expect([reflector.state, reflector.lastSyncedResourceVersion]).toEqual(['idle', undefined])
    await watch()
    const revision = await server.revision()
    expect(recording.log).toEqual([`commit a b at ${revision}`])
    expect(reflector.lastSyncedResourceVersion).toBe(`${revision}`)
    await write('+c', '~a', '-b')
    await simulation.runUntil(() => recording.log.length === 4)
    expect(recording.log.slice(1)).toEqual(['ADDED c', 'MODIFIED a', 'DELETED b'])
    expect(reflector.lastSyncedResourceVersion).toBe(`${await server.revision()}`)
    expect(states).toEqual(['streaming', 'watching'])
    expect(said).toEqual(['synced'])
    expect(asked).toEqual(['stream'])
    expect(reflector.stats).toMatchObject({ lists: 1, watches: 1, relists: 0, rollbacks: 0, events: 3 })
    expect(reflector.stats.bytes).toBe(recording.bytes)
  })

  it.each([
    ['stream', ['watching', 'synced']],
    ['whole', ['synced', 'watching']],
  ] as const)(
    'R1, R14: notifies its owner of each watch that the server has accepted, and of no other (%s)',
    async (initial, first) => {
      const reported: string[] = []
      const on = { synced: () => reported.push('synced'), watching: () => reported.push('watching') }
      const { server, simulation, asked, watch } = await bench(44, { initial, on })
      await watch()
      await simulation.advance(2000)
      expect(reported).toEqual(first)
      const denied = await server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'status', code: 403 } })
      const before = asked.length
      await server.endWatches()
      await simulation.advance(5000)
      expect([asked.length > before, reported]).toEqual([true, first])
      await denied.remove()
      await simulation.advance(60_000)
      expect(reported).toEqual([...first, 'watching'])
    },
  )

  it('R10: nothing is seen before the end bookmark, and what changes on the way is applied', async () => {
    const { server, simulation, recording, watch } = await bench(2)
    await server.fill([configMap('a'), configMap('b')])
    const event = (type: string, name: string): string =>
      JSON.stringify({
        type,
        object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'ns', resourceVersion: '9' } },
      })
    const text = [event('DELETED', 'a'), event('MODIFIED', 'c'), event('ADDED', 'd'), event('DELETED', 'd')].join('\n')
    await server.faults.add({ nth: 1, match: { verb: 'watch' }, effect: { kind: 'line', text, afterEvents: 2 } })
    await watch()
    await simulation.settle()
    expect(recording.log).toEqual([`commit b c at ${await server.revision()}`])
  })

  it('R10: a bookmark with the annotation and another value does not end it', async () => {
    const { server, simulation, recording, watch } = await bench(3)
    await server.fill([configMap('a')])
    const annotations = { 'k8s.io/initial-events-end': 'false' }
    const text = JSON.stringify({
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '1', annotations } },
    })
    await server.faults.add({ nth: 1, match: { verb: 'watch' }, effect: { kind: 'line', text, afterEvents: 0 } })
    await watch()
    await simulation.settle()
    expect(recording.log).toEqual([`commit a at ${await server.revision()}`])
  })

  it.each([
    ['whole', 'list rv=0 limit=500'],
    ['paged', 'list limit=500'],
  ] as const)('R1, R6: comes by a list (%s), and is watched from its resourceVersion on', async (initial, first) => {
    const { server, simulation, recording, states, asked, watch, write } = await bench(4, { initial })
    await server.fill([configMap('b'), configMap('a')])
    const revision = await server.revision()
    await watch()
    await write('+c')
    await simulation.runUntil(() => recording.log.length === 2)
    expect(recording.log).toEqual([`commit a b at ${revision}`, 'ADDED c'])
    expect(states).toEqual(['listing', 'watching'])
    expect(asked.map(line => line.split(' ').sort().join(' '))).toEqual([
      first.split(' ').sort().join(' '),
      `rv=${revision} watch`,
    ])
  })

  it('R3: later pages send the token and the selectors, and neither resourceVersion nor match', async () => {
    const { server, recording, asked, watch } = await bench(5, { initial: 'paged', pageSize: 2 })
    await server.fill(['a', 'b', 'c', 'd', 'e'].map(name => configMap(name)))
    await watch()
    expect(recording.names).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(asked.slice(1, 3)).toEqual(['list limit=2 continue=…', 'list limit=2 continue=…'])
    expect(asked[0]).not.toContain('continue')
    expect(recording.log).toHaveLength(1)
  })

  it('R4: where the pages’ state is gone, one full list is taken, and what was read is dropped', async () => {
    const { server, recording, asked, watch } = await bench(6, { initial: 'paged', pageSize: 2 })
    await server.fill(['a', 'b', 'c', 'd', 'e'].map(name => configMap(name)))
    await server.faults.add({ nth: 2, match: { verb: 'list' }, effect: { kind: 'expired' } })
    await watch()
    expect(recording.log).toEqual(['drop', `commit a b c d e at ${await server.revision()}`])
    expect(asked[2]).not.toMatch(/limit|continue/)
    expect(asked[3]).toMatch(/^watch/)
  })

  it.each(['paged', 'whole'] as const)('R3: `continue: null` is no further page (%s)', async initial => {
    const { simulation, reflector, recording, asked } = scripted(
      request => {
        request.answer()
        if (request.line.startsWith('list')) request.send(listOf('7', ['a'], { continue: null })).end()
      },
      { initial },
    )
    reflector.start()
    await simulation.runUntil(() => asked.length === 2)
    expect([verbs(asked), recording.log]).toEqual([['list', 'watch'], ['commit a at 7']])
    await simulation.run(() => reflector.stop())
  })

  it.each<[string, (page: number) => object]>([
    ['the same token for ever', page => listOf('7', [`a${page}`], { continue: 'on' })],
    ['tokens in a circle', page => listOf('7', [`a${page}`], { continue: `on${page % 3}` })],
    ['no items for ever', page => listOf('7', [], { continue: `on${page}` })],
  ])('R3, X8: pages that give %s: an error, backoff, and the list again', async (_, page) => {
    const { simulation, reflector, recording, asked, said } = scripted(
      (request, nth) => request.answer().send(page(nth)).end(),
      { initial: 'paged' },
    )
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'waiting')
    expect(asked.length).toBeLessThanOrEqual(10)
    expect([said, recording.log]).toMatchObject([[{ code: 'INVALID_BODY' }], ['drop']])
    await simulation.advance(120_000)
    expect(asked.length).toBeLessThan(80)
    expect(reflector.lastSyncedResourceVersion).toBeUndefined()
    await simulation.run(() => reflector.stop())
  })

  it.each([null, 7, '', {}])(
    'R6: rejects a list with the resourceVersion %j, and publishes nothing of it',
    async rv => {
      const { simulation, reflector, recording, said } = scripted(
        request =>
          request
            .answer()
            .send(listOf(rv, ['a']))
            .end(),
        { initial: 'whole' },
      )
      reflector.start()
      await simulation.runUntil(() => reflector.state === 'waiting')
      expect([said, recording.log]).toMatchObject([[{ code: 'INVALID_BODY' }], ['drop']])
      expect(reflector.lastSyncedResourceVersion).toBeUndefined()
      await simulation.run(() => reflector.stop())
    },
  )

  it('R20: reports and leaves out an object of another namespace, kind or name, in a list, a stream and a watch', async () => {
    const strays = [
      received('other', '9', { namespace: 'elsewhere' }),
      { ...received('pod', '9'), kind: 'Pod' },
      received('b', '9'),
      { ...received('a', '9'), apiVersion: 'v2' },
    ]
    for (const initial of ['stream', 'whole'] as const) {
      const [named] = targetsOf(view.within({ fields: { 'metadata.name': 'a' } })) as [ReadTarget]
      const { simulation, reflector, recording } = scripted(
        request => {
          const added = [...strays, received('a', '8')].map(object => ({ type: 'ADDED', object }))
          const list = { ...listOf('8', []), items: [...strays, received('a', '8')] }
          request.answer()
          if (request.line.startsWith('stream')) request.send(...added, bookmark('8', true), ...added)
          else if (request.line.startsWith('watch')) request.send(...added)
          else request.send(list).end()
        },
        { initial },
        named,
      )
      reflector.start()
      await simulation.runUntil(() => recording.log.length === 2)
      expect(recording.log).toEqual(['commit a at 8', 'ADDED a'])
      expect(reflector.lastSyncedResourceVersion).toBe('8')
      const reported = simulation.environment.errors.map(({ error }) => (error as { code?: string }).code)
      expect(reported).toEqual(Array(8).fill('INVALID_OBJECT'))
      await simulation.run(() => reflector.stop())
    }
  })

  it('R2: a relist of what came in pages from the cache asks for pages that are not older than the last', async () => {
    const withoutWatchCache = ['configmaps']
    const { server, simulation, recording, asked, watch, write } = await bench(
      7,
      { initial: 'whole', pageSize: 2 },
      { withoutWatchCache },
    )
    await server.fill(['a', 'b', 'c'].map(name => configMap(name)))
    await watch()
    expect(recording.names).toEqual(['a', 'b', 'c'])
    const last = await server.revision()
    await write('+d')
    await simulation.runUntil(() => recording.names.length === 4)
    await server.faults.add({ nth: 1, match: { verb: 'watch' }, effect: { kind: 'expired' } })
    await server.endWatches()
    asked.length = 0
    await simulation.runUntil(() => recording.log.at(-1)?.startsWith('commit') === true)
    expect(asked[0]).toBe(`watch rv=${last + 1}`)
    const first = asked[1]?.split(' ').sort()
    expect(first).toEqual(['limit=2', 'list', 'match=NotOlderThan', `rv=${last + 1}`])
    expect(asked[2]).toBe('list limit=2 continue=…')
  })

  it('R11: a server that refuses to stream is listed, and not asked again', async () => {
    const { server, simulation, reflector, recording, states, asked, watch } = await bench(8)
    await server.fill([configMap('a')])
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: unsupported })
    await watch()
    expect(asked.slice(0, 2)).toEqual(['stream', expect.stringMatching(/^list .*rv=0/)])
    expect(states).toEqual(['streaming', 'listing', 'watching'])
    await simulation.advance(1100)
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'expired' } })
    await server.endWatches()
    await simulation.runUntil(() => asked.length === 6)
    const watch2 = `watch rv=${reflector.lastSyncedResourceVersion}`
    expect(asked.slice(2)).toEqual([watch2, watch2, watch2.replace('watch', 'list'), watch2])
    expect(recording.log.filter(line => line.startsWith('commit'))).toHaveLength(2)
  })

  it('R11: what one reflector learned of a server, another need not, for an hour', async () => {
    const first = await bench(9)
    const { clock } = first.simulation
    const streaming = new StreamingSupport(clock)
    expect(streaming.expected('v1/configmaps')).toBe(true)
    streaming.refused('v1/configmaps')
    expect(streaming.expected('v1/configmaps')).toBe(false)
    await first.simulation.advance(3_599_000)
    expect(streaming.expected('v1/configmaps')).toBe(false)
    await first.simulation.advance(1000)
    expect(streaming.expected('v1/configmaps')).toBe(true)
    streaming.refused('v1/configmaps')
    const second = await bench(9, { streaming: new StreamingSupport(clock) })
    expect(second.asked).toEqual([])
    const third = await bench(9, { streaming: refusedSupport(clock) })
    await third.server.fill([configMap('a')])
    await third.watch()
    expect(third.asked[0]).toMatch(/^list/)
  })

  it('R11: a list that fails too says nothing of streaming', async () => {
    const { server, simulation, reflector, asked } = await bench(10)
    await server.fill([configMap('a')])
    const refused = { kind: 'status', code: 400, reason: 'BadRequest', message: 'not a known field selector' } as const
    const handle = await server.faults.add({ effect: refused })
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'waiting')
    expect(reflector.lastError).toMatchObject({ status: 400 })
    await handle.remove()
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(asked.map(line => line.split(' ')[0])).toEqual(['stream', 'list', 'stream'])
    expect(simulation.clock.monotonic()).toBeGreaterThan(30_000)
  })

  it('R11: closed before its end: dropped, and tried again after a backoff', async () => {
    const { server, simulation, recording, states, asked, watch } = await bench(11)
    await server.fill([configMap('a', { text: 'x'.repeat(2000) }), configMap('b')])
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'delay', ms: 10_000 } })
    const watching = watch()
    await simulation.advance(1)
    await server.endWatches()
    await watching
    expect(recording.log.at(-1)).toMatch(/^commit a b/)
    expect(asked.every(line => line.startsWith('stream'))).toBe(true)
    expect(states.at(-1)).toBe('watching')
  })

  it('R11: closed before its end twice running: lists, and reports it', async () => {
    const { server, simulation, reflector, asked, said } = await bench(11)
    await server.faults.add({ match: { verb: 'watch' }, times: 4, effect: { kind: 'truncate', afterBytes: 0 } })
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(said.filter(line => line === 'Error')).toHaveLength(1)
    expect(asked.map(line => line.split(' ')[0]).slice(0, 3)).toEqual(['stream', 'stream', 'list'])
    expect(reflector.stats.lists).toBe(3)
    await simulation.advance(100)
    expect(reflector.lastError).toBeUndefined()
  })

  it.each(['break', 'rst', 'reset'] as const)('R11: broken off (%s): dropped, backoff, again', async kind => {
    const { server, simulation, reflector, recording, states, asked, watch } = await bench(12, {}, plain)
    await server.fill([configMap('a', { text: 'x'.repeat(2000) }), configMap('b')])
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind, afterBytes: 2200 } })
    await watch()
    expect(recording.log).toEqual(['drop', expect.stringMatching(/^commit a b/)])
    expect(asked).toEqual(['stream', 'stream'])
    expect(states).toEqual(['streaming', 'waiting', 'streaming', 'watching'])
    expect(simulation.clock.monotonic()).toBeGreaterThan(800)
    await simulation.advance(60_000)
    await simulation.run(() => reflector.stop())
    expect([asked.length, states.length]).toEqual([2, 4])
  })

  it.each([
    ['an answer of 500', { kind: 'status', code: 500 }],
    ['an ERROR of 500', { kind: 'error-event', code: 500 }],
    ['a line that is no JSON', { kind: 'line', text: '<html>' }],
  ] as const)('R11: after %s a list is tried, this once', async (_, effect) => {
    const { server, simulation, reflector, recording, asked, watch } = await bench(13)
    await server.fill([configMap('a')])
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect })
    await watch()
    expect(asked.map(line => line.split(' ')[0]).slice(0, 2)).toEqual(['stream', 'list'])
    expect(simulation.clock.monotonic()).toBeGreaterThan(800)
    await simulation.advance(100)
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'expired' } })
    await server.endWatches()
    await simulation.runUntil(() => recording.log.filter(line => line.startsWith('commit')).length === 2)
    expect(asked.at(-1)).toMatch(/^stream/)
    expect(reflector.lastError).toBeUndefined()
  })

  it.each([429, 503])(
    'R16: refused with %d and a Retry-After, it comes again the same way, not earlier',
    async code => {
      const { server, simulation, asked, said, watch } = await bench(14)
      await server.fill([configMap('a')])
      const effect = { kind: 'status', code, retryAfterSeconds: 7, plain: true } as const
      await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect })
      await watch()
      expect(asked).toEqual(['stream', 'stream'])
      expect(simulation.clock.monotonic()).toBeGreaterThan(7000)
      expect(said).toEqual(['ApiError', 'synced'])
    },
  )

  it('R12: no byte for 30 s before the end bookmark: a list, this once', async () => {
    const { server, simulation, recording, asked, watch } = await bench(15, {}, plain)
    await server.fill([configMap('a', { text: 'x'.repeat(2000) }), configMap('b')])
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'hang', afterBytes: 2200 } })
    await watch()
    expect(asked.map(line => line.split(' ')[0]).slice(0, 2)).toEqual(['stream', 'list'])
    expect(simulation.clock.monotonic()).toBeGreaterThan(30_000)
    expect(simulation.clock.monotonic()).toBeLessThan(34_000)
    expect(recording.log[0]).toBe('drop')
    const [silent] = simulation.environment.errors
    expect(silent?.error).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('/configmaps') })
    await simulation.advance(100)
    expect((await server.stats()).byVerb.watch?.configmaps).toMatchObject({ openStreams: 1 })
  })

  it('R12: waits for a slow initial state while its objects keep coming', async () => {
    const { server, simulation, asked, watch } = await bench(16, {}, plain)
    await server.fill(['a', 'b', 'c', 'd', 'e'].map(name => configMap(name, { text: 'x'.repeat(500) })))
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'slow', bytesPerSecond: 20 } })
    await watch()
    expect(asked).toEqual(['stream'])
    expect(simulation.clock.monotonic()).toBeGreaterThan(100_000)
  })

  it('R12: a list that falls silent is given up too', async () => {
    const { server, simulation, reflector, asked, watch } = await bench(17, { initial: 'whole' })
    await server.fill([configMap('a')])
    await server.faults.add({ match: { verb: 'list' }, nth: 1, effect: { kind: 'hang' } })
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'waiting')
    expect(reflector.lastError).toMatchObject({ code: 'TIMEOUT' })
    await watch()
    expect(asked.filter(line => line.startsWith('list'))).toHaveLength(2)
  })

  it('R12: a slow list that does not fall silent is waited for', async () => {
    const { server, simulation, reflector, recording, asked, watch } = await bench(21, { initial: 'whole' }, plain)
    await server.fill(['a', 'b', 'c', 'd'].map(name => configMap(name, { text: 'x'.repeat(800) })))
    await server.faults.add({ match: { verb: 'list' }, nth: 1, effect: { kind: 'slow', bytesPerSecond: 20 } })
    await watch()
    expect(simulation.clock.monotonic()).toBeGreaterThan(130_000)
    expect(asked.map(line => line.split(' ')[0])).toEqual(['list', 'watch'])
    expect(recording.names).toEqual(['a', 'b', 'c', 'd'])
    expect(reflector.stats).toMatchObject({ lists: 1, watches: 1, bytes: recording.bytes })
  })

  it('R12: a list that falls silent on its way is given up too', async () => {
    const { server, simulation, reflector, recording } = await bench(22, { initial: 'whole' }, plain)
    await server.fill(['a', 'b'].map(name => configMap(name, { text: 'x'.repeat(800) })))
    const effect = { kind: 'hang', afterBytes: 1800 } as const
    await server.faults.add({ match: { verb: 'list' }, nth: 1, effect })
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'waiting')
    expect(simulation.clock.monotonic()).toBeLessThan(140_000)
    expect(reflector.lastError).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('/configmaps') })
    expect(recording.log).toEqual(['drop'])
  })

  it('R20: an item that is longer than the bound ends a list, which is tried again', async () => {
    const { server, simulation, reflector, recording } = await bench(23, { initial: 'whole', maxObjectBytes: 4000 })
    await server.fill([configMap('a', { text: 'x'.repeat(5000) }), configMap('b')])
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'waiting')
    expect(reflector.lastError?.name).toBe('ItemTooLongError')
    expect(recording.log).toEqual(['drop'])
  })

  it('R11: a stream that ends together with its initial state is followed by a watch from there on', async () => {
    const { server, simulation, recording, states, asked, watch } = await bench(24)
    const metadata = { resourceVersion: '1', annotations: { 'k8s.io/initial-events-end': 'true' } }
    const bookmark = { type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata } }
    const effect = { kind: 'status', code: 200, plain: true, message: `${JSON.stringify(bookmark)}\n` } as const
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect })
    await watch()
    await simulation.runUntil(() => asked.length === 2)
    expect([asked[1], recording.log[0], states]).toEqual([
      'watch rv=1',
      'commit at 1',
      expect.arrayContaining(['watching']),
    ])
  })

  it('R20: reports and leaves out objects of other resources in a stream’s initial state', async () => {
    const { server, simulation, recording, watch } = await bench(25)
    await server.fill([configMap('a')])
    const text = JSON.stringify({ type: 'ADDED', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: {} } })
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'line', text, afterEvents: 0 } })
    await watch()
    expect(recording.names).toEqual(['a'])
    expect(simulation.environment.errors).toMatchObject([
      { error: { code: 'INVALID_OBJECT' }, context: { phase: 'list' } },
    ])
  })

  it('takes the newest state by a list if its options say so', async () => {
    const { server, asked, watch } = await bench(18, { initial: 'whole', firstList: 'newest' })
    await server.fill([configMap('a')])
    await watch()
    expect(asked[0]).not.toMatch(/rv=./)
    expect(asked[0]).not.toContain('limit')
  })

  it('R20: reports and leaves out an item without metadata or a name', async () => {
    const { server, simulation, recording, watch } = await bench(20, { initial: 'whole' })
    const items = [{}, { metadata: {} }, { metadata: null }, { metadata: { name: 'a', resourceVersion: '3' } }]
    const message = JSON.stringify({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '3' },
      items,
    })
    const effect = { kind: 'status', code: 200, plain: true, message } as const
    await server.faults.add({ match: { verb: 'list' }, nth: 1, effect })
    await watch()
    expect(recording.log).toEqual(['commit a at 3'])
    expect(recording.objects.get('a')).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' })
    expect(simulation.environment.errors.map(({ error, context }) => [error.name, context.phase])).toEqual(
      Array.from({ length: 3 }, () => ['InvalidObjectError', 'list']),
    )
  })

  it('R20: of very many that are left out, reports the first ten, and then how many there are', async () => {
    const { server, simulation, recording, watch } = await bench(21, { initial: 'whole' })
    const items = [...Array.from({ length: 1234 }, () => ({})), { metadata: { name: 'a', resourceVersion: '3' } }]
    const head = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '3' } }
    const effect = { kind: 'status', code: 200, plain: true, message: JSON.stringify({ ...head, items }) } as const
    await server.faults.add({ match: { verb: 'list' }, nth: 1, effect })
    await watch()
    expect(recording.log).toEqual(['commit a at 3'])
    const counts = simulation.environment.errors.map(({ context }) => context.count)
    expect(counts).toEqual([...Array.from({ length: 10 }), 100, 1000])
  })

  it.each(['{}', '{"resourceVersion":""}'])('R20: a list without a resourceVersion is none (%s)', async metadata => {
    const { server, simulation, reflector, recording } = await bench(19, { initial: 'whole' })
    const message = `{"kind":"ConfigMapList","metadata":${metadata},"items":[]}`
    const effect = { kind: 'status', code: 200, plain: true, message } as const
    await server.faults.add({ match: { verb: 'list' }, nth: 1, effect })
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'waiting')
    expect(reflector.lastError).toBeInstanceOf(InvalidBodyError)
    expect(recording.log).toEqual(['drop'])
  })
})

function refusedSupport(clock: ConstructorParameters<typeof StreamingSupport>[0]): StreamingSupport {
  const support = new StreamingSupport(clock)
  support.refused('v1/configmaps')
  return support
}
