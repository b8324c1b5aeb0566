import { configMaps, secrets, services } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { Channel } from '../sources/channel.ts'
import { Timer } from '../sources/timer.ts'
import { inArcade } from './testkit/arcade.ts'
import { at, game, games, secret } from './testkit/games.ts'

describe('C19: a controller without primary objects', () => {
  it('runs once at the start, with nothing there, and for each change of what it watches, lists and gets', () =>
    inArcade(async ({ operator, client, start, after }) => {
      const seen: string[] = []
      operator
        .controller('zone')
        .singleton()
        .watches(configMaps)
        .caches(games)
        .reconcile(async ({ read }) => {
          const all = await read.list(games)
          const key = await read.get(secrets, at('key'))
          seen.push(`${all.length} games, ${(await read.list(configMaps)).length} maps, ${key ? 'a' : 'no'} key`)
        })
      await start()
      expect(seen).toEqual(['0 games, 0 maps, no key'])
      await after(client.create(configMaps, { metadata: at('rules') }))
      await after(client.create(games, game('chess')))
      await after(client.create(secrets, secret('key', 'x')))
      expect(seen.slice(1)).toEqual(['0 games, 1 maps, no key', '1 games, 1 maps, no key', '1 games, 1 maps, a key'])
      const explained = operator.explain('zone', { name: 'zone' })
      expect(explained).toMatchObject({ key: 'zone', exists: true, queue: 'idle', failures: 0 })
      expect(operator.explain('zone', { name: 'other' }).exists).toBe(false)
    }))

  it('runs once for the objects that exist at the start, however many', () =>
    inArcade(async ({ operator, client, start }) => {
      for (let n = 0; n < 50; n += 1) await client.create(configMaps, { metadata: at(`map-${n}`) })
      let runs = 0
      operator
        .controller('zone')
        .singleton()
        .watches(configMaps)
        .reconcile(() => {
          runs += 1
        })
      await start()
      expect(runs).toBe(1)
    }))

  it('applies objects without an owner, undoes what others do to them, and refuses one', () =>
    inArcade(async ({ operator, client, start, after, simulation }) => {
      let refused: unknown
      operator
        .controller('zone')
        .singleton()
        .watches(services)
        .reconcile(async ({ read, apply }) => {
          const names = (await read.list(services)).map(({ metadata }) => metadata.name)
          await apply(configMaps, { metadata: at('zone'), data: { names: names.join() } })
          const owner = await apply(configMaps, { metadata: at('owned') }, { owner: true }).catch(error => error)
          refused = owner
        })
      await start()
      const port = { spec: { ports: [{ port: 80 }] } }
      await after(client.create(services, { metadata: at('chess'), ...port }))
      const zone = await client.get(configMaps, at('zone'))
      expect([zone?.data, zone?.metadata?.ownerReferences]).toEqual([{ names: 'chess' }, undefined])
      expect(refused).toMatchObject({ option: 'apply.owner' })
      await client.patch(configMaps, at('zone'), { data: { names: 'none' } })
      await simulation.advance(60_000)
      expect((await client.get(configMaps, at('zone')))?.data).toEqual({ names: 'chess' })
    }))

  it('runs for each event of a source, and again after a failure', () =>
    inArcade(async ({ operator, start, simulation }) => {
      const pushes = new Channel<number>('pushes')
      const seen: number[] = []
      operator
        .controller('zone')
        .singleton()
        .from(pushes)
        .withPredicates(value => value > 1)
        .from(new Timer({ everyMs: 60_000 }))
        .reconcile(({ attempt }) => {
          seen.push(attempt)
          if (seen.length === 2) throw new Error('the DNS does not answer')
        })
      await start()
      pushes.send(1)
      await simulation.advance(1000)
      expect(seen).toEqual([1])
      pushes.send(2)
      await simulation.advance(1000)
      expect(seen).toEqual([1, 1, 2])
      await simulation.advance(60_000)
      expect(seen).toEqual([1, 1, 2, 1])
    }))

  it('is refused without a reconcile, with owned objects, and with neither a view nor singleton', () =>
    inArcade(async ({ operator, run, end }) => {
      expect(() => operator.add({ name: 'x', for: 'none' as never, reconcile: () => {} })).toThrow(/for/)
      operator.controller('zone').singleton()
      run()
      expect(await end()).toMatchObject({ code: 'CONTROLLER_INCOMPLETE' })
    }))
})

describe("C4: watches(view, 'all')", () => {
  it('runs all primary objects for a change, once, however many changes come before the first has begun', () =>
    inArcade(async ({ client, forGames, start, after, simulation }) => {
      let ran: string[] = []
      forGames()
        .watches(configMaps, 'all')
        .reconcile(({ key }) => void ran.push(key.name))
      await client.create(configMaps, { metadata: at('rules') })
      await start('chess', 'go')
      expect(ran.sort()).toEqual(['chess', 'go'])
      ran = []
      await after(client.patch(configMaps, at('rules'), { data: { a: '1' } }))
      expect(ran.sort()).toEqual(['chess', 'go'])
      ran = []
      await client.create(games, game('shogi'))
      await client.patch(configMaps, at('rules'), { data: { a: '2' } })
      await simulation.advance(10_000)
      expect([...new Set(ran)].sort()).toEqual(['chess', 'go', 'shogi'])
    }))
})
