import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { at, game, games, ours } from '../operator/testkit/games.ts'
import type { DesiredOptions } from './options.ts'
import { type Creation, UnseenCreations } from './unseen-creations.ts'

describe('an object that goes before any informer has seen it', () => {
  it.each([
    ['an owned one', 'owns', {}],
    ['one with changes that a predicate drops', 'predicate', {}],
    ['one without an owner', 'none', { owner: false }],
    ['one of a declared view', 'caches', { owner: false }],
  ] as const)('C4: %s is made again', (_, how, options: DesiredOptions) =>
    inArcade(async ({ client, forGames, operator, start, server, simulation, transport }) => {
      const builder = forGames()
      if (how === 'owns') builder.owns(ours)
      if (how === 'predicate') builder.owns(ours).withPredicates(() => false)
      if (how === 'caches') builder.caches(ours)
      let runs = 0
      builder.reconcile(async ({ apply, object }) => {
        runs += 1
        await apply(ours, { metadata: { name: `${object.metadata.name}-made` }, data: { title: 'x' } }, options)
      })
      await start('go')
      const match = { verb: 'watch', resource: 'configmaps' }
      const hung = await server.faults.add({ match, effect: { kind: 'hang', afterBytes: 0 } })
      await server.endWatches()
      await client.create(games, game('chess'))
      await simulation.advance(5000)
      expect(runs).toBe(2)
      await client.delete(configMaps, at('chess-made'))
      await server.expireWatchCaches()
      await hung.remove()
      for (const one of transport.controls.connections()) transport.controls.kill(one)
      await simulation.advance(180_000)
      expect((await client.get(configMaps, at('chess-made')))?.data).toEqual({ title: 'x' })
      const before = runs
      await simulation.advance(600_000)
      await operator.settled()
      expect(runs).toBe(before)
    }),
  )
})

describe('created objects', () => {
  const creation = (key: string, isShown: boolean): Creation => ({
    ...{ view: configMaps as never, key, by: 'k' },
    isShown: () => isShown,
  })

  it('C4: are looked at once, each when its minute has passed, with one timer', () => {
    let now = 0
    const timers: { readonly due: number; readonly fn: () => void }[] = []
    const clock = {
      monotonic: () => now,
      timer: (ms: number, fn: () => void) => {
        timers.push({ due: now + ms, fn })
        return { cancel: () => void timers.splice(0) }
      },
    }
    const lost: string[] = []
    const unseen = new UnseenCreations(clock as never, ({ key }) => lost.push(key))
    unseen.note('a', creation('a', false))
    unseen.note('b', creation('b', true))
    now = 1000
    unseen.note('c', creation('c', false))
    expect(timers.map(({ due }) => due)).toEqual([65_000])
    now = 65_000
    timers.shift()?.fn()
    expect([lost, timers.map(({ due }) => due)]).toEqual([['a'], [66_000]])
    now = 66_000
    timers.shift()?.fn()
    expect([lost, timers]).toEqual([['a', 'c'], []])
    for (let i = 0; i <= 10_000; i++) unseen.note(`${i}`, creation(`${i}`, false))
    expect([lost.at(-1), timers.length]).toEqual(['0', 1])
    unseen.close()
    expect(timers).toEqual([])
  })
})
