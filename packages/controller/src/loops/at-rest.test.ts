import { Client } from '@wherry/client'
import { setUpApiServer } from '@wherry/testing/vitest'
import { expect, it } from 'vitest'
import { Operator } from '../operator/operator.ts'
import { defineGames, game, games } from '../operator/testkit/games.ts'

const cluster = setUpApiServer({ time: 'simulated' })

it('C24: setUpApiServer reports an operator that does not come to rest, with the object and the field that it writes', () =>
  cluster.simulation.run(async () => {
    cluster.expectError(/does not come to rest: its runs write what makes it run, spec\.lives of .*\/chess/)
    const admin = cluster.closeAfterTest(new Client(cluster.admin))
    await defineGames(admin)
    const operator = cluster.closeAfterTest(
      new Operator({ name: 'arcade', client: cluster.closeAfterTest(new Client(cluster.operator)) }),
    )
    let runs = 0
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ object, key, client }) => {
        runs += 1
        await client.patch(games, key, { spec: { lives: (object.spec.lives ?? 0) + 1 } })
      })
    void operator.run({ signals: false })
    await admin.create(games, { ...game('chess'), metadata: { name: 'chess', namespace: cluster.namespace } })
    while (runs < 20) await cluster.simulation.advance(10)
    expect(runs).toBeGreaterThanOrEqual(20)
  }))

it('C24: and says nothing of one at rest', () =>
  cluster.simulation.run(async () => {
    const admin = cluster.closeAfterTest(new Client(cluster.admin))
    await defineGames(admin)
    const operator = cluster.closeAfterTest(
      new Operator({ name: 'arcade', client: cluster.closeAfterTest(new Client(cluster.operator)) }),
    )
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ object, key, client }) => {
        const { lives = 0 } = object.spec
        if (lives < 30) await client.patch(games, key, { spec: { lives: lives + 1 } })
      })
    void operator.run({ signals: false })
    await admin.create(games, { ...game('chess'), metadata: { name: 'chess', namespace: cluster.namespace } })
    await operator.settled()
  }))
