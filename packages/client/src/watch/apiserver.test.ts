import { describe, expect, it } from 'vitest'
import { closedAfterEach, configMap, configMaps, only, simulated } from '../bytes/server.fixture.ts'
import { isExpired, isTooLarge } from '../errors/guards.ts'
import type { WatchEnd } from './end.ts'
import type { WatchStart } from './query.ts'
import { openWatch, type Watch, type WatchContext, type WatchOptions } from './watch.ts'

const inNamespace = only(configMaps.within({ namespaces: ['ns'] }))
const path = '/api/v1/namespaces/ns/configmaps'

interface Received {
  readonly log: string[]
  readonly ends: WatchEnd[]
  readonly watch: Watch
  /** The last resourceVersion that was received. */
  resourceVersion: string
}

function listen(context: WatchContext, start: WatchStart, options: WatchOptions = {}, target = inNamespace): Received {
  const log: string[] = []
  const ends: WatchEnd[] = []
  const received: Received = {
    log,
    ends,
    resourceVersion: '',
    watch: openWatch(
      context,
      target,
      start,
      {
        event(type, object) {
          const { metadata } = object as { metadata: { name: string; resourceVersion: string } }
          log.push(`${type} ${metadata.name}`)
          received.resourceVersion = metadata.resourceVersion
        },
        bookmark(resourceVersion, end) {
          log.push(end ? 'INITIAL END' : 'BOOKMARK')
          received.resourceVersion = resourceVersion
        },
        skipped: error => log.push(error.message),
        end(end) {
          ends.push(end)
          log.push(`end: ${end.how}`)
        },
      },
      options,
    ),
  }
  return received
}

const served = closedAfterEach(simulated)
const start = (seed: number, protocol: 'h2' | 'http/1.1' = 'h2') => served(seed, { protocol })

describe.each(['h2', 'http/1.1'] as const)('watches the API server, in memory (%s)', protocol => {
  it('R9, R10: receives the initial state, its end, and then changes', async () => {
    const { server, context, simulation, write } = await start(1, protocol)
    await server.fill([configMap('b', { a: 'ü€𝄞\n"'.repeat(5000) }), configMap('a')])
    const received = listen(context, { resourceVersion: '', initialEvents: true })
    await simulation.runUntil(() => received.log.includes('INITIAL END'))
    expect(received.log).toEqual(['ADDED a', 'ADDED b', 'INITIAL END'])
    await simulation.run(async () => {
      await write('POST', path, configMap('c'))
      await write('PATCH', `${path}/a`, { data: { x: 'y' } })
      await write('DELETE', `${path}/b`)
    })
    await simulation.runUntil(() => received.log.length === 6)
    expect(received.log.slice(3)).toEqual(['ADDED c', 'MODIFIED a', 'DELETED b'])
    received.watch.abort()
    await simulation.settle()
  })

  it('R14: resumes after a clean close and after a break with nothing lost and nothing twice', async () => {
    const { server, context, simulation, write } = await start(2, protocol)
    await server.fill([configMap('a')])
    const first = listen(context, { resourceVersion: '', initialEvents: true }, { timeoutSeconds: 5 })
    await simulation.runUntil(() => first.ends.length > 0)
    expect(first.ends).toEqual([{ how: 'closed' }])

    const second = listen(context, { resourceVersion: first.resourceVersion })
    await simulation.advance(100)
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'reset', afterBytes: 700 } })
    for (const name of ['c', 'd', 'e', 'f', 'g', 'h']) {
      await simulation.run(() => write('POST', path, configMap(name, { text: 'x'.repeat(50) })))
    }
    second.watch.abort()
    const third = listen(context, { resourceVersion: first.resourceVersion })
    await simulation.runUntil(() => third.ends.length > 0)
    expect(third.ends).toMatchObject([{ how: 'broken' }])
    const fourth = listen(context, { resourceVersion: third.resourceVersion || first.resourceVersion })
    await simulation.runUntil(() => fourth.log.includes('ADDED h'))
    fourth.watch.abort()
    const events = [...third.log, ...fourth.log].filter(line => line.startsWith('ADDED'))
    expect(events).toEqual(['c', 'd', 'e', 'f', 'g', 'h'].map(name => `ADDED ${name}`))
    await simulation.settle()
  })
})

describe('watches the API server, in memory', () => {
  it('R17: fails if its resourceVersion is too old', async () => {
    const { server, context, simulation } = await start(3)
    await server.fill([configMap('a'), configMap('b')])
    await server.expireWatchCaches()
    await server.compact()
    const received = listen(context, { resourceVersion: '1' })
    await simulation.runUntil(() => received.ends.length > 0)
    expect(received.ends[0]?.how === 'failed' && isExpired(received.ends[0].error)).toBe(true)
  })

  it('R5: fails if its resourceVersion is ahead of the server’s', async () => {
    const { context, simulation } = await start(4)
    const received = listen(context, { resourceVersion: '100000', initialEvents: true })
    await simulation.runUntil(() => received.ends.length > 0)
    expect(received.ends[0]?.how === 'failed' && isTooLarge(received.ends[0].error)).toBe(true)
    expect(simulation.clock.monotonic()).toBeGreaterThan(2900)
  })

  it('receives bookmarks, and a clean end at its timeout', async () => {
    const { server, context, simulation } = await start(5)
    await server.fill([configMap('a')])
    const received = listen(context, { resourceVersion: `${await server.revision()}` }, { timeoutSeconds: 150 })
    await simulation.runUntil(() => received.ends.length > 0)
    expect(received.log.filter(line => line === 'BOOKMARK').length).toBeGreaterThanOrEqual(2)
    expect(received.log.at(-1)).toBe('end: closed')
  })

  it('R20: takes what the server garbles as what it is', async () => {
    const { server, context, simulation } = await start(6)
    await server.fill([configMap('a'), configMap('b')])
    const effects = [
      ['line', { kind: 'line', text: '<html>', afterEvents: 1 }, 'unreadable'],
      ['truncate', { kind: 'truncate', afterBytes: 120 }, 'broken'],
      ['break', { kind: 'break', afterBytes: 120 }, 'broken'],
      ['rst', { kind: 'rst', afterBytes: 120 }, 'broken'],
      ['status', { kind: 'status', code: 429, retryAfterSeconds: 3, plain: true }, 'refused'],
      ['expired', { kind: 'expired' }, 'failed'],
      ['error-event', { kind: 'error-event', code: 500, afterEvents: 1 }, 'failed'],
    ] as const
    for (const [name, effect, how] of effects) {
      await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect })
      const received = listen(context, { resourceVersion: '', initialEvents: true })
      await simulation.runUntil(() => received.ends.length > 0)
      expect([name, received.ends[0]?.how]).toEqual([name, how])
    }
  })

  it('R21: ends a watch by itself that a server leaves hanging', async () => {
    const { server, context, simulation } = await start(7)
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'hang' } })
    const received = listen(context, { resourceVersion: '1' }, { timeoutSeconds: 290 })
    await simulation.runUntil(() => received.ends.length > 0)
    expect(received.ends).toMatchObject([{ how: 'broken', error: { code: 'TIMEOUT' } }])
    expect(simulation.clock.monotonic()).toBe(320_000)
  })

  it('N14: reports that the server is going away, and goes on receiving events', async () => {
    const { server, context, simulation, write } = await start(8)
    await server.fill([configMap('early')])
    let draining = 0
    const names: unknown[] = []
    const watch = openWatch(
      context,
      inNamespace,
      { resourceVersion: '', initialEvents: true },
      {
        event: (_, object) => names.push((object as { metadata: { name: string } }).metadata.name),
        bookmark() {},
        draining: () => draining++,
        end: end => names.push(end.how),
      },
    )
    await simulation.advance(1000)
    await server.goawayAll()
    await simulation.runUntil(() => draining > 0)
    await simulation.run(() => write('POST', path, configMap('late')))
    await simulation.runUntil(() => names.length > 1)
    expect([draining, names]).toEqual([1, ['early', 'late']])
    watch.abort()
    await simulation.settle()
  })

  it('asks for metadata and gets it alone', async () => {
    const { server, context, simulation } = await start(9)
    await server.fill([configMap('a', { secret: 'x' })])
    const objects: object[] = []
    let ended = false
    const target = only(configMaps.metadata())
    const watch = openWatch(
      context,
      target,
      { resourceVersion: '', initialEvents: true },
      {
        event: (_, object) => objects.push(object),
        bookmark: (_, end) => {
          ended = end
        },
        end() {},
      },
    )
    await simulation.runUntil(() => ended)
    expect(objects).toMatchObject([{ kind: 'PartialObjectMetadata', metadata: { name: 'a' } }])
    expect(objects[0]).not.toHaveProperty('data')
    watch.abort()
    await simulation.settle()
  })
})
