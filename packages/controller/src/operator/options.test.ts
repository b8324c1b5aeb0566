import { Client } from '@wherry/client'
import { systemEnvironment } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Controller } from '../controller/controller.ts'
import { prometheusMetrics } from '../metrics/prometheus.ts'
import { Channel } from '../sources/channel.ts'
import { from, owns, watches } from '../sources/controller-sources.ts'
import { DynamicViews } from '../sources/dynamic-views.ts'
import { Timer } from '../sources/timer.ts'
import { Operator } from './operator.ts'
import { games } from './testkit/games.ts'

const invalid = (option: string): unknown => expect.objectContaining({ code: 'INVALID_OPTION', option })

let client: Client
let operator: Operator
const ofGames = () => operator.controller('a').for(games)
beforeEach(() => {
  client = new Client({ url: 'http://127.0.0.1:1' })
  operator = new Operator({ name: 'arcade', client })
})
afterEach(async () => {
  await operator.close()
  await client.close()
})

describe('X6: an operator refuses', () => {
  it.each<[object, string]>([
    [{ client: undefined }, 'operator.client'],
    [{ client: {} }, 'operator.client'],
    [{ log: { info: () => {} } }, 'operator.log'],
    [{ metrics: true }, 'operator.metrics'],
    [{ stopTimeoutMs: Number.POSITIVE_INFINITY }, 'operator.stopTimeoutMs'],
    [{ stopTimeoutMs: '1' }, 'operator.stopTimeoutMs'],
    [{ poll: [{ resource: games, pollMs: 0 }] }, 'operator.poll[0].pollMs'],
    [{ name: undefined }, 'operator.name'],
    [{ name: 7 }, 'operator.name'],
    [{ name: 'Game Operator' }, 'operator.name'],
    [{ leader: {} }, 'leader.namespace'],
    [{ leader: { name: 'a', namespace: 'b', leaseMs: 1 } }, 'leader.leaseMs'],
    [{ shards: {} }, 'shards.ring'],
    [{ shards: true }, 'operator.shards'],
    [{ shards: { ring: 'Games', namespace: 'b' } }, 'shards.ring'],
    [{ shards: { ring: 'games' } }, 'shards.namespace'],
    [{ shards: { ring: 'games', namespace: 'b', name: `a.${'b'.repeat(62)}` } }, 'shards.name'],
    [{ shards: { ring: 'games', namespace: 'b', name: 'a..b' } }, 'shards.name'],
    [{ shards: { ring: 'games', namespace: 'b', identity: 'a' } }, 'shards.identity'],
    [{ shards: { ring: 'games', namespace: 'b', renewDeadlineMs: 15_000 } }, 'shards.renewDeadlineMs'],
    [{ health: { port: -1 } }, 'health.port'],
    [{ health: { tokenReview: 1 } }, 'health.tokenReview'],
    [{ health: { tokenReview: true, authorize: () => 'allowed' } }, 'health.tokenReview'],
    [{ health: { readyz: { caches: () => true } } }, 'health.readyz'],
    [{ cache: { onMissing: 'never' } }, 'cache.onMissing'],
    [{ narrow: { max: 0 } }, 'narrow.max'],
    [{ signals: false }, 'operator.signals'],
  ])('%j', (options, option) => {
    expect(() => new Operator({ name: 'arcade', client, ...options } as never)).toThrow(invalid(option) as Error)
  })

  it('to be connected with metrics of two kinds', async () => {
    const metrics = await prometheusMetrics({ processMetrics: false })
    const { metrics: others } = systemEnvironment()
    const connect = Operator.connect({ name: 'arcade', metrics, client: { environment: { metrics: others } } })
    await expect(connect).rejects.toMatchObject({ code: 'INVALID_OPTION', option: 'operator.metrics' })
  })

  it.each<[object, string]>([
    [{ signal: {} }, 'run.signal'],
    [{ signals: 'no' }, 'run.signals'],
    [{ timeoutMs: 1 }, 'run.timeoutMs'],
  ])('to run with %j, and can still be run', async (options, option) => {
    await expect(operator.run(options)).rejects.toMatchObject({ code: 'INVALID_OPTION', option })
    expect(operator.state).toBe('idle')
  })

  it.each<[object, string]>([
    [{ timeoutMs: -1 }, 'settled.timeoutMs'],
    [{ signal: 1 }, 'settled.signal'],
  ])('to settle with %j', async (options, option) => {
    await expect(operator.settled(options)).rejects.toMatchObject({ code: 'INVALID_OPTION', option })
  })
})

describe('X6: a controller refuses', () => {
  it.each<[object, string]>([
    [{ concurrency: 0 }, 'controller.concurrency'],
    [{ concurrency: 1.5 }, 'controller.concurrency'],
    [{ reconcileTimeoutMs: 0 }, 'controller.reconcileTimeoutMs'],
    [{ syncTimeoutMs: Number.NaN }, 'controller.syncTimeoutMs'],
    [{ rateLimiter: {} }, 'controller.rateLimiter'],
    [{ needLeaderElection: 'yes' }, 'controller.needLeaderElection'],
    [{ name: 'x' }, 'controller.name'],
  ])('%j', (options, option) => {
    expect(() => operator.controller('a', options)).toThrow(invalid(option) as Error)
  })

  it.each(['', '-a', 'a b', 'a/b', 'a'.repeat(64), 7])('the name %j', name => {
    expect(() => operator.controller(name as string)).toThrow(invalid('controller.name') as Error)
  })

  it.each<[string, () => unknown]>([
    ['for', () => operator.controller('a').for('games' as never)],
    ['owns', () => ofGames().owns({} as never)],
    ['caches', () => ofGames().caches(undefined as never)],
    ['watches', () => ofGames().watches(null as never, () => undefined)],
    ['watches.map', () => ofGames().watches(configMaps, 'map' as never)],
    ['from', () => ofGames().from({} as never)],
    ['from.map', () => ofGames().from(new DynamicViews('r') as never)],
    ['withPredicates[0]', () => ofGames().withPredicates('all' as never)],
    ['reconcile', () => ofGames().reconcile(undefined as never)],
    ['onGone', () => ofGames().onGone({} as never)],
    ['owns.predicates', () => owns(configMaps, 'x' as never)],
    ['watches.predicates[0]', () => watches(configMaps, () => undefined, ['x' as never])],
    ['from', () => from(undefined as never)],
  ])('what is no %s', (option, declare) => {
    expect(declare).toThrow(invalid(option) as Error)
  })

  it.each<[string, () => unknown]>([
    [
      'reconcile',
      () =>
        ofGames()
          .reconcile(() => {})
          .reconcile(() => {}),
    ],
    [
      'onGone',
      () =>
        ofGames()
          .onGone(() => {})
          .onGone(() => {}),
    ],
    [
      'onLeft',
      () =>
        ofGames()
          .onLeft(() => {})
          .onLeft(() => {}),
    ],
    [
      'reconcile',
      () =>
        operator
          .controller('zone')
          .singleton()
          .reconcile(() => {})
          .reconcile(() => {}),
    ],
    [
      'for or singleton',
      () => {
        const named = operator.controller('twice')
        named.for(configMaps)
        named.singleton()
      },
    ],
  ])('C2: a second %s, which would win over the first', (what, declare) => {
    expect(declare).toThrow(
      expect.objectContaining({ code: 'CONTROLLER_USED', message: expect.stringContaining(what) }),
    )
  })

  it('predicates behind what has no events', () => {
    const builder = ofGames()
    const incomplete = expect.objectContaining({ code: 'CONTROLLER_INCOMPLETE' })
    expect(() => builder.caches(configMaps).withPredicates(() => true)).toThrow(incomplete)
    expect(() =>
      builder.from(new Channel<{ name: string; namespace: string }>('c')).withPredicates(() => true),
    ).toThrow(incomplete)
    expect(() => builder.from(new Timer({ everyMs: 1 })).withPredicates(() => true)).toThrow(incomplete)
  })

  it.each<[object, object, string]>([
    [{ name: '' }, {}, 'controller.name'],
    [{ for: 1 }, {}, 'controller.for'],
    [{ sources: [{}] }, {}, 'controller.sources[0]'],
    [{ caches: games }, {}, 'controller.caches'],
    [{ reconcile: 1 }, {}, 'controller.reconcile'],
    [{ source: [] }, {}, 'controller.source'],
    [{}, { cache: undefined }, 'controller.parts.cache'],
    [{}, { narrow: {} }, 'controller.parts.narrow'],
    [{}, { manager: {} }, 'controller.parts.manager'],
    [{}, { log: () => {} }, 'controller.parts.log'],
  ])('the definition %j with the parts %j', (definition, parts, option) => {
    const { cache, narrow, manager } = operator
    const make = (): unknown =>
      new Controller(
        { name: 'a', for: games, reconcile: () => {}, ...definition } as never,
        { client, cache, narrow, manager, ...parts } as never,
      )
    expect(make).toThrow(invalid(option) as Error)
  })

  it.each(['predicates', 'debounce', 'onGone', 'onLeft'])('%s without primary objects', option => {
    const { cache, narrow } = operator
    const given = { predicates: [], debounce: { debounceMs: 1 }, onGone: () => {}, onLeft: () => {} }
    const definition = { name: 'a', for: 'singleton', reconcile: () => {}, [option]: given[option as 'onGone'] }
    expect(() => new Controller(definition as never, { client, cache, narrow })).toThrow(
      invalid(`controller.${option}`) as Error,
    )
  })

  it('names that are too long for a field manager', () => {
    const { cache, narrow } = operator
    const definition = { name: 'a'.repeat(100), for: games, reconcile: () => {} }
    expect(() => new Controller(definition, { client, cache, narrow, operator: 'o'.repeat(28) })).toThrow(
      invalid('controller.name, with the operator') as Error,
    )
  })

  it.each<[object, string]>([
    [{ reconcile: 1 }, 'controller.reconcile'],
    [{ concurrency: 0 }, 'controller.concurrency'],
    [{ watches: [] }, 'controller.watches'],
  ])('the definition %j when it is added', (definition, option) => {
    const add = (): unknown => operator.add({ name: 'a', for: games, reconcile: () => {}, ...definition } as never)
    expect(add).toThrow(invalid(option) as Error)
    expect(() => operator.controller('a')).not.toThrow()
  })
})

describe('X6: a source refuses', () => {
  it.each<[string, () => unknown]>([
    ['timer.everyMs', () => new Timer({ everyMs: 0 })],
    ['timer.everyMs', () => new Timer({} as never)],
    ['timer.name', () => new Timer({ everyMs: 1, name: '' })],
    ['channel.name', () => new Channel('')],
    ['dynamicViews.name', () => new DynamicViews(7 as never)],
  ])('a wrong %s', (option, make) => {
    expect(make).toThrow(invalid(option) as Error)
  })
})

describe('X6: a controller', () => {
  it.each<[object, string]>([
    [{ timeoutMs: Number.NaN }, 'stop.timeoutMs'],
    [{ timeoutMs: -1 }, 'stop.timeoutMs'],
    [{ reason: 1 }, 'stop.reason'],
    [{ graceMs: 1 }, 'stop.graceMs'],
  ])('refuses to stop with %j', async (options, option) => {
    const { cache, narrow, manager } = operator
    const controller = new Controller(
      { name: 'a', for: games, reconcile: () => {} },
      { client, cache, narrow, manager },
    )
    await expect(controller.stop(options)).rejects.toMatchObject({ code: 'INVALID_OPTION', option })
    await controller.stop()
    expect(controller.state).toBe('stopped')
  })
})
