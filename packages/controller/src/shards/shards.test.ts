import type { View } from '@wherry/client'
import { sleep } from '@wherry/client/internal'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { leases } from '@wherry/client/resources/coordination'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import type { Operator } from '../operator/operator.ts'
import { at, type Game, game, games } from '../operator/testkit/games.ts'
import type { RingSettings } from './options.ts'
import { controllerRings, readRing } from './ring.ts'
import { labelsOf, ringLabel } from './ring-names.ts'
import { RingShard } from './ring-shard.ts'
import { type Member, RingOfMembers } from './testkit/ring-of-members.ts'

const { shard, drain } = labelsOf('games')

const never = new AbortController().signal

async function inRing(body: (ring: RingOfMembers) => Promise<void>, options?: { controlled?: boolean }): Promise<void> {
  const ring = await RingOfMembers.start(7, options)
  try {
    await ring.simulation.run(() => body(ring))
  } finally {
    await ring.close()
    await ring.simulation.advance(120_000)
    expect(ring.simulation.pending()).toEqual([])
  }
}

/** A member that notes its runs. */
function noting(ring: RingOfMembers, name: string, runs: string[]): Member {
  return ring.member(name, operator => {
    operator
      .controller('game')
      .for(games)
      .reconcile(({ key }) => void runs.push(`${name} ${key.name}`))
  })
}

const assign = (ring: RingOfMembers, name: string, labels: Record<string, string | null>): Promise<unknown> =>
  ring.writer.patch(games, at(name), { metadata: { labels } })

const labelsNow = async (ring: RingOfMembers, name: string) =>
  (await ring.writer.get(games, at(name)))?.metadata.labels ?? {}

it('C7: a shard keeps a lease with the label of its ring, and releases it when it stops', () =>
  inRing(async ring => {
    const member = noting(ring, 'a', [])
    await ring.simulation.advance(5000)
    const lease = await ring.writer.get(leases, at('a'))
    expect(lease?.metadata?.labels).toEqual({ [ringLabel]: 'games' })
    expect(lease?.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15 })
    // The sharder's own label stays.
    await ring.writer.patch(leases, at('a'), { metadata: { labels: { state: 'ready' } } })
    await ring.simulation.advance(30_000)
    const later = await ring.writer.get(leases, at('a'))
    expect(later?.metadata?.labels).toEqual({ [ringLabel]: 'games', state: 'ready' })
    expect(later?.spec?.renewTime).not.toBe(lease?.spec?.renewTime)
    member.stop()
    await member.running
    expect((await ring.writer.get(leases, at('a')))?.spec?.holderIdentity).toBeUndefined()
    const start = member.logged.find(([, message]) => message === 'the operator starts')
    expect(start?.[2]).toMatchObject({ ring: 'games', shard: 'a' })
  }))

it('C7: a shard runs only the objects that are assigned to it, whatever makes a key run', () =>
  inRing(async ring => {
    const runs: string[] = []
    const gone: string[] = []
    await ring.writer.create(games, game('mine'))
    await ring.writer.create(games, game('other'))
    await assign(ring, 'mine', { [shard]: 'a' })
    await assign(ring, 'other', { [shard]: 'b' })
    const member = ring.member('a', operator => {
      operator
        .controller('game')
        .for(games)
        .watches(configMaps, () => [at('mine'), at('other')])
        .reconcile(({ key }) => {
          runs.push(key.name)
        })
        .onGone(({ key }) => void gone.push(key.name))
        .onLeft(({ key }) => void gone.push(`left ${key.name}`))
    })
    await member.operator.settled()
    expect(runs).toEqual(['mine'])
    await ring.writer.create(configMaps, { metadata: at('tick') })
    await member.operator.settled()
    expect(runs).toEqual(['mine', 'mine'])
    const elsewhere = member.operator.explain('game', at('other'))
    expect(elsewhere).toMatchObject({ shard: { ring: 'games', name: 'a', has: 'no' }, lastRun: undefined })
    expect(`${elsewhere}`).toContain('does not run here: the ring games has not assigned it to this shard, a')
    expect(`${member.operator.explain('game', at('mine'))}`).toContain('assigned to this shard, a of the ring games')
    expect(gone).toEqual([])
    const ran = member.logged.filter(([, message]) => message === 'reconciled').map(([, , fields]) => fields?.key)
    expect(ran).toEqual(['default/mine', 'default/mine'])
  }))

it('C7: an object is released when its run has ended, and no other run begins', () =>
  inRing(async ring => {
    const events: string[] = []
    let finish = (): void => {}
    await ring.writer.create(games, game('chess'))
    await assign(ring, 'chess', { [shard]: 'a' })
    const member = ring.member('a', operator => {
      operator
        .controller('game')
        .for(games)
        .watches(configMaps, () => at('chess'))
        .reconcile(async () => {
          events.push('begins')
          await new Promise<void>(resolve => {
            finish = resolve
          })
          events.push('ends')
          return { requeueAfterMs: 1000 }
        })
        .onGone(() => void events.push('gone'))
        .onLeft(() => void events.push('left'))
      operator
        .controller('second')
        .for(games)
        .reconcile(() => void events.push('second'))
    })
    await ring.simulation.advance(5000)
    expect(events.toSorted()).toEqual(['begins', 'second'])
    await assign(ring, 'chess', { [drain]: 'true' })
    await ring.writer.create(configMaps, { metadata: at('tick') })
    await ring.simulation.advance(5000)
    expect(events).toHaveLength(2)
    expect(await labelsNow(ring, 'chess')).toEqual({ [shard]: 'a', [drain]: 'true' })
    expect(member.operator.explain('game', at('chess')).shard?.has).toBe('releases')
    finish()
    await ring.simulation.advance(5000)
    expect(await labelsNow(ring, 'chess')).toEqual({})
    await ring.writer.patch(configMaps, at('tick'), { data: { a: 'b' } })
    await ring.simulation.advance(10_000)
    expect(events.toSorted()).toEqual(['begins', 'ends', 'second'])
    // It may come back.
    await assign(ring, 'chess', { [shard]: 'a' })
    await ring.simulation.advance(1000)
    finish()
    await ring.simulation.advance(500)
    expect(events.filter(one => one === 'begins')).toHaveLength(2)
    await ring.writer.delete(games, at('chess'))
    await ring.simulation.advance(5000)
    expect(events.filter(one => one === 'gone')).toHaveLength(1)
  }))

it('C7: an object that leaves because it was moved is not gone, and one that was deleted is', () =>
  inRing(async ring => {
    const events: string[] = []
    for (const name of ['moved', 'deleted', 'left']) {
      await ring.writer.create(games, game(name))
      await assign(ring, name, { [shard]: 'a', league: 'one' })
    }
    const member = ring.member('a', operator => {
      operator
        .controller('game')
        .for(games.within({ labels: 'league=one' }))
        .reconcile(({ key }) => void events.push(`run ${key.name}`))
        .onGone(({ key }) => void events.push(`gone ${key.name}`))
        .onLeft(({ key }) => void events.push(`left ${key.name}`))
    })
    await member.operator.settled()
    expect(events).toHaveLength(3)
    await assign(ring, 'moved', { [shard]: 'b' })
    await ring.writer.delete(games, at('deleted'))
    await assign(ring, 'left', { league: 'two' })
    await ring.simulation.advance(5000)
    expect(events.slice(3).toSorted()).toEqual(['gone deleted', 'left left'])
    // An object that the controller no longer selects is released all the same.
    await assign(ring, 'left', { [drain]: 'true' })
    await ring.simulation.advance(5000)
    expect(await labelsNow(ring, 'left')).toEqual({ league: 'two' })
  }))

/** A member, and the events of its controller. Its run of a game goes on until `finish` is called. */
async function blocked(ring: RingOfMembers) {
  const events: string[] = []
  let finish = (): void => {}
  await ring.writer.create(games, game('chess'))
  await assign(ring, 'chess', { [shard]: 'a' })
  const member = ring.member('a', operator => {
    operator
      .controller('game')
      .for(games)
      .watches(configMaps, () => at('chess'))
      .reconcile(async () => {
        events.push('run')
        await new Promise<void>(resolve => {
          finish = resolve
        })
      })
      .onGone(() => void events.push('gone'))
  })
  await ring.simulation.advance(5000)
  return { member, events, finish: () => finish() }
}

const watchesOfGames = { verb: 'watch', resource: 'games.arcade.example.com' }

it('C7: the labels of an object that has changed since it was to be released stay', () =>
  inRing(async ring => {
    const { events, finish } = await blocked(ring)
    await assign(ring, 'chess', { [drain]: 'true' })
    await ring.simulation.advance(1000)
    // The shard does not learn that the object was assigned to another shard.
    await ring.server.faults.add({ match: watchesOfGames, effect: { kind: 'hang' } })
    await ring.server.endWatches('games')
    await assign(ring, 'chess', { [shard]: 'b', [drain]: null })
    finish()
    await ring.simulation.advance(5000)
    expect(await labelsNow(ring, 'chess')).toEqual({ [shard]: 'b' })
    await ring.server.faults.clear()
    await ring.simulation.advance(60_000)
    expect(await labelsNow(ring, 'chess')).toEqual({ [shard]: 'b' })
    expect(events).toEqual(['run'])
  }))

it('C7: an object that leaves the informer after its release is not gone, whatever the server says of it by then', () =>
  inRing(async ring => {
    const { writer } = ring
    await writer.create(games, game('chess'))
    const key = 'default/chess'
    const settings = { ring: 'games', name: 'a' } as RingSettings
    const own = new RingShard(settings, await readRing(writer, 'games', 100, never)).part(
      'game',
      games as unknown as View,
    )
    let isShown = true
    own.watch(() => isShown)
    const version = async () => (await writer.get(games, at('chess')))?.metadata.resourceVersion ?? ''
    await expect(own.giveUp(at('chess'), '1', writer, never)).rejects.toThrow()
    expect(own.wasReleased(key)).toBe(false)
    // The patch is carried out, and its answer is lost.
    await assign(ring, 'chess', { [shard]: 'a', [drain]: 'true' })
    const match = { verb: 'patch', resource: 'games.arcade.example.com' }
    await ring.server.faults.add({ match, times: 1, effect: { kind: 'drop', after: true } })
    await expect(own.giveUp(at('chess'), await version(), writer, never)).rejects.toThrow()
    expect(await labelsNow(ring, 'chess')).toEqual({})
    expect([own.wasReleased(key), own.wasReleased(key)]).toEqual([true, false])
    isShown = false
    await assign(ring, 'chess', { [shard]: 'a', [drain]: 'true' })
    expect(await own.giveUp(at('chess'), await version(), writer, never)).toBe(true)
    expect(own.wasReleased(key)).toBe(false)
  }))

const configured = (of: Game): ConfigMap => ({
  metadata: { name: `${of.metadata.name}-config` },
  data: { title: `${of.spec.title}` },
})

for (const controlled of [true, false])
  it(`C7: objects that the primary ones own are watched ${controlled ? 'by the label' : 'as a whole'} if the ring ${controlled ? 'lists' : 'does not list'} them`, () =>
    inRing(
      async ring => {
        const runs: string[] = []
        ring.sharder.start()
        for (let n = 0; n < 10; n += 1) await ring.writer.create(games, game(`g${n}`))
        const members = ['a', 'b'].map(name =>
          ring.member(name, operator => {
            operator
              .controller('game')
              .for(games)
              .owns(configMaps)
              .reconcile(async ({ key, object, apply }) => {
                runs.push(`${name} ${key.name}`)
                await apply(configMaps, configured(object))
              })
          }),
        )
        await ring.simulation.advance(90_000)
        const before = runs.length
        await ring.writer.patch(configMaps, at('g3-config'), { data: { title: 'other' } })
        await ring.simulation.advance(5000)
        const owner = (await labelsNow(ring, 'g3'))[shard]
        expect(runs.slice(before)).toEqual([`${owner} g3`])
        expect((await ring.writer.get(configMaps, at('g3-config')))?.data).toEqual({ title: 'Chess' })
        const held = members.map(({ operator }) => {
          const informer = operator.report().informers.find(({ view }) => view.includes('configmaps'))
          return informer?.objects ?? 0
        })
        expect(held.reduce((sum, one) => sum + one)).toBe(controlled ? 10 : 20)
        // No object is watched by its name.
        expect(members.map(({ operator }) => operator.report().narrow.streams)).toEqual([0, 0])
      },
      { controlled },
    ))

it('C7: an owned object that the ring labels later than its owner is read by its name meanwhile', () =>
  inRing(async ring => {
    const outcomes: string[] = []
    await ring.writer.create(games, game('chess'))
    await assign(ring, 'chess', { [shard]: 'a' })
    const member = ring.member('a', operator => {
      operator
        .controller('game')
        .for(games)
        .owns(configMaps)
        .reconcile(async ({ object, apply }) => {
          outcomes.push((await apply(configMaps, configured(object))).outcome)
          return { requeueAfterMs: 300 }
        })
    })
    const served = () =>
      member.operator.explain('game', at('chess')).reads.flatMap(read => (read.type === 'object' ? [read.served] : []))
    // The ring has not labelled the ConfigMap, as after a move.
    await ring.simulation.advance(20_000)
    expect(outcomes[0]).toBe('created')
    expect(new Set(outcomes.slice(1))).toEqual(new Set(['unchanged']))
    expect(served()).toEqual(['single'])
    await ring.writer.patch(configMaps, at('chess-config'), { metadata: { labels: { [shard]: 'a' } } })
    await ring.simulation.advance(5000)
    expect(served()).not.toContain('single')
    expect(ring.simulation.environment.errors).toEqual([])
  }))

it.each([
  [
    'no definition of rings',
    'NO_RING',
    async (ring: RingOfMembers) =>
      ring.writer.delete(customResourceDefinitions, { name: 'controllerrings.sharding.timebertt.dev' }),
  ],
  ['no such ring', 'NO_RING', async (ring: RingOfMembers) => ring.writer.delete(controllerRings, { name: 'games' })],
  [
    'a ring of other resources',
    'NOT_IN_RING',
    async (ring: RingOfMembers) =>
      ring.writer.patch(controllerRings, { name: 'games' }, { spec: { resources: [{ resource: 'secrets' }] } }),
  ],
] as const)('C7: %s is an error when the operator starts', (_, code, harm) =>
  inRing(async ring => {
    await harm(ring)
    const member = noting(ring, 'a', [])
    await member.running
    expect(member.ended).toMatchObject({ code })
  }),
)

it('C7: a ring that can not be read for a while is asked for again', () =>
  inRing(async ring => {
    const runs: string[] = []
    await ring.writer.create(games, game('chess'))
    await assign(ring, 'chess', { [shard]: 'a' })
    const match = { resource: 'controllerrings.sharding.timebertt.dev', verb: 'get' }
    await ring.server.faults.add({ match, times: 20, effect: { kind: 'status', code: 500 } })
    noting(ring, 'a', runs)
    await ring.simulation.advance(120_000)
    expect(runs).toEqual(['a chess'])
  }))

it('C7: a controller that shards can not share needs a leader, or to run everywhere', () =>
  inRing(async ring => {
    const nothing = (): void => {}
    const ended = async (declare: (operator: Operator) => void): Promise<unknown> => {
      const member = ring.member('a', declare)
      await member.running
      return member.ended
    }
    const refused = { code: 'NOT_SHARDED' }
    expect(await ended(operator => operator.controller('zone').singleton().reconcile(nothing))).toMatchObject(refused)
    const leading = { needLeaderElection: true }
    expect(await ended(one => one.controller('x', leading).for(games).reconcile(nothing))).toMatchObject(refused)
  }))

it('C7: with a leader, controllers with needLeaderElection run for all objects: on the leader, or everywhere', () =>
  inRing(async ring => {
    const runs: string[] = []
    await ring.writer.create(games, game('chess'))
    await assign(ring, 'chess', { [shard]: 'b' })
    for (const name of ['a', 'b'])
      ring.member(
        name,
        operator => {
          const note = (controller: string) => () => void runs.push(`${name} ${controller}`)
          operator.controller('sharded').for(games).reconcile(note('sharded'))
          operator.controller('leading', { needLeaderElection: true }).for(games).reconcile(note('leading'))
          operator.controller('everywhere', { needLeaderElection: false }).for(games).reconcile(note('everywhere'))
          operator.controller('one').singleton().reconcile(note('one'))
        },
        {},
        { leader: { namespace: 'default' } },
      )
    await ring.simulation.advance(5000)
    const led = runs.find(run => run.endsWith('one'))?.slice(0, 1)
    expect(runs.toSorted()).toEqual(
      ['a everywhere', 'b everywhere', 'b sharded', `${led} leading`, `${led} one`].sort(),
    )
  }))

it('C7: a shard that can not renew its lease stops before the lease expires', () =>
  inRing(async ring => {
    const writes: number[] = []
    await ring.writer.create(games, game('chess'))
    await assign(ring, 'chess', { [shard]: 'a' })
    const member = ring.member('a', operator => {
      operator
        .controller('game')
        .for(games)
        .reconcile(async () => {
          writes.push(ring.simulation.clock.monotonic())
          return { requeueAfterMs: 500 }
        })
    })
    await ring.simulation.advance(5000)
    const match = { resource: 'leases.coordination.k8s.io', verb: 'update' }
    await ring.server.faults.add({ match, effect: { kind: 'status', code: 500 } })
    const from = ring.simulation.clock.monotonic()
    await ring.simulation.advance(60_000)
    expect(member.ended).toMatchObject({ code: 'LEADERSHIP_LOST', lease: 'default/a' })
    expect((writes.at(-1) as number) - from).toBeLessThan(10_000)
  }))

it('C7: a process that stood still sends nothing for its shard once its lease may be over', () =>
  inRing(async ring => {
    let number = 0
    for (let n = 0; n < 10; n += 1) {
      await ring.writer.create(games, game(`g${n}`))
      await assign(ring, `g${n}`, { [shard]: 'a' })
    }
    const member = ring.member('a', (operator, { process }) => {
      operator
        .controller('game', { concurrency: 10 })
        .for(games)
        .reconcile(async ({ client }) => {
          for (;;) {
            number += 1
            await client.create(configMaps, { metadata: at(`w${number}`) })
            await sleep(process.clock, 400)
          }
        })
    })
    const written = async () => (await ring.writer.list(configMaps)).items.length
    await ring.simulation.advance(5000)
    member.process.pause()
    await ring.simulation.advance(1000)
    const before = await written()
    expect(before).toBeGreaterThan(50)
    await ring.simulation.advance(60_000)
    member.process.resume()
    await ring.simulation.advance(60_000)
    expect(await written()).toBe(before)
    expect(member.ended).toMatchObject({ code: 'LEADERSHIP_LOST' })
  }))
