import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'

const at = (name: string) => ({ name, namespace: 'default' })

describe('what is desired', () => {
  it('H6: goes to and fro, and is no flapping where nobody else touches the object', () =>
    inArcade(async ({ operator, client, run, simulation }) => {
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } })
        })
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
      operator
        .controller('game')
        .for(games)
        .reconcile(async ({ apply, object }) => {
          await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } })
        })
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
