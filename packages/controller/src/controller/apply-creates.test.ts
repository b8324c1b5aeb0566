import { sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'

const at = (name: string) => ({ name, namespace: 'default' })

it('X8: a create that is refused is sent three times, then ever later, and told once, however often the primary changes', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await server.faults.add({
      match: { verb: 'create', resource: 'configmaps' },
      effect: { kind: 'status', code: 403, reason: 'Forbidden', message: 'exceeded quota' },
    })
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } })
      })
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    for (let i = 0; i < 600; i++) {
      await client.status.patch(games, at('chess'), { status: { phase: `${i}` } })
      await sleep(simulation.clock, 100)
    }
    const { byVerb } = await server.stats()
    expect([byVerb.create?.configmaps?.requests, simulation.environment.errors.length]).toEqual([
      expect.toSatisfy(n => n < 40),
      expect.toSatisfy(n => n < 40),
    ])
  }))

it('X8: what the view hides is not created anew at each change of the primary', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: at('made') })
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } })
      })
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    for (let i = 0; i < 600; i++) {
      await client.status.patch(games, at('chess'), { status: { phase: `${i}` } })
      await sleep(simulation.clock, 100)
    }
    const { byVerb } = await server.stats()
    expect([byVerb.create?.configmaps?.requests, simulation.environment.errors.length]).toEqual([
      expect.toSatisfy(n => n < 60),
      expect.toSatisfy(n => n < 60),
    ])
  }))

it('H6: what is deleted again and again is made anew once a second after thirty times', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } })
      })
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    for (let i = 0; i < 600; i++) {
      await client.delete(configMaps, at('made')).catch(() => {})
      await sleep(simulation.clock, 100)
    }
    const { byVerb } = await server.stats()
    expect(byVerb.create?.configmaps?.requests).toBeLessThan(100)
  }))
