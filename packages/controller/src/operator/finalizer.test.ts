import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { generationChanged } from '../predicates/changed.ts'
import { inArcade } from './testkit/arcade.ts'
import { at, game, games } from './testkit/games.ts'

const name = 'arcade.example.com/dns'

describe('C18: a finalizer of a controller', () => {
  it.each(['Example.com/x', 'example.com/', '/x', 'a b', 'example.com/x/y', `example.com/${'x'.repeat(64)}`, ''])(
    'is refused when it is declared if no server takes its name: %j',
    bad =>
      inArcade(async ({ forGames, operator }) => {
        expect(() => forGames().finalizer(bad, () => {})).toThrow(RangeError)
        await operator.close()
      }),
  )

  it('is there before the first reconcile, and goes when the clean-up has ended, whatever predicates say', () =>
    inArcade(async ({ client, forGames, start, after }) => {
      const seen: string[] = []
      forGames()
        .withPredicates(generationChanged)
        .finalizer(name, async ({ object, key }) => {
          seen.push(`clean up ${object.spec.secret}`)
          expect((await client.get(games, key))?.metadata?.finalizers).toEqual([name])
        })
        .reconcile(async ({ key }) => {
          seen.push('reconcile')
          expect((await client.get(games, key))?.metadata?.finalizers).toEqual([name])
        })
      await start(game('chess', 'red'))
      await after(client.patch(games, at('chess'), { spec: { secret: 'blue' } }))
      await after(client.delete(games, at('chess')))
      expect(seen).toEqual(['reconcile', 'reconcile', 'clean up blue'])
      expect(await client.get(games, at('chess'))).toBeUndefined()
    }))

  it('stays while the clean-up fails, or wants to run again', () =>
    inArcade(async ({ client, forGames, start, simulation }) => {
      let times = 0
      forGames()
        .finalizer(name, () => {
          times += 1
          if (times < 3) throw new Error('the DNS does not answer')
          return times < 5 ? { requeueAfterMs: 60_000 } : undefined
        })
        .reconcile(() => {})
      await start('chess')
      await client.delete(games, at('chess'))
      await simulation.advance(30_000)
      expect([times, (await client.get(games, at('chess')))?.metadata?.finalizers]).toEqual([3, [name]])
      await simulation.advance(120_000)
      expect([times, await client.get(games, at('chess'))]).toEqual([5, undefined])
    }))

  it('is not put on an object that is being deleted for others, which is left alone', () =>
    inArcade(async ({ client, forGames, start, after }) => {
      const { metadata, ...rest } = game('chess')
      await client.create(games, { ...rest, metadata: { ...metadata, finalizers: ['x.io/other'] } })
      await client.delete(games, at('chess'))
      const runs: string[] = []
      forGames()
        .finalizer(name, () => void runs.push('clean up'))
        .reconcile(() => void runs.push('reconcile'))
      await start()
      expect(runs).toEqual([])
      expect((await client.get(games, at('chess')))?.metadata?.finalizers).toEqual(['x.io/other'])
      await after(client.patch(games, at('chess'), { metadata: { finalizers: null } }))
      expect(runs).toEqual([])
    }))

  it('reports no failure if the object is deleted or gone before it could be put on', () =>
    inArcade(async ({ client, forGames, start, simulation, server }) => {
      const runs: string[] = []
      forGames()
        .finalizer(name, () => void runs.push('clean up'))
        .reconcile(({ key }) => void runs.push(key.name))
      await start()
      // So long it reads the object again and patches it again.
      const match = { verb: 'patch', resource: 'games.arcade.example.com' } as const
      const refused = { kind: 'status', code: 409, reason: 'Conflict' } as const
      const conflicts = await server.faults.add({ match, times: 5, effect: refused })
      await client.create(games, game('chess'))
      await simulation.advance(30)
      expect(await conflicts.hits()).toBeGreaterThan(0)
      await client.delete(games, at('chess'))
      await simulation.advance(30_000)
      expect(runs).toEqual([])
      expect(simulation.environment.errors).toEqual([])
    }))

  it('X6: is one, with a name and a clean-up, for a view with whole metadata', () =>
    inArcade(async ({ operator, forGames }) => {
      const cleanup = (): void => {}
      expect(() => forGames('a').finalizer(7 as never, cleanup)).toThrow('finalizer')
      expect(() => forGames('b').finalizer(name, 'no' as never)).toThrow('finalizer.cleanup')
      expect(() => forGames('c').finalizer(name, cleanup).finalizer('x.io/y', cleanup)).toThrow(
        'has a finalizer already',
      )
      const bare = configMaps.project('bare', ({ metadata }) => ({ metadata }))
      expect(() => operator.controller('d').for(bare).finalizer(name, cleanup)).toThrow('whole metadata')
    }))
})
