import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { Channel } from '../sources/channel.ts'
import { inArcade } from './testkit/arcade.ts'
import { at, games } from './testkit/games.ts'

describe('C20: a debounced source', () => {
  it('runs a key once its events have paused, and at the latest when the longest wait is over', () =>
    inArcade(async ({ operator, forGames, start, simulation }) => {
      const pushes = new Channel<string>('pushes')
      const runs: number[] = []
      const { clock } = simulation
      forGames()
        .from(pushes, name => at(name))
        .debounce({ debounceMs: 500, maxWaitMs: 2000 })
        .reconcile(() => {
          runs.push(clock.monotonic() - began)
        })
      let began = 0
      await start('chess')
      // What was there already has not waited.
      expect(runs).toHaveLength(1)
      runs.length = 0
      began = clock.monotonic()
      for (let n = 0; n < 3; n += 1) {
        pushes.send('chess')
        await simulation.advance(400)
      }
      expect(runs).toEqual([])
      expect(operator.explain('game', at('chess'))).toMatchObject({
        queue: 'delayed',
        dueInMs: 100,
        pending: { source: 'pushes', change: 'told' },
      })
      await simulation.advance(600)
      // The last event came at 800.
      expect(runs).toEqual([1300])
      runs.length = 0
      began = clock.monotonic()
      for (let n = 0; n < 12; n += 1) {
        pushes.send('chess')
        await simulation.advance(400)
      }
      expect(runs).toEqual([2000, 4000])
    }))

  it('takes a run for another reason for one that saw the events before it, and settles only after their run', () =>
    inArcade(async ({ operator, forGames, start, client, simulation }) => {
      const pushes = new Channel<string>('pushes')
      let runs = 0
      forGames()
        .from(pushes, name => at(name))
        .debounce({ debounceMs: 10_000 })
        .reconcile(() => {
          runs += 1
        })
      await start('chess')
      pushes.send('chess')
      await client.patch(games, at('chess'), { spec: { title: 'another' } })
      await simulation.advance(5000)
      expect(runs).toBe(2)
      await simulation.advance(60_000)
      expect(runs).toBe(2)
      pushes.send('chess')
      await operator.settled()
      expect(runs).toBe(3)
    }))

  it('waits for events of the primary objects too, and for those that mean every key', () =>
    inArcade(async ({ forGames, operator, start, client, simulation }) => {
      const runs: string[] = []
      forGames()
        .debounce({ debounceMs: 30_000 })
        .watches(configMaps, 'all')
        .debounce({ debounceMs: 60_000 })
        .reconcile(({ key }) => {
          runs.push(key.name)
        })
      await start('chess', 'go')
      expect(runs.splice(0).sort()).toEqual(['chess', 'go'])
      for (const title of ['a', 'b', 'c']) await client.patch(games, at('chess'), { spec: { title } })
      await simulation.advance(29_000)
      expect(runs).toEqual([])
      await simulation.advance(10_000)
      expect(runs.splice(0)).toEqual(['chess'])
      for (let n = 0; n < 5; n += 1) await client.create(configMaps, { metadata: at(`map-${n}`) })
      await simulation.advance(55_000)
      expect(runs).toEqual([])
      expect(operator.explain('game', at('go')).queue).toBe('delayed')
      await simulation.advance(10_000)
      expect(runs.splice(0).sort()).toEqual(['chess', 'go'])
    }))

  it('C2: of the primary objects loses no onGone, if a run finds the object gone while its delete waits', () =>
    inArcade(async ({ forGames, start, operator, simulation }) => {
      const pushes = new Channel<string>('pushes')
      const gone: string[] = []
      let runs = 0
      forGames()
        .debounce({ debounceMs: 30_000 })
        .from(pushes, name => at(name))
        .onGone(({ key }) => {
          gone.push(key.name)
        })
        .reconcile(async ({ client }) => {
          runs += 1
          if (runs === 1) return
          await client.delete(games, at('chess'))
          // The next run waits until the informer has the delete.
          pushes.send('chess')
        })
      await start('chess')
      pushes.send('chess')
      await simulation.advance(20_000)
      expect([runs, gone]).toEqual([2, []])
      await operator.settled()
      expect(gone).toEqual(['chess'])
    }))

  it('drops what waits when the operator ends, and refuses a wait where there are no events', () =>
    inArcade(async ({ operator, forGames, start, end, simulation }) => {
      const pushes = new Channel<string>('pushes')
      let runs = 0
      const builder = forGames()
        .from(pushes, name => at(name))
        .debounce({ debounceMs: 60_000 })
        .reconcile(() => {
          runs += 1
        })
      expect(() => builder.debounce({ debounceMs: 0 })).toThrow('debounceMs')
      expect(() => builder.caches(configMaps).debounce({ debounceMs: 1 })).toThrow('no source here whose events')
      const zone = operator
        .controller('zone')
        .singleton()
        .reconcile(() => {})
      expect(() => zone.debounce({ debounceMs: 1 })).toThrow('no source here whose events')
      await start('chess')
      pushes.send('chess')
      await end()
      await simulation.advance(120_000)
      expect(runs).toBe(1)
    }))
})
