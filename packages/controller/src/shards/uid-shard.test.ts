import { leases } from '@wherry/client/resources/coordination'
import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { at, game, games } from '../operator/testkit/games.ts'
import { countLabel, ordinalOf, shardsLabel } from './options.ts'
import { type Member, RingOfMembers } from './testkit/ring-of-members.ts'

const names = Array.from({ length: 12 }, (_, n) => `g${n}`)
const sorted = [...names].sort()

async function withGames(body: (ring: RingOfMembers) => Promise<void>, shards = false): Promise<void> {
  const ring = await RingOfMembers.start(11, { shards })
  try {
    await ring.simulation.run(async () => {
      for (const name of names) await ring.writer.create(games, game(name))
      await body(ring)
    })
  } finally {
    await ring.close()
    await ring.simulation.advance(120_000)
    expect(ring.simulation.pending()).toEqual([])
  }
}

/** A member that notes the names of its runs. */
function noting(ring: RingOfMembers, index: number, count: number, runs: Map<string, string[]>): Member {
  const member = `${index}/${count}`
  const note = (text: string): unknown => runs.set(member, [...(runs.get(member) ?? []), text])
  return ring.member(
    member,
    operator => {
      operator
        .controller('game')
        .for(games)
        .owns(configMaps)
        .watches(configMaps.within({ labels: 'for=all' }), () => names.map(at))
        .reconcile(async ({ key, object, apply }) => {
          note(key.name)
          await apply(configMaps, { metadata: { name: key.name }, data: { title: `${object.spec.title}` } })
        })
        .onGone(({ key }) => void note(`${key.name} gone`))
    },
    { count, index },
  )
}

const settle = async (members: readonly Member[]): Promise<void> => {
  for (const { operator } of members) await operator.settled()
}

describe.each([true, false])('C7: processes that share objects by uid, with sharded lists and watches: %s', shards => {
  it('each run the keys of their part, whatever makes a key run, and together all', () =>
    withGames(async ring => {
      const runs = new Map<string, string[]>()
      const members = [0, 1, 2].map(index => noting(ring, index, 3, runs))
      await settle(members)
      const parts = new Map([...runs].map(([name, part]) => [name, part.sort()]))
      expect([...parts.values()].flat().sort()).toEqual(sorted)
      expect(parts.size).toBe(3)
      runs.clear()
      await ring.writer.create(configMaps, { metadata: { ...at('tick'), labels: { for: 'all' } } })
      await settle(members)
      expect(new Map([...runs].map(([name, part]) => [name, part.sort()]))).toEqual(parts)
      const [name = ''] = parts.get('1/3') ?? []
      const here = members[1]?.operator.explain('game', at(name))
      expect(here).toMatchObject({ shard: { ring: undefined, name: '1-of-3', has: 'yes' } })
      const elsewhere = members[0]?.operator.explain('game', at(name))
      expect(`${elsewhere}`).toContain('does not run here: it is not of this shard, 0-of-3')
    }, shards))

  it('see changes of owned objects of their part, and what goes', () =>
    withGames(async ring => {
      const runs = new Map<string, string[]>()
      const members = [0, 1].map(index => noting(ring, index, 2, runs))
      await settle(members)
      const [first = '', second = ''] = runs.get('0/2') ?? []
      runs.clear()
      await ring.writer.delete(configMaps, at(first))
      await settle(members)
      expect(Object.fromEntries(runs)).toEqual({ '0/2': [first] })
      expect(await ring.writer.get(configMaps, at(first))).toMatchObject({ metadata: at(first) })
      await ring.writer.delete(games, at(second))
      await settle(members)
      expect(Object.fromEntries(runs)).toEqual({ '0/2': [first, `${second} gone`] })
    }, shards))
})

it('C7: a process waits while others work with another number of shards, and starts when they have ended', () =>
  withGames(async ring => {
    const runs = new Map<string, string[]>()
    const old = [0, 1].map(index => noting(ring, index, 2, runs))
    await settle(old)
    runs.clear()
    const next = [2, 1, 0].map(index => noting(ring, index, 3, runs))
    await ring.simulation.advance(60_000)
    expect([...runs.keys()]).toEqual([])
    expect(next[0]?.logged.map(([, message, fields]) => [message, fields?.leases])).toContainEqual([
      'waits until no process works with another number of shards',
      ['arcade-0', 'arcade-1'],
    ])
    old[1]?.stop()
    await ring.simulation.advance(60_000)
    expect([...runs.keys()]).toEqual([])
    // The other process dies: it counts as working until its lease has expired.
    old[0]?.process.kill()
    for (const connection of old[0]?.network.controls.connections() ?? []) old[0]?.network.controls.kill(connection)
    await ring.simulation.advance(60_000)
    expect([...runs.values()].flat().sort()).toEqual(sorted)
    const held = await ring.writer.list(leases.within({ labels: { [shardsLabel]: 'arcade' } }))
    expect(held.items.map(({ metadata }) => [metadata.name, metadata.labels?.[countLabel]]).sort()).toEqual([
      ['arcade-0', '3'],
      ['arcade-1', '3'],
      ['arcade-2', '3'],
    ])
  }))

it('C7: a process of a former number that died with its lease counts as working until that has expired', () =>
  withGames(async ring => {
    const runs = new Map<string, string[]>()
    const last = noting(ring, 2, 3, runs)
    await settle([last])
    last.process.kill()
    for (const connection of last.network.controls.connections()) last.network.controls.kill(connection)
    runs.clear()
    noting(ring, 0, 2, runs)
    await ring.simulation.advance(10_000)
    expect([...runs.keys()]).toEqual([])
    await ring.simulation.advance(20_000)
    expect([...runs.keys()]).toEqual(['0/2'])
  }))

it('C7: a process that may not list the leases of the others starts once it may', () =>
  withGames(async ring => {
    const match = { resource: 'leases.coordination.k8s.io', verb: 'list' }
    const fault = await ring.server.faults.add({ match, effect: { kind: 'status', code: 403, reason: 'Forbidden' } })
    const runs = new Map<string, string[]>()
    const member = noting(ring, 0, 1, runs)
    await ring.simulation.advance(30_000)
    expect([...runs.keys()]).toEqual([])
    await fault.remove()
    await ring.simulation.advance(30_000)
    expect(runs.get('0/1')?.sort()).toEqual(sorted)
    expect(member.ended).toBeUndefined()
  }))

it('X6: the number of a pod of a StatefulSet is its shard', () => {
  expect([ordinalOf('games-0', 3), ordinalOf('games-operator-2', 3)]).toEqual([0, 2])
  expect(() => ordinalOf('laptop', 3)).toThrow('shards.index')
  expect(() => ordinalOf('games-3', 3)).toThrow('shards.count')
})
