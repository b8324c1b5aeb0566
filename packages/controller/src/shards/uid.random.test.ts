import { chance, choose, forEachSeed, integer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { at, game, games } from '../operator/testkit/games.ts'
import { emptyWithin, names, untitled } from './testkit/all-games.ts'
import { type Member, RingOfMembers } from './testkit/ring-of-members.ts'
import { RunsOfMembers } from './testkit/runs-of-members.ts'
import { heal, troubles } from './testkit/troubles.ts'

it('C7: whatever processes that share objects by uid and networks do, also while their number changes, no key is run by two, and none is forgotten', async () => {
  const seen = { takeovers: 0, counts: 0 }
  const count = await forEachSeed(seed => run(seed, seen), { seeds: 25 })
  expect(seen.takeovers).toBeGreaterThan(count)
  expect(seen.counts).toBeGreaterThan(0)
})

/** The processes of a StatefulSet that share objects by uid. Its rollouts replace them one by one, the last first. */
async function run(seed: number, seen: { takeovers: number; counts: number }): Promise<void> {
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
