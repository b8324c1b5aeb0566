import type { ObjectMeta } from '@wherry/client'
import { chance, choose, forEachSeed, integer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { at, game, games } from '../operator/testkit/games.ts'
import { labelsOf } from './ring-names.ts'
import { emptyWithin, names, untitled } from './testkit/all-games.ts'
import { type Member, RingOfMembers } from './testkit/ring-of-members.ts'
import { RunsOfMembers } from './testkit/runs-of-members.ts'
import { heal, troubles } from './testkit/troubles.ts'

it('C7: whatever shards and networks do, no key is run by two shards at once, and none is forgotten', async () => {
  const seen = { drains: 0, moves: 0, takeovers: 0 }
  const count = await forEachSeed(seed => run(seed, seen), { seeds: 20 })
  // Nothing is proved if nothing moves.
  expect(seen.drains).toBeGreaterThan(count)
  expect(seen.takeovers).toBeGreaterThan(count)
})

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
