import { Client } from '@wherry/client'
import { sleep } from '@wherry/client/internal'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { chance, checkReplay, choose, forEachSeed, integer, type Simulation, simulate } from '@wherry/testing'
import { expect, it } from 'vitest'
import { simulatedServer } from '../testkit.fixture.ts'
import { Operator } from './operator.ts'
import { at, defineGames, desiredConfig, game, games, ours, secret } from './testkit/games.ts'

const names = ['chess', 'go', 'draughts', 'hex']
const keys = ['red', 'blue', 'green']

/** An operator and its server, with faults and changes at random: at the end the world is as the objects say. */
async function world(simulation: Simulation): Promise<void> {
  const { clock, random, environment, trace } = simulation
  const server = await simulatedServer(simulation)
  const { url, token } = server
  const transport = server.transport({ random: random.fork('network') })
  const client = new Client({ url, token, transport, environment })
  const writer = new Client({ url, token, transport: server.transport({ random: random.fork('writer') }), environment })
  const operator = new Operator({ name: 'game', client, leader: { namespace: 'default', identity: 'us' } })
  operator
    .controller('game', { concurrency: 2 })
    .for(games)
    .owns(ours.metadata())
    .reconcile(async ({ object, read, apply, attempt, log, client: own, key }) => {
      log.info({ attempt }, `reconcile ${key.name}`)
      const found = await read.get(secrets, { name: object.spec.secret })
      if (found) await apply(ours, desiredConfig(object, found))
      else await own.delete(configMaps, at(`${key.name}-config`))
    })
  await defineGames(writer)
  const stop = new AbortController()
  const running = operator.run({ signal: stop.signal, signals: false })
  const own = random.fork('world')
  const faults = ['drop', 'break', 'rst', 'expired'] as const
  for (let step = 0; step < 40; step++) {
    const name = choose(own, names)
    const key = choose(own, keys)
    const what = integer(own, 0, 6)
    if (what === 0) await writer.create(games, game(name, key)).catch(() => {})
    if (what === 1) await writer.delete(games, at(name))
    if (what === 2) await writer.patch(games, at(name), { spec: { secret: key, title: `${step}` } }).catch(() => {})
    if (what === 3) await writer.create(secrets, secret(key, `${step}`)).catch(() => {})
    if (what === 4) await writer.delete(secrets, at(key))
    if (what === 5) await writer.patch(configMaps, at(`${name}-config`), { data: { title: 'by hand' } }).catch(() => {})
    if (what === 6) {
      const effect = { kind: choose(own, faults) }
      await server.faults.add({ match: { verb: choose(own, ['watch', 'update', 'create']) }, times: 1, effect })
    }
    if (chance(own, 0.5)) await sleep(clock, integer(own, 1, 3000))
  }
  await server.faults.clear()
  await operator.settled({ timeoutMs: 3_600_000 })
  for (const { metadata, spec } of (await writer.list(games)).items) {
    const key = await writer.get(secrets, at(spec.secret))
    const made = await writer.get(configMaps, at(`${metadata.name}-config`))
    expect(made?.data).toEqual(key === undefined ? undefined : desiredConfig({ metadata, spec }, key).data)
  }
  trace.add(`${operator.report()}`)
  stop.abort(new Error('enough'))
  await running
  await writer.close()
  await client.close()
  await server.close()
}

it('C5, X10: a whole operator and its server run from one seed, twice alike', async () => {
  for (const seed of [1, 2, 3]) await checkReplay(seed, world)
})

it('C2, C11, X10: whatever fails and changes on the way, the world is as the objects say in the end', async () => {
  await forEachSeed(
    async seed => {
      const simulation = simulate(seed)
      await simulation.run(() => world(simulation))
    },
    { seeds: 20 },
  )
})
