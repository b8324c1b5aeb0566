import { sleep } from '@wherry/client'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games } from '../operator/testkit/games.ts'
import { refuseCreates } from './testkit/refusals.ts'
import { applyTitle, beat } from './testkit/titles.ts'

const at = (name: string) => ({ name, namespace: 'default' })

it('X8: a create that is refused is sent thirty times, then each few seconds, however often the primary changes', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await server.faults.add(refuseCreates('exceeded quota'))
    applyTitle(operator)
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    await beat({ client, simulation }, 600, 100)
    const { byVerb } = await server.stats()
    expect([byVerb.create?.configmaps?.requests, simulation.environment.errors.length]).toEqual([
      expect.toSatisfy(n => n < 50),
      expect.toSatisfy(n => n < 50),
    ])
  }))

it('X8: what the view hides is not created anew at each change of the primary', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: at('made') })
    applyTitle(operator)
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    await beat({ client, simulation }, 600, 100)
    const { byVerb } = await server.stats()
    expect([byVerb.create?.configmaps?.requests, simulation.environment.errors.length]).toEqual([
      expect.toSatisfy(n => n < 60),
      expect.toSatisfy(n => n < 60),
    ])
  }))

it('H6: what is deleted again and again is made anew once a second after thirty times', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    applyTitle(operator)
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

it('X8: what a namespace lacked is created when the namespace is there, which the reconcile reads', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, read }) => {
        await read.get(namespaces, { name: 'team' })
        await apply(configMaps, { metadata: { name: 'made', namespace: 'team' }, data: { a: 'b' } }, { owner: false })
      })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(400_000)
    await client.create(namespaces, { metadata: { name: 'team' } })
    await simulation.advance(5000)
    expect(await client.get(configMaps, { name: 'made', namespace: 'team' })).toBeDefined()
  }))

it('C2: a primary that is made anew is not refused what the one before was', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    const fault = await server.faults.add(refuseCreates())
    applyTitle(operator, { owner: false })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(200_000)
    await fault.remove()
    await client.delete(games, at('chess'))
    await simulation.advance(100)
    await client.create(games, game('chess'))
    await simulation.advance(5000)
    expect(await client.get(configMaps, at('made'))).toBeDefined()
  }))

it('C2: the first runs of a primary that is made anew are told of what they are refused', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await server.faults.add(refuseCreates())
    applyTitle(operator, { owner: false })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(200_000)
    await client.delete(games, at('chess'))
    await simulation.advance(100)
    const before = simulation.environment.errors.length
    await client.create(games, game('chess'))
    await simulation.advance(5000)
    expect(simulation.environment.errors.length).toBeGreaterThan(before)
  }))

it('C16: what the view hid for long and that goes is created within seconds', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: at('made') })
    applyTitle(operator)
    await client.create(games, game('chess'))
    run()
    await simulation.advance(200_000)
    await client.delete(configMaps, at('made'))
    await simulation.advance(6000)
    expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
  }))
