import { leases } from '@wherry/client/resources/coordination'
import { configMaps } from '@wherry/client/resources/core'
import { chance, choose, forEachSeed, integer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { type CandidateProcess, Electorate, lease } from './testkit/election.ts'

it('C6: whatever processes and networks do, no write is accepted outside its writer’s term', async () => {
  await forEachSeed(run, { seeds: 20 })
})

async function run(seed: number): Promise<void> {
  const electorate = await Electorate.start(seed)
  const { simulation } = electorate
  const random = simulation.random.fork('test')
  const names = ['a', 'b', 'c', 'd', 'e'].slice(0, integer(random, 3, 5))
  let made = 0
  await simulation.run(async () => {
    electorate.history.watch()
    for (const name of names) electorate.candidate(name, {}, { writeMs: 600 })
    for (let step = 0; step < 25; step += 1) {
      await simulation.advance(choose(random, [200, 1500, 5000, 12_000]))
      const alive = electorate.candidates.filter(({ log }) => !/^(ended|failed|killed)/.test(log.at(-1) ?? ''))
      const leader = alive.find(({ term }) => term !== undefined)
      // The leader is what most harm is done by.
      const victim = leader !== undefined && chance(random, 0.6) ? leader : choose(random, electorate.candidates)
      await choose(random, troubles)(electorate, victim, integer(random, 100, 40_000))
      if (alive.length < 2) electorate.candidate(`late ${++made}`)
    }
    // Then all is well, and within a lease and a few retries there is one leader.
    for (const one of electorate.candidates) heal(one)
    await electorate.server.faults.clear()
    await electorate.server.refuse(false)
    electorate.candidate('last')
    await simulation.advance(60_000)
    const { items } = await electorate.writer.list(configMaps.within({ namespaces: [lease.namespace] }))
    expect(electorate.history.accepted.filter(({ kind }) => kind === 'write')).toHaveLength(items.length)
    expect(electorate.candidates.filter(({ term }) => (term?.remainingMs ?? 0) > 0)).toHaveLength(1)
  })
  expect(electorate.history.outOfTerm()).toEqual([])
  expect(electorate.history.accepted.filter(({ kind }) => kind === 'write').length).toBeGreaterThan(20)
  await electorate.close()
  await simulation.advance(120_000)
  expect(simulation.pending()).toEqual([])
}

/** Connections that were frozen for good: bytes on their way there would come too late. */
const stuck = new WeakSet<object>()

type Trouble = (electorate: Electorate, victim: CandidateProcess, ms: number) => Promise<void>

const troubles: readonly Trouble[] = [
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
  // A break that neither side notices: what was on its way stays there.
  async ({ simulation }, { network }, ms) => {
    network.controls.hang(true)
    for (const connection of network.controls.connections()) {
      network.controls.freeze(connection)
      stuck.add(connection)
    }
    simulation.clock.timer(ms, () => network.controls.hang(false))
  },
  // A request that is late by less than the rest of the lease comes in time.
  async ({ simulation }, { network }, ms) => {
    const frozen = network.controls.connections().filter(connection => !stuck.has(connection))
    for (const connection of frozen) network.controls.freeze(connection)
    simulation.clock.timer(Math.min(ms, 4500), () => {
      for (const connection of frozen) network.controls.thaw(connection)
    })
  },
  async (_, { network }) => network.controls.goawayAll(),
  async (_, { network }, ms) => {
    network.controls.setFaults(ms % 2 === 0 ? { kill: 0.2, refuse: 0.3 } : { goaway: 0.3 })
  },
  // A process that is asked to end, and one that is killed; another one is started for it.
  async (electorate, victim) => {
    victim.stop()
    electorate.candidate(`${victim.name}+`)
  },
  async (electorate, victim) => {
    victim.process.kill()
    victim.log.push('killed')
    victim.term = undefined
    for (const connection of victim.network.controls.connections()) victim.network.controls.kill(connection)
    electorate.candidate(`${victim.name}'`)
  },
  // The server is in the way.
  async ({ server }, _, ms) => {
    const refusal = choose(() => (ms % 8) / 8, [
      { kind: 'status', code: 429, retryAfterSeconds: 1 },
      { kind: 'status', code: 500 },
      { kind: 'drop', after: true },
      { kind: 'hang' },
    ] as const)
    const match = { resource: 'leases.coordination.k8s.io', verb: ms % 3 === 0 ? 'get' : 'update' }
    await server.faults.add({ match, times: 1 + (ms % 20), effect: refusal })
  },
  async ({ server, simulation }, _, ms) => {
    await server.refuse(true)
    await server.breakConnections()
    simulation.clock.timer(ms, () => void server.refuse(false))
  },
  async ({ writer }) =>
    void (await writer.patch(leases, lease, { metadata: { annotations: { a: `${++notes}` } } }).catch(() => {})),
]

let notes = 0

function heal({ process, network }: CandidateProcess): void {
  process.resume()
  network.controls.hang(false)
  network.controls.setFaults({})
}
