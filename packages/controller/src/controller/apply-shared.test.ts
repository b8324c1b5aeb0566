import { sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'

const at = (name: string) => ({ name, namespace: 'default' })

it('server-side apply of what is there already is not sent at each change of another manager', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const desired = { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }
        await apply(ours, desired, { owner: false, mode: 'apply', fieldManager: 'us', force: true })
      })
    await client.create(games, game('chess'))
    run()
    await operator.settled()
    await server.resetStats()
    for (let i = 0; i < 600; i++) {
      await client.patch(configMaps, at('made'), { data: { beat: `${i}` } }, { fieldManager: 'other' })
      await sleep(simulation.clock, 100)
    }
    const { byVerb } = await server.stats()
    // One, to learn that the rest is another's, beside theirs.
    expect(byVerb.patch?.configmaps?.requests).toBe(601)
  }))

it('of thirty keys that each apply a field of one object only those send anything that have changed', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const name = object.metadata.name ?? ''
        const desired = { metadata: { name: 'all' }, data: { [name]: object.spec.title ?? '' } }
        await apply(ours, desired, { owner: false, mode: 'apply', fieldManager: `game-${name}`, force: true })
      })
    const names = Array.from({ length: 30 }, (_, i) => `g${i}`)
    for (const name of names) await client.create(games, game(name))
    run()
    await operator.settled()
    await server.resetStats()
    for (const name of names) {
      await client.patch(games, at(name), { spec: { title: 'x' } })
      await simulation.advance(1000)
    }
    await simulation.advance(10_000)
    const { byVerb } = await server.stats()
    expect(byVerb.patch?.configmaps?.requests).toBeLessThan(100)
  }))
