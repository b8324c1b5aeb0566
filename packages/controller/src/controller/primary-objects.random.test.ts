import { Client, isAlreadyExists, isServerError } from '@wherry/client'
import { isConnectionError } from '@wherry/client/internal'
import { chance, type FaultRule, forEachSeed, integer } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { Operator } from '../operator/operator.ts'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { at, game, games } from '../operator/testkit/games.ts'
import { MachineProvider } from '../operator/testkit/machines.ts'

const resource = 'games.arcade.example.com'
/** What makes the operator's informer late, or its writes slow or unanswered. Nothing refuses a write. */
const troubles: readonly FaultRule[] = [
  { match: { verb: 'watch', resource }, effect: { kind: 'slow', bytesPerSecond: 2000 } },
  { match: { verb: 'watch', resource }, effect: { kind: 'break', afterBytes: 700 }, times: 3 },
  { match: { verb: 'watch', resource }, effect: { kind: 'expired' }, times: 2 },
  { match: { verb: 'patch', resource, subresource: 'status' }, effect: { kind: 'delay', ms: 300 } },
  { match: { verb: 'patch', resource }, effect: { kind: 'drop', after: true }, times: 3 },
  { match: { verb: 'list', resource, name: 'chess' }, effect: { kind: 'status', code: 500 }, times: 2 },
]

describe('the primary object of a reconcile', () => {
  it('A8: has what this process wrote, so that each of fifty games gets one machine, however slow its status is', () =>
    inArcade(async ({ operator, client, server, run, forGames }) => {
      const provider = new MachineProvider()
      provider.provideBy(forGames('machines', { concurrency: 5 }), true)
      const match = { verb: 'watch', resource }
      await server.faults.add({ match, effect: { kind: 'slow', bytesPerSecond: 3000 } })
      const names = Array.from({ length: 50 }, (_, i) => `g${i}`)
      for (const name of names) await client.create(games, game(name))
      run()
      await operator.settled({ timeoutMs: 600_000 })
      expect([...provider.made.values()]).toEqual(names.map(() => 1))
      for (const name of names) await client.delete(games, at(name))
      await operator.settled({ timeoutMs: 600_000 })
      expect([...provider.cleanedUp.values()]).toEqual(names.map(() => 1))
      expect(await client.list(games)).toMatchObject({ items: [] })
    }))

  it('A8: that this process removed is not reconciled, though its last answer has the version of before', () =>
    inArcade(async ({ client, server, simulation, forGames, start }) => {
      const seen: string[] = []
      forGames().reconcile(async ({ object, key, client: own }) => {
        const { deletionTimestamp, finalizers = [] } = object.metadata
        seen.push(`${deletionTimestamp === undefined ? 'alive' : 'going'} ${finalizers.length}`)
        if (deletionTimestamp === undefined) return
        await own.patch(games, key, { metadata: { finalizers: null } })
        return { requeueAfterMs: 10 }
      })
      const { metadata, ...rest } = game('chess')
      await client.create(games, { ...rest, metadata: { ...metadata, finalizers: ['x.io/y'] } })
      await start()
      await server.faults.add({ match: { verb: 'watch', resource }, effect: { kind: 'slow', bytesPerSecond: 300 } })
      await server.breakConnections()
      await insist(() => client.delete(games, at('chess')))
      await simulation.advance(60_000)
      expect(seen).toEqual(['alive 1', 'going 1'])
    }))

  it('A8: is read from the server after an answer was lost, and its key backs off while that fails', () =>
    inArcade(async ({ client, server, run, simulation, forGames }) => {
      const seen: (string | undefined)[] = []
      forGames().reconcile(async ({ object, key, client: own }) => {
        seen.push(object.status?.phase)
        if (object.status?.phase === undefined) await own.status.patch(games, key, { status: { phase: 'made' } })
      })
      await client.create(games, game('chess'))
      const lost: FaultRule = { match: { verb: 'patch', resource }, effect: { kind: 'drop', after: true }, times: 1 }
      await server.faults.add(lost)
      // The event does not come either.
      await server.faults.add({ match: { verb: 'watch', resource }, effect: { kind: 'hang', afterBytes: 900 } })
      const get: FaultRule = {
        match: { verb: 'list', resource, name: 'chess' },
        effect: { kind: 'status', code: 500 },
        times: 3,
      }
      const failing = await server.faults.add(get)
      run()
      await simulation.advance(60_000)
      expect(await failing.hits()).toBe(3)
      expect(seen).toEqual([undefined, 'made'])
    }))

  it('A8: is made and cleaned up for once, whatever holds up the watch and loses answers', async () => {
    const seeds = 250
    await forEachSeed(seed => inArcade({ seed }, round), { seeds })
  })

  it('A8: is as new as what another leader wrote before this one', async () => {
    await forEachSeed(seed => inArcade({ seed }, handover), { seeds: 40 })
  })
})

async function round(arcade: Arcade): Promise<void> {
  const { operator, client, server, run, simulation, forGames } = arcade
  const { random } = simulation.environment
  const provider = new MachineProvider()
  // A person's connection is another one: where it breaks, no write of the operator is lost on its way.
  const person = client.withOwnConnections()
  provider.provideBy(forGames('machines'), chance(random, 0.5))
  for (const rule of troubles) if (chance(random, 0.5)) await server.faults.add(rule)
  const names = ['a', 'b'].slice(0, integer(random, 1, 2))
  run()
  for (const name of names) {
    await insist(() => person.create(games, game(name)))
    await simulation.advance(integer(random, 0, 400))
    const touched = { metadata: { labels: { touched: 'yes' } } }
    if (chance(random, 0.5)) await insist(() => person.patch(games, at(name), touched))
  }
  if (chance(random, 0.5)) await operator.settled({ timeoutMs: 600_000 })
  for (const name of names) {
    await insist(() => person.delete(games, at(name)))
    await simulation.advance(integer(random, 0, 400))
  }
  await operator.settled({ timeoutMs: 600_000 })
  await person.close()
  await expectOnce(client, provider)
}

/** One of two processes of an operator that elect a leader. */
async function replica({ server, simulation }: Arcade, identity: string, reconcile: MachineProvider['reconcile']) {
  const { environment } = simulation
  const transport = server.transport({ random: simulation.random.fork(identity) })
  const client = new Client({ url: server.url, token: server.token, transport, environment })
  const operator = new Operator({ name: 'arcade', client, leader: { identity, namespace: 'default' } })
  operator.controller('machines').for(games).reconcile(reconcile)
  const stop = new AbortController()
  const running = operator.run({ signal: stop.signal, signals: false }).catch(error => error)
  return {
    controls: transport.controls,
    end: async (): Promise<void> => {
      stop.abort(new Error('enough'))
      await running
      await operator.close()
      await client.close()
    },
  }
}

async function handover(arcade: Arcade): Promise<void> {
  const { client, server, simulation } = arcade
  const { random } = simulation.environment
  const provider = new MachineProvider()
  const gate = Promise.withResolvers<void>()
  const first = await replica(arcade, 'first', async context => {
    await gate.promise
    return provider.reconcile(context)
  })
  await simulation.advance(3000)
  const second = await replica(arcade, 'second', provider.reconcile)
  for (const name of ['a', 'b', 'c']) await client.create(games, game(name))
  await simulation.advance(5000)
  // The second process receives no events of games for a while.
  await server.faults.add({ match: { verb: 'watch', resource }, effect: { kind: 'hang' }, times: 1 })
  for (const connection of second.controls.connections()) second.controls.kill(connection)
  await simulation.advance(3000)
  gate.resolve()
  await simulation.advance(integer(random, 100, 500))
  await first.end()
  await simulation.advance(120_000)
  expect([...provider.made.values()]).toEqual([1, 1, 1])
  await second.end()
}

/** What a person does when the connection breaks. */
async function insist(call: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await call()
      return
    } catch (error) {
      if (isAlreadyExists(error)) return
      if (!isConnectionError(error) && !isServerError(error)) throw error
    }
  }
}

async function expectOnce(client: Client, { made, cleanedUp }: MachineProvider): Promise<void> {
  expect(await client.list(games)).toMatchObject({ items: [] })
  for (const [uid, times] of [...made, ...cleanedUp]) expect([uid, times]).toEqual([uid, 1])
  expect([...cleanedUp.keys()].sort()).toEqual(expect.arrayContaining([...made.keys()].sort()))
}
