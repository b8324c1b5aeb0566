import { sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import { beat } from './testkit/titles.ts'

/** The write is done, and its answer lost, while the watches go on. */
const lost = { match: { verb: 'update', resource: 'configmaps' }, effect: { kind: 'rst' } } as const

const made = { metadata: { name: 'made' } }
const updates = async ({ server }: Arcade): Promise<number> =>
  (await server.stats()).byVerb.update?.configmaps?.requests ?? 0

it.each([true, false])(
  'H6, X8: parts of a reconcile that undo each other do not hammer, where the answers to writes are lost (heeded: %s)',
  isHeeded =>
    inArcade(async arcade => {
      const { client, server, operator, run, simulation } = arcade
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply }) => {
          for (const title of ['a', 'b']) {
            const applied = apply(ours, { ...made, data: { title } }, { owner: false })
            await (isHeeded ? applied : applied.catch(() => {}))
          }
        })
      await client.create(games, game('chess'))
      await server.faults.add(lost)
      run()
      await server.resetStats()
      await simulation.advance(5000)
      expect(await updates(arcade)).toBeLessThan(80)
    }),
)

it.each([true, false])(
  'H6, X8: what somebody else undoes each time is not written each time, where the answers are lost (heeded: %s)',
  isHeeded =>
    inArcade(async arcade => {
      const { client, server, operator, run, simulation } = arcade
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply }) => {
          const applied = apply(ours, { ...made, data: { title: 'ours' } }, { owner: false })
          await (isHeeded ? applied : applied.catch(() => {}))
        })
      operator
        .controller('other')
        .for(configMaps)
        .reconcile(async ({ key, object }) => {
          if (object.data?.title === 'ours') await client.patch(configMaps, key, { data: { title: 'theirs' } })
        })
      await client.create(games, game('chess'))
      await server.faults.add(lost)
      run()
      await server.resetStats()
      await simulation.advance(5000)
      expect(await updates(arcade)).toBeLessThan(80)
    }),
)

it('H6, X8: what is given up before it is answered does not hammer', () =>
  inArcade(async arcade => {
    const { client, server, operator, run, simulation } = arcade
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, read }) => {
        await read.get(ours, { name: 'made' })
        for (const title of ['a', 'b']) {
          const given = new AbortController()
          const timer = simulation.clock.timer(50, () => given.abort(new Error('given up')))
          await apply(ours, { ...made, data: { title } }, { owner: false, signal: given.signal }).catch(() => {})
          timer.cancel()
        }
      })
    await client.create(games, game('chess'))
    await server.faults.add({ ...lost, effect: { kind: 'hang' } })
    run()
    await server.resetStats()
    await simulation.advance(60_000)
    expect(await updates(arcade)).toBeLessThan(200)
  }))

it('X8: what had no answer is told once of a write that waits, however often the primary changes', () =>
  inArcade(async arcade => {
    const { client, server, operator, run, simulation } = arcade
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply }) => {
        for (const title of ['a', 'b']) await apply(ours, { ...made, data: { title } }, { owner: false })
      })
    await client.create(games, game('chess'))
    await server.faults.add(lost)
    run()
    await beat(arcade, 600, 100)
    expect([await updates(arcade), simulation.environment.errors.length]).toEqual([
      expect.toSatisfy(n => n < 90),
      expect.toSatisfy(n => n < 90),
    ])
  }))

it('X9: a run that took no time is not told to have taken too long, since others before it have', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    let late = 0
    const wrong: string[] = []
    operator
      .controller('game', { reconcileTimeoutMs: 50 })
      .for(games)
      .reconcile(async ({ apply, object, signal }) => {
        signal.addEventListener('abort', () => {
          late += 1
        })
        try {
          await apply(ours, { ...made, data: { title: object.spec.title ?? '' } }, { owner: false })
        } catch (error) {
          if (!signal.aborted) wrong.push((error as Error).name)
          throw error
        }
      })
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    await server.faults.add({ match: { verb: 'update', resource: 'configmaps' }, effect: { kind: 'hang' } })
    for (let i = 0; i < 60; i++) {
      await client.patch(games, { name: 'chess', namespace: 'default' }, { spec: { title: `t${i}` } })
      await sleep(simulation.clock, 100)
    }
    const told = simulation.environment.errors.filter(({ error }) => error.name === 'ReconcileTimeoutError').length
    expect([wrong, told]).toEqual([[], late])
  }))
