import { defineResource } from '@wherry/client'
import { sleep } from '@wherry/client/internal'
import { leases } from '@wherry/client/resources/coordination'
import { configMaps, events as eventsResource } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { prometheusMetrics } from '../metrics/prometheus.ts'
import type { Operator } from './operator.ts'
import { type Arcade, inArcade } from './testkit/arcade.ts'
import { at, game, games } from './testkit/games.ts'

const leader = { name: 'game-operator', namespace: 'default', identity: 'us' }

/** Runs an operator, until it is within a reconcile that takes so long. */
async function runningFor({ forGames, client, simulation, run }: Arcade, ms: number): Promise<void> {
  let isRunning = false
  forGames().reconcile(async () => {
    isRunning = true
    await sleep(simulation.clock, ms)
  })
  await client.create(games, game('chess'))
  run()
  while (!isRunning) await sleep(simulation.clock, 10)
}

describe('two of a name', () => {
  it('are refused, and so is a controller after the start', () =>
    inArcade(async ({ operator, run, end, forGames }) => {
      forGames().reconcile(() => {})
      const taken = expect.objectContaining({
        code: 'CONTROLLER_NAME_TAKEN',
        message: 'the name game is taken by another controller: choose another name',
      })
      expect(() => operator.controller('game')).toThrow(taken)
      expect(() => operator.add({ name: 'game', for: games, reconcile: () => {} })).toThrow(taken)
      run()
      expect(() => operator.controller('other')).toThrow(expect.objectContaining({ code: 'OPERATOR_USED' }))
      await expect(operator.run()).rejects.toMatchObject({ code: 'OPERATOR_USED' })
      await end()
      await expect(operator.run()).rejects.toMatchObject({ code: 'OPERATOR_USED' })
    }))
})

describe('a controller that lacks a part', () => {
  it.each<[string, (operator: Operator) => unknown]>([
    [
      'view of its primary objects: name it with .for(view), or call .singleton() if it has none',
      operator => operator.controller('game'),
    ],
    ['reconcile: name it with .reconcile(fn)', operator => operator.controller('game').for(games)],
  ])('has no %s, and is refused before anything is asked of the server', (missing, declare) =>
    inArcade(async ({ operator, server }) => {
      declare(operator)
      await server.resetStats()
      await expect(operator.run({ signals: false })).rejects.toMatchObject({
        code: 'CONTROLLER_INCOMPLETE',
        message: `the controller game has no ${missing}`,
      })
      expect((await server.stats()).total.requests).toBe(0)
    }),
  )
})

describe('an operator that is not run', () => {
  it('is closed, and can not be run afterwards', () =>
    inArcade(async ({ operator }) => {
      await operator.close()
      await operator.close()
      expect(operator.state).toBe('stopped')
      await expect(operator.run()).rejects.toMatchObject({ code: 'OPERATOR_USED' })
    }))

  it('can not be run either while it is being closed', () =>
    inArcade(async ({ operator }) => {
      const closed = operator.close()
      await expect(operator.run()).rejects.toMatchObject({ code: 'OPERATOR_USED' })
      await closed
    }))

  it('does not settle, and says why', () =>
    inArcade(async ({ operator }) => {
      await expect(operator.settled({ timeoutMs: 100 })).rejects.toMatchObject({
        code: 'NOT_SETTLED',
        pending: ['the operator was not run'],
      })
      const signal = AbortSignal.abort(new Error('enough'))
      await expect(operator.settled({ signal })).rejects.toMatchObject({
        code: 'NOT_SETTLED',
        pending: ['the operator was not run'],
        cause: signal.reason,
      })
    }))

  it('does not settle with a controller that is incomplete, and names what it lacks at once', () =>
    inArcade(async ({ operator }) => {
      operator.controller('game').for(configMaps)
      await expect(operator.settled()).rejects.toMatchObject({ code: 'CONTROLLER_INCOMPLETE' })
    }))
})

describe('the end of a run', () => {
  it('C5, R23: leaves no stream, and nothing that is cached', () =>
    inArcade(async ({ operator, server, end, simulation, forGames, start }) => {
      forGames()
        .owns(configMaps.metadata())
        .reconcile(async ({ read }) => {
          await read.get(configMaps, { name: 'a' })
        })
      await start('chess')
      expect((await server.stats()).total.openStreams).toBe(3)
      expect(await end()).toBe('ended')
      // Until the server has received that.
      await simulation.advance(500)
      expect((await server.stats()).total.openStreams).toBe(0)
      expect([operator.report().informers, operator.narrow.report().entries]).toEqual([[], 0])
      await expect(operator.settled()).rejects.toMatchObject({ code: 'OPERATOR_USED' })
    }))

  it('C5: comes at once where the signal was aborted before', () =>
    inArcade(async ({ operator, forGames }) => {
      forGames().reconcile(() => {})
      await operator.run({ signal: AbortSignal.abort(new Error('before')), signals: false })
      expect(operator.state).toBe('stopped')
    }))

  it.each(['SIGTERM', 'SIGINT'] as const)('C5: comes by %s, which other listeners get too', name =>
    inArcade(async ({ operator, simulation, forGames }) => {
      forGames().reconcile(() => {})
      const before = process.listenerCount(name)
      const running = operator.run()
      await simulation.runUntil(() => operator.state === 'running')
      expect(process.listenerCount(name)).toBe(before + 1)
      process.emit(name)
      await running
      expect(process.listenerCount(name)).toBe(before)
    }),
  )

  it('C5: listens to no signals if its options say so', () =>
    inArcade(async ({ end, forGames, start }) => {
      forGames().reconcile(() => {})
      const before = process.listenerCount('SIGTERM')
      await start()
      expect(process.listenerCount('SIGTERM')).toBe(before)
      await end()
    }))
})

describe('on a leader', () => {
  /** A controller for leaders, and one for all, that note what they do. */
  function declared({ forGames }: Arcade): string[] {
    const log: string[] = []
    forGames('all', { needLeaderElection: false }).reconcile(({ key }) => {
      log.push(`all ${key.name}`)
    })
    forGames('leads').reconcile(async ({ key, client, object }) => {
      log.push(`leads ${key.name}`)
      await client.create(configMaps, { metadata: at(`${key.name}-${object.metadata.generation}`) })
    })
    return log
  }

  it('C5, C6: runs what needs no leader at once, and the rest when it leads; then gives the lease back', () =>
    inArcade({ leader }, async arcade => {
      const { client, operator, simulation, run, end } = arcade
      const now = new Date(simulation.clock.now()).toISOString().replace('Z', '000Z')
      await client.create(leases, {
        metadata: { name: leader.name, namespace: 'default' },
        spec: {
          holderIdentity: 'others',
          leaseDurationSeconds: 15,
          acquireTime: now,
          renewTime: now,
          leaseTransitions: 1,
        },
      })
      const log = declared(arcade)
      await client.create(games, game('chess'))
      run()
      await simulation.advance(10_000)
      expect(log).toEqual(['all chess'])
      await expect(operator.settled({ timeoutMs: 10 })).rejects.toMatchObject({ pending: ['leads waits to lead'] })
      await simulation.advance(10_000)
      await operator.settled()
      expect(log).toEqual(['all chess', 'leads chess'])
      expect(await end()).toBe('ended')
      const lease = await client.get(leases, at(leader.name))
      expect(lease?.spec?.holderIdentity ?? '').toBe('')
    }))

  it('C5, C6: on a lost lease stops at once, rejects, writes nothing more, and never leads again', () =>
    inArcade({ leader }, async arcade => {
      const { client, operator, simulation, run, end, forGames } = arcade
      const log = declared(arcade)
      const signals: string[] = []
      forGames('long').reconcile(async ({ signal, client: own }) => {
        await sleep(own.environment.clock, 600_000, signal).catch(error => signals.push(error.code))
        await own.create(configMaps, { metadata: at('late') }).catch(error => signals.push(error.code))
      })
      await client.create(games, game('chess'))
      run()
      await simulation.runUntil(() => log.includes('leads chess'))
      const stolen = {
        spec: {
          holderIdentity: 'thief',
          renewTime: new Date(simulation.clock.now()).toISOString().replace('Z', '000Z'),
        },
      }
      await client.patch(leases, at(leader.name), stolen)
      await simulation.runUntil(() => operator.state === 'stopped')
      expect(await end()).toMatchObject({ code: 'LEADERSHIP_LOST', lease: 'default/game-operator' })
      expect(signals).toEqual(['LEADERSHIP_LOST', 'LEADERSHIP_LOST'])
      expect(await client.get(configMaps, at('late'))).toBeUndefined()
      expect((await client.get(leases, at(leader.name)))?.spec?.holderIdentity).toBe('thief')
    }))

  it('C3: a source that does not sync ends the run of the leader too, which gives the lease back', () =>
    inArcade({ leader }, async ({ client, operator, server, run, end, simulation, forGames }) => {
      forGames('game', { syncTimeoutMs: 5000 })
        .watches(configMaps, () => undefined)
        .reconcile(() => {})
      await server.faults.add({ match: { resource: 'configmaps' }, effect: { kind: 'hang' } })
      run()
      await simulation.runUntil(() => operator.state === 'stopped')
      expect(await end()).toMatchObject({ code: 'SOURCE_NOT_SYNCED', sources: [`watches ${configMaps.key}`] })
      expect((await client.get(leases, at(leader.name)))?.spec?.holderIdentity ?? '').toBe('')
    }))
})

describe('events and logs of a reconcile', () => {
  it('C9: are about the primary object, and say the controller and the key', () =>
    inArcade(async ({ operator, client, run, end, simulation }) => {
      operator
        .controller('game')
        .for(games.metadata())
        .reconcile(({ events, log, key }) => {
          events.record({ reason: 'Played', message: `played ${key.name}` })
          events.about(configMaps, { metadata: at('a') }, { type: 'Warning', reason: 'Odd', message: 'odd' })
          log.info({ more: 1 }, 'a line')
        })
      const { metadata } = await client.create(games, game('chess'))
      run()
      await operator.settled()
      await end()
      const recorded = await client.list(eventsResource)
      const inOrder = recorded.items.toSorted((a, b) => ((a.reason ?? '') < (b.reason ?? '') ? 1 : -1))
      expect(inOrder.map(({ involvedObject, reason, source }) => [involvedObject, reason, source])).toMatchObject([
        [{ kind: 'Game', name: 'chess', namespace: 'default', uid: metadata.uid }, 'Played', { component: 'game' }],
        [{ kind: 'ConfigMap', name: 'a' }, 'Odd', { component: 'game' }],
      ])
      expect(simulation.environment.errors).toEqual([])
    }))
})

describe('metrics', () => {
  it('C8: a cache, from the start of the operator on', async () => {
    const metrics = await prometheusMetrics({ processMetrics: false })
    await inArcade({ metrics }, async ({ forGames, start, end }) => {
      forGames().reconcile(async () => {})
      await start()
      expect(await metrics.text()).toContain(`wherry_cache_synced{view="${games.key}"}`)
      await end()
    })
  })

  it('C8: reconciles, the queue, caches and reads, as dashboards know them', async () => {
    const metrics = await prometheusMetrics({ processMetrics: false })
    await inArcade({ metrics }, async ({ operator, client, server, simulation, start, end }) => {
      operator
        .controller('maps', { concurrency: 2 })
        .for(configMaps)
        .reconcile(async ({ read, key, attempt }) => {
          await read.get(configMaps, { name: 'other' })
          if (key.name === 'b' && attempt === 1) throw new Error('no')
        })
      for (const name of ['a', 'b']) await client.create(configMaps, { metadata: at(name) })
      await start()
      await simulation.advance(11_000)
      const lines = (await metrics.text()).split('\n')
      const of = (name: string): string[] => lines.filter(line => line.startsWith(name) && !line.includes('_bucket'))
      expect(of('controller_runtime_reconcile_total').sort()).toEqual([
        'controller_runtime_reconcile_total{controller="maps",result="error"} 1',
        'controller_runtime_reconcile_total{controller="maps",result="requeue_after"} 0',
        'controller_runtime_reconcile_total{controller="maps",result="success"} 2',
      ])
      expect(of('controller_runtime_reconcile_errors_total')).toEqual([
        'controller_runtime_reconcile_errors_total{controller="maps"} 1',
      ])
      // What has not happened yet is 0: an alert on a rate needs a value before the first failure.
      expect(of('controller_runtime_terminal_reconcile_errors_total')).toEqual([
        'controller_runtime_terminal_reconcile_errors_total{controller="maps"} 0',
      ])
      expect(of('controller_runtime_reconcile_timeouts_total')).toEqual([
        'controller_runtime_reconcile_timeouts_total{controller="maps"} 0',
      ])
      expect(of('controller_runtime_reconcile_time_seconds_count')).toEqual([
        'controller_runtime_reconcile_time_seconds_count{controller="maps"} 3',
      ])
      expect(of('controller_runtime_active_workers')).toEqual([
        'controller_runtime_active_workers{controller="maps"} 0',
      ])
      expect(of('controller_runtime_max_concurrent')).toEqual([
        'controller_runtime_max_concurrent_reconciles{controller="maps"} 2',
      ])
      expect(of('workqueue_retries_total')).toEqual(['workqueue_retries_total{name="maps",controller="maps"} 1'])
      expect(of('wherry_cache_objects')).toEqual([`wherry_cache_objects{view="${configMaps.key}"} 2`])
      expect(of('wherry_cache_synced')).toEqual([`wherry_cache_synced{view="${configMaps.key}"} 1`])
      expect(of('wherry_cache_stale_seconds')).toEqual([`wherry_cache_stale_seconds{view="${configMaps.key}"} 0`])
      expect(of('wherry_reads_')).toEqual([
        'wherry_reads_dependencies{controller="maps"} 2',
        'wherry_reads_keys{controller="maps"} 2',
        'wherry_reads_objects{controller="maps"} 1',
        'wherry_reads_polled{controller="maps"} 0',
      ])
      await server.refuse(true)
      await server.breakConnections()
      await simulation.advance(30_000)
      const stale = (await metrics.text()).split('\n').find(line => line.startsWith('wherry_cache_stale_seconds{'))
      expect(Number(stale?.split(' ').at(-1))).toBeGreaterThan(5)
      await server.refuse(false)
      const view = configMaps.within({ namespaces: ['default'] })
      await operator.cache.informer(view).whenSynced()
      await simulation.advance(11_000)
      expect(await metrics.text()).toContain(`wherry_cache_synced{view="${view.key}"} 1`)
      await operator.cache.remove(view)
      await simulation.advance(11_000)
      expect(await metrics.text()).not.toContain(`view="${view.key}"`)
      await end()
      expect(await metrics.text()).not.toMatch(/^wherry_(cache|reads)_/m)
    })
  })

  it('C8, D7: no cache is missed of a resource that may come later', () =>
    inArcade({ cache: { whenUnknown: 'wait' } }, async ({ operator, simulation, forGames, start }) => {
      const later = defineResource({
        group: 'x.io',
        version: 'v1',
        kind: 'Later',
        plural: 'laters',
        namespaced: true,
      })
      forGames()
        .watches(later, () => [])
        .reconcile(() => {})
      await start()
      await simulation.advance(3_600_000)
      expect(operator.state).toBe('running')
      const { metric } = simulation.environment
      const measured = ['synced', 'stale_seconds'].map(name => metric(`wherry_cache_${name}`, { view: later.key }))
      expect(measured).toEqual([undefined, undefined])
      expect(metric('wherry_cache_synced', { view: games.key })).toBe(1)
    }))
})

describe('a leader', () => {
  /** Somebody else takes the lease. */
  async function rob({ client }: Arcade): Promise<void> {
    const found = await client.get(leases, at(leader.name))
    const time = '2026-01-01T00:00:05.000000Z'
    const spec = { ...found?.spec, holderIdentity: 'other', renewTime: time, acquireTime: time }
    await client.update(leases, { ...found, spec })
  }

  it('C5: begins when what needs no leader has begun', () =>
    inArcade({ leader }, async ({ client, server, forGames, start }) => {
      const log: string[] = []
      forGames('here', { needLeaderElection: false })
        .watches(configMaps, () => undefined)
        .reconcile(() => {
          log.push('here')
        })
      forGames('leads').reconcile(() => {
        log.push('leads')
      })
      await client.create(games, game('chess'))
      await server.faults.add({ match: { resource: 'configmaps' }, effect: { kind: 'delay', ms: 5000 } })
      await start()
      expect(log).toEqual(['here', 'leads'])
    }))

  it('C5: stops at once when it has lost the lease, also with events that it can not send any more', () =>
    inArcade({ leader }, async arcade => {
      const { operator, client, server, simulation, forGames, start } = arcade
      forGames().reconcile(({ events }) => events.record({ reason: 'Seen', message: 'it was seen' }))
      await start()
      await server.faults.add({
        match: { verb: 'create', resource: 'events' },
        effect: { kind: 'delay', ms: 30_000 },
      })
      await client.create(games, game('chess'))
      await sleep(simulation.clock, 100)
      await rob(arcade)
      const leads = (): unknown => simulation.environment.metric('leader_election_master_status', { name: leader.name })
      while (leads() === 1) await sleep(simulation.clock, 10)
      const lost = simulation.clock.monotonic()
      while (operator.state !== 'stopped') await sleep(simulation.clock, 10)
      expect(simulation.clock.monotonic() - lost).toBeLessThan(100)
    }))

  it('C5: has as long as the operator to end, where its graceMs is given as undefined', () =>
    inArcade({ leader: { ...leader, graceMs: undefined }, stopTimeoutMs: 60_000 }, async arcade => {
      const { client, end } = arcade
      await runningFor(arcade, 50_000)
      expect(await end()).toBe('ended')
      expect((await client.get(leases, at(leader.name)))?.spec?.holderIdentity).toBeUndefined()
    }))

  it('C5: that loses its lease while it stops in order says so', () =>
    inArcade({ leader }, async arcade => {
      await runningFor(arcade, 20_000)
      const ended = arcade.end()
      await rob(arcade)
      expect(await ended).toMatchObject({ code: 'LEADERSHIP_LOST' })
    }))

  it('C5, C6: gives the lease back though the last events can not be sent', () =>
    inArcade({ leader, stopTimeoutMs: 1000 }, async ({ client, server, end, forGames, start, after }) => {
      forGames().reconcile(({ events }) => events.record({ reason: 'Seen', message: 'it was seen' }))
      await start()
      await server.faults.add({ match: { resource: 'events' }, effect: { kind: 'hang' } })
      await after(client.create(games, game('chess')))
      expect(await end()).toBe('ended')
      expect((await client.get(leases, at(leader.name)))?.spec?.holderIdentity).toBeUndefined()
    }))

  it('C6: that does not end in its graceMs, and so keeps the lease, is reported', () =>
    inArcade({ leader: { ...leader, graceMs: 5000 } }, async arcade => {
      const { client, simulation, end } = arcade
      await runningFor(arcade, 20_000)
      expect(await end()).toBe('ended')
      expect((await client.get(leases, at(leader.name)))?.spec?.holderIdentity).toBe('us')
      expect(simulation.environment.errors.map(({ error }) => error)).toMatchObject([{ code: 'LEADER_STUCK' }])
    }))
})
