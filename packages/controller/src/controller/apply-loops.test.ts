import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const labels = { 'app.kubernetes.io/managed-by': 'game' }

it.each([
  ['403', 403],
  ['500', 500],
])('X8: a reconcile that notes on the object that its apply was refused (%s), and caught: comes to rest', (_, code) =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    await server.faults.add({
      match: { verb: 'update', resource: 'configmaps' },
      effect: { kind: 'status', code, reason: 'Forbidden' },
    })
    let runs = 0
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object, client: own }) => {
        runs += 1
        if (runs > 500) return
        try {
          await apply(ours, { metadata: { name: 'made' }, data: { title: object.spec.title ?? '' } }, { owner: false })
        } catch {
          await own.patch(configMaps, at('made'), { metadata: { annotations: { checked: `${runs}` } } })
        }
      })
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    await simulation.advance(60_000)
    const { byVerb } = await server.stats()
    expect([runs, byVerb.update?.configmaps?.requests, byVerb.patch?.configmaps?.requests]).toEqual([
      expect.toSatisfy(n => n < 60),
      expect.toSatisfy(n => n < 60),
      expect.toSatisfy(n => n < 60),
    ])
  }),
)

it('H6: mode apply: keys that each have a field of one object, and all want another thing each minute, never wait', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    const held: string[] = []
    let round = 0
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const name = object.metadata.name ?? ''
        const desired = { metadata: { name: 'all' }, data: { [name]: object.spec.title ?? '' } }
        const applied = await apply(ours, desired, {
          owner: false,
          mode: 'apply',
          fieldManager: `game-${name}`,
          force: true,
        })
        if (applied.reason === 'differs' && applied.writes.length === 0) held.push(`${round} ${name}`)
      })
    for (const name of ['a', 'b']) await client.create(games, game(name))
    run()
    await operator.settled()
    for (round = 1; round <= 30; round++) {
      for (const name of ['a', 'b']) await client.patch(games, at(name), { spec: { title: `v${round}` } })
      await simulation.advance(60_000)
    }
    expect(held).toEqual([])
  }))
