import { Client, type View } from '@wherry/client'
import { isConnectionError } from '@wherry/client/internal'
import { type Secret, secrets } from '@wherry/client/resources/core'
import { chance, choose, type FaultRule, forEachSeed, integer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { Operator } from '../operator/operator.ts'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { at, game, games } from '../operator/testkit/games.ts'

const name = 'chess-password'
const labels = { app: 'arcade' }
/** How an operator may look at its Secrets, from one version of it to the next. */
const views: readonly View<Secret, 'namespaced'>[] = [
  secrets,
  secrets.within({ namespaces: ['default'] }),
  secrets.within({ labels }),
  secrets.within({ labels: { kind: 'password' } }),
]
const troubles: readonly FaultRule[] = [
  { match: { verb: 'patch', resource: 'secrets' }, effect: { kind: 'drop', after: true }, times: 2 },
  { match: { verb: 'patch', resource: 'secrets' }, effect: { kind: 'drop' }, times: 2 },
  { match: { verb: 'patch', resource: 'secrets' }, effect: { kind: 'delay', ms: 3000 }, times: 2 },
  { match: { verb: 'list', resource: 'secrets' }, effect: { kind: 'status', code: 500 }, times: 3 },
  { match: { verb: 'watch', resource: 'secrets', name }, effect: { kind: 'hang' }, times: 1 },
]

it('A10: a generated password has one value, through twenty restarts, two operators, lost answers and labels that are taken off', async () => {
  await forEachSeed(seed => inArcade({ seed }, round), { seeds: 50 })
})

async function round(arcade: Arcade): Promise<void> {
  const { client, server, simulation } = arcade
  const { random } = simulation.environment
  // Each state that the server ever had.
  const values = new Set<string | undefined>()
  const person = client.withOwnConnections()
  const received = person.watchEach(secrets.within({ namespaces: ['default'] }), {
    event: (_, { data }) => values.add(data?.password),
    end: () => {},
  })
  let drawn = 0
  const isOnlyData = chance(random, 0.5)
  const start = (replica: number) => {
    const transport = server.transport({ random: simulation.random.fork(`${replica} ${drawn}`) })
    const own = new Client({ url: server.url, token: server.token, transport, environment: simulation.environment })
    const operator = new Operator({ name: 'arcade', client: own })
    const view = choose(random, views)
    const controller = operator.controller('game').for(games)
    if (chance(random, 0.5)) controller.owns(view)
    controller.reconcile(async ({ object, apply }) => {
      drawn += 1
      const stringData = { password: `${drawn}` }
      if (isOnlyData) {
        // The rest of it follows the game.
        const metadata = { name, annotations: { title: object.spec.title ?? '' } }
        await apply(view, { metadata, stringData }, { once: ['data'] })
      } else await apply(view, { metadata: { name }, stringData }, { only: 'create' })
    })
    const running = operator.run({ signals: false }).catch(() => {})
    return async (): Promise<void> => {
      await operator.close()
      await running
      await own.close()
    }
  }
  for (const rule of troubles) if (chance(random, 0.4)) await server.faults.add(rule)
  const replicas = [start(0), start(1)]
  await person.create(games, game('chess'))
  for (let restart = 0; restart < 20; restart++) {
    await simulation.advance(integer(random, 0, 2000))
    if (chance(random, 0.3)) await relabel(person, choose(random, [null, 'arcade', 'other']))
    if (chance(random, 0.5)) await person.patch(games, at('chess'), { spec: { title: `${restart}` } })
    const replica = integer(random, 0, 1)
    await replicas[replica]?.()
    replicas[replica] = start(replica)
  }
  await server.faults.clear()
  await simulation.advance(120_000)
  for (const stop of replicas) await stop()
  const made = await person.get(secrets, at(name))
  received.abort()
  await person.close()
  expect([...values]).toEqual([made?.data?.password])
  expect(made?.data?.password).toBeDefined()
}

/** A person changes the labels, if the Secret is there by now. */
async function relabel(person: Client, app: string | null): Promise<void> {
  if ((await person.get(secrets, at(name))) === undefined) return
  // Its answer may be lost as well.
  await person.patch(secrets, at(name), { metadata: { labels: { app } } }).catch(error => {
    if (!isConnectionError(error)) throw error
  })
}
