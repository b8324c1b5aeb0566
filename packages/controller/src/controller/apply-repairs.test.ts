import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import { applyTitle } from './testkit/titles.ts'

const at = (name: string) => ({ name, namespace: 'default' })

describe('what is desired', () => {
  it('H6: goes to and fro, and is no flapping where nobody else touches the object', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      applyTitle(operator)
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      const wrong: string[] = []
      for (let i = 0; i < 24; i++) {
        const title = i % 2 === 0 ? 'on' : 'off'
        await client.patch(games, at('chess'), { spec: { title } })
        await simulation.advance(60_000)
        const now = (await client.get(configMaps, at('made')))?.data?.title
        if (now !== title) wrong.push(`${i}: ${now}`)
      }
      expect([wrong, simulation.environment.errors.map(({ error }) => error.message)]).toEqual([[], []])
    }))

  it('H6: is no flapping within seconds either', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      applyTitle(operator)
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      const wrong: string[] = []
      for (let i = 0; i < 20; i++) {
        const title = i % 2 === 0 ? 'on' : 'off'
        await client.patch(games, at('chess'), { spec: { title } })
        await operator.settled()
        const now = (await client.get(configMaps, at('made')))?.data?.title
        if (now !== title) wrong.push(`${i}: ${now}`)
        await simulation.advance(5000)
      }
      expect([wrong, simulation.environment.errors.map(({ error }) => error.message)]).toEqual([[], []])
    }))
})

describe('an object that is written again and again', () => {
  it('H6: applied in two steps by a run, is damped', () =>
    inArcade(async arcade => {
      const { client, operator, run, server, simulation } = arcade
      await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
      operator
        .controller('source')
        .for(configMaps.within({ labels: { source: 'yes' } }))
        .reconcile(async ({ apply }) => {
          const spec = { title: 'Ours', secret: 'x', lives: 3 }
          await apply(games, { metadata: { name: 'made' }, spec })
          await apply(games, { metadata: { name: 'made' }, spec, status: { phase: 'On' } })
        })
      run()
      await operator.settled()
      await server.resetStats()
      for (let i = 0; i < 300; i++) {
        await client.patch(games, at('made'), { spec: { title: `Theirs ${i}` } })
        await client.status.patch(games, at('made'), { status: { phase: `Theirs ${i}` } })
        await simulation.advance(100)
      }
      const { byVerb } = await server.stats()
      expect([
        byVerb.update?.['games.arcade.example.com']?.requests,
        simulation.environment.errors.map(({ error }) => error.name),
      ]).toEqual([expect.toSatisfy(n => n < 20), expect.arrayContaining(['FlappingError'])])
    }))

  it('H6: by two parts of one reconcile that want it differently, is damped and told of', () =>
    inArcade(async ({ client, operator, run, server, simulation }) => {
      let runs = 0
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply }) => {
          runs += 1
          if (runs > 2000) return
          await apply(ours, { metadata: { name: 'made' }, data: { a: '1' } })
          await apply(ours, { metadata: { name: 'made' }, data: { b: '1' } })
        })
      await client.create(games, game('chess'))
      await server.resetStats()
      run()
      await simulation.advance(60_000)
      const { byVerb } = await server.stats()
      expect([
        byVerb.update?.configmaps?.requests,
        simulation.environment.errors.map(({ error }) => error.name),
      ]).toEqual([expect.toSatisfy(n => n < 100), ['FlappingError']])
    }))

  it('H6: what is desired follows from what was written, and never comes to rest: is damped and told of', () =>
    inArcade(async ({ client, operator, run, server, simulation }) => {
      let runs = 0
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, read }) => {
          runs += 1
          if (runs > 2000) return
          const there = await read.get(ours, { name: 'made' })
          await apply(ours, { metadata: { name: 'made' }, data: { on: there?.data?.on === 'yes' ? 'no' : 'yes' } })
        })
      await client.create(games, game('chess'))
      await server.resetStats()
      run()
      await simulation.advance(60_000)
      const { byVerb } = await server.stats()
      expect([
        byVerb.update?.configmaps?.requests,
        simulation.environment.errors.map(({ error }) => error.name),
      ]).toEqual([expect.toSatisfy(n => n < 100), ['FlappingError']])
    }))

  it('H6: the fourth repair within 10 minutes waits, also where the object was there when the operator began', () =>
    inArcade(async ({ client, operator, run, simulation }) => {
      const labels = { 'app.kubernetes.io/managed-by': 'game' }
      await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
      const writes: number[] = []
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          const applied = await apply(
            ours,
            { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } },
            { owner: false },
          )
          if (applied.reason === 'differs') writes.push(applied.writes.length)
        })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(100)
      for (let i = 0; i < 3; i++) {
        await client.patch(configMaps, at('made'), { data: { title: `${i}` } })
        await simulation.advance(100)
      }
      expect(writes).toEqual([1, 1, 1, 0])
    }))

  it('H6: an object that flaps is told of once, and damped, also where what is desired changes now and then', () =>
    inArcade(async ({ client, operator, run, server, simulation }) => {
      applyTitle(operator)
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      await server.resetStats()
      for (let i = 0; i < 3000; i++) {
        // Such as an autoscaler that goes between two numbers every five seconds.
        if (i % 25 === 0) await client.patch(games, at('chess'), { spec: { title: i % 50 === 0 ? 'on' : 'off' } })
        await client.patch(configMaps, at('made'), { data: { title: `${i}` } })
        await simulation.advance(200)
      }
      const { byVerb } = await server.stats()
      expect([
        byVerb.update?.configmaps?.requests,
        simulation.environment.errors.map(({ error }) => error.name).length,
      ]).toEqual([expect.toSatisfy(n => n < 100), expect.toSatisfy(n => n <= 2)])
    }))
})

it('H6: what was learned of an object is known after a run that did not come to it', () =>
  inArcade(async ({ client, operator, run, server }) => {
    const sources = configMaps.within({ labels: { source: 'yes' } })
    const writes: string[][] = []
    operator
      .controller('source')
      .for(sources)
      .reconcile(async ({ apply, object }) => {
        // Such as: it is paused, or waits for something.
        if (object.data?.paused === 'yes') return
        // The server defaults `lives`.
        writes.push([...(await apply(games, { metadata: { name: 'job' }, spec: { secret: 'x' } })).writes])
      })
    await client.create(configMaps, { metadata: { ...at('a'), labels: { source: 'yes' } } })
    run()
    await operator.settled()
    await server.resetStats()
    for (const paused of ['yes', 'no', 'yes', 'no', 'yes', 'no']) {
      await client.patch(configMaps, at('a'), { data: { paused } })
      await operator.settled()
    }
    const { byVerb } = await server.stats()
    expect([writes, byVerb.update?.['games.arcade.example.com']?.requests ?? 0]).toEqual([[['create'], [], [], []], 0])
  }))
