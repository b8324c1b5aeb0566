import type { Client, ObjectMeta } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { chance, choose, forEachSeed, integer, type Simulation } from '@wherry/testing'
import { expect, it } from 'vitest'
import { at, game, games } from '../operator/testkit/games.ts'
import { labelsOf } from './ring-names.ts'
import { type Member, RingOfMembers } from './testkit/ring-of-members.ts'
import { RunsOfMembers } from './testkit/runs-of-members.ts'

it('C7: whatever shards and networks do, no key is run by two shards at once, and none is forgotten', async () => {
  const seen = { drains: 0, moves: 0, takeovers: 0 }
  const count = await forEachSeed(seed => run(seed, seen), { seeds: 20 })
  // Nothing is proved if nothing moves.
  expect(seen.drains).toBeGreaterThan(count)
  expect(seen.takeovers).toBeGreaterThan(count)
})

const names = Array.from({ length: 10 }, (_, n) => `g${n}`)

async function run(seed: number, seen: { drains: number; moves: number; takeovers: number }): Promise<void> {
  const ring = await RingOfMembers.start(seed)
  const { simulation, writer } = ring
  const random = simulation.random.fork('test')
  const runs = new RunsOfMembers(ring)
  let made = 0
  const join = (): Member => runs.join(`m${++made}`)
  const living = (): Member[] => ring.members.filter(({ process, ended }) => !process.dead && ended === undefined)
  await simulation.run(async () => {
    for (const name of names) await writer.create(games, game(name))
    ring.sharder.start()
    while (made < 5) join()
    for (let step = 0; step < 20; step += 1) {
      await simulation.advance(choose(random, [200, 1500, 5000, 20_000]))
      const title = `title ${step}`
      // A fault may lose the answer.
      await writer.patch(games, at(choose(random, names)), { spec: { title } }).catch(() => {})
      if (chance(random, 0.7) && living().length > 0)
        await choose(random, troubles)(ring, choose(random, living()), integer(random, 100, 60_000))
      if (living().length < 5) join()
    }
    for (const member of living()) heal(member)
    await ring.server.faults.clear()
    const { shard, drain } = labelsOf('games')
    /** The objects that no living member has. */
    const unassigned = async (): Promise<string[]> => {
      if (living().length === 0) join()
      const { items } = await writer.list(games)
      const alive = living().map(({ name }) => name)
      const isAssigned = ({ labels = {} }: ObjectMeta): boolean =>
        alive.includes(labels[shard] ?? '') && labels[drain] === undefined
      return items.flatMap(({ metadata }) => (isAssigned(metadata) ? [] : [metadata.name]))
    }
    await emptyWithin(240_000, unassigned, simulation)
    for (const name of names) await writer.patch(games, at(name), { spec: { title: `last ${name}` } })
    // The shard that has an object writes its last state.
    await emptyWithin(90_000, () => untitled(writer), simulation)
    expect(await unassigned()).toEqual([])
    await runs.observe()
  })
  expect(runs.overlaps()).toEqual([])
  expect(runs.gone).toEqual([])
  expect(runs.accepted.length).toBeGreaterThan(30)
  seen.drains += ring.sharder.drains
  seen.moves += ring.sharder.moves
  seen.takeovers += runs.takeovers()
  await ring.close()
  // The timers of killed processes, the longest of their watches.
  await simulation.advance(900_000)
  expect(simulation.pending()).toEqual([])
}

it('C7: whatever processes that share objects by uid and networks do, also while their number changes, no key is run by two, and none is forgotten', async () => {
  const seen = { takeovers: 0, counts: 0 }
  const count = await forEachSeed(seed => runByUid(seed, seen), { seeds: 25 })
  expect(seen.takeovers).toBeGreaterThan(count)
  expect(seen.counts).toBeGreaterThan(0)
})

/** The processes of a StatefulSet that share objects by uid. Its rollouts replace them one by one, the last first. */
async function runByUid(seed: number, seen: { takeovers: number; counts: number }): Promise<void> {
  const ring = await RingOfMembers.start(seed, { shards: seed % 2 === 0 })
  const { simulation, writer } = ring
  const random = simulation.random.fork('test')
  const runs = new RunsOfMembers(ring)
  const pods = new Map<number, { readonly member: Member; readonly count: number }>()
  let made = 0
  let count = 3
  const isUp = (index: number): boolean => {
    const member = pods.get(index)?.member
    return member !== undefined && !member.process.dead && member.ended === undefined
  }
  const living = (): Member[] => [...pods].filter(([index]) => isUp(index)).map(([, { member }]) => member)
  /** Starts the missing ones. Until all are of the new number, the others are replaced one at a time. */
  const reconcile = (): void => {
    const outdated = [...pods].filter(([index, pod]) => isUp(index) && pod.count !== count).map(([index]) => index)
    if (outdated.length > 0) pods.get(Math.max(...outdated))?.member.stop()
    for (let index = 0; index < count; index += 1) {
      if (isUp(index)) continue
      made += 1
      pods.set(index, { member: runs.join(`m${made}`, { count, index, name: 'arcade' }), count })
    }
  }
  await simulation.run(async () => {
    for (const name of names) await writer.create(games, game(name))
    reconcile()
    for (let step = 0; step < 25; step += 1) {
      await simulation.advance(choose(random, [200, 1500, 5000, 20_000]))
      await writer.patch(games, at(choose(random, names)), { spec: { title: `title ${step}` } }).catch(() => {})
      if (chance(random, 0.6) && living().length > 0)
        await choose(random, troubles)(ring, choose(random, living()), integer(random, 100, 60_000))
      if (chance(random, 0.15)) {
        count = choose(random, [1, 2, 3, 5])
        seen.counts += 1
      }
      reconcile()
    }
    await ring.server.faults.clear()
    for (const name of names) await writer.patch(games, at(name), { spec: { title: `last ${name}` } })
    const keepUp = async (): Promise<string[]> => {
      for (const member of ring.members) if (!member.process.dead) heal(member)
      reconcile()
      const outdated = [...pods].flatMap(([index, pod]) => (isUp(index) && pod.count !== count ? [`pod ${index}`] : []))
      return [...outdated, ...(await untitled(writer))]
    }
    await emptyWithin(360_000, keepUp, simulation)
    await runs.observe()
  })
  expect(runs.overlaps()).toEqual([])
  expect(runs.gone).toEqual([])
  expect(runs.accepted.length).toBeGreaterThan(30)
  seen.takeovers += runs.takeovers()
  await ring.close()
  await simulation.advance(900_000)
  expect(simulation.pending()).toEqual([])
}

/** Lets time go on until nothing is left, or fails after `ms`. */
async function emptyWithin(ms: number, left: () => Promise<string[]>, simulation: Simulation): Promise<void> {
  const stepMs = 5_000
  let found = await left()
  for (let at = 0; at < ms && found.length > 0; at += stepMs) {
    await simulation.advance(stepMs)
    found = await left()
  }
  expect(found, `after ${ms} ms`).toEqual([])
}

/** The names of the games without a ConfigMap that has their last title. */
async function untitled(client: Client): Promise<string[]> {
  const { items } = await client.list(configMaps.within({ namespaces: ['default'] }))
  const titles = new Map(items.map(({ metadata, data }) => [metadata.name, data?.title]))
  return names.filter(name => titles.get(`${name}-config`) !== `last ${name}`)
}

type Trouble = (ring: RingOfMembers, victim: Member, ms: number) => Promise<void>

const troubles: readonly Trouble[] = [
  async (_, { stop }) => stop(),
  async (_, { process, network }) => {
    process.kill()
    for (const connection of network.controls.connections()) network.controls.kill(connection)
  },
  // A stopped process: its timers and its answers come late, and in any order.
  async ({ simulation }, { process }, ms) => {
    process.pause()
    simulation.clock.timer(ms, () => process.resume())
  },
  // A partition that breaks open connections.
  async ({ simulation }, { network }, ms) => {
    network.controls.hang(true)
    for (const connection of network.controls.connections()) network.controls.kill(connection)
    simulation.clock.timer(ms, () => network.controls.hang(false))
  },
  // A request that is late by less than the rest of the lease.
  async ({ simulation }, { network }, ms) => {
    const frozen = network.controls.connections()
    for (const connection of frozen) network.controls.freeze(connection)
    simulation.clock.timer(Math.min(ms, 15_000), () => {
      for (const connection of frozen) network.controls.thaw(connection)
    })
  },
  async (_, { network }, ms) => network.controls.setFaults(ms % 2 === 0 ? { kill: 0.1, refuse: 0.2 } : { goaway: 0.3 }),
  // Answers to writes are lost, those to releases too.
  async ({ server }, _, ms) => {
    const match = { verb: 'patch', resource: 'games.arcade.example.com' }
    await server.faults.add({ match, times: 1 + (ms % 5), effect: { kind: 'drop', after: true } })
  },
  // Watches are late.
  async ({ server }, _, ms) => {
    const match = { verb: 'watch', resource: 'games.arcade.example.com' }
    await server.faults.add({ match, times: 1 + (ms % 4), effect: { kind: 'slow', bytesPerSecond: 200 } })
    await server.endWatches('games')
  },
]

function heal({ process, network }: Member): void {
  process.resume()
  network.controls.hang(false)
  network.controls.setFaults({})
}
