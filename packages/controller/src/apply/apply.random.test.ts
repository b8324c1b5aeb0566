import type { Client } from '@wherry/client'
import { sleep } from '@wherry/client/internal'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import type { FaultRule } from '@wherry/testing'
import { chance, choose, forEachSeed, integer } from '@wherry/testing'
import { expect, it } from 'vitest'
import type { Reconcile } from '../controller/context.ts'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { games } from '../operator/testkit/games.ts'

const source = { name: 'source', namespace: 'default' }
const made = { name: 'made', namespace: 'default' }
const sources = configMaps.within({ labels: { source: 'yes' } })
const view = games.within({ labels: { kind: 'made' } })

it('A1, A2, A6: an applied object is as desired in the end, whatever others do to it and whatever is refused, and then all is quiet', async () => {
  const seeds = 30
  await forEachSeed(seed => inArcade({ seed }, arcade => round(arcade)), { seeds })
})

async function round(arcade: Arcade): Promise<void> {
  const { client, operator, run, simulation } = arcade
  const { random } = simulation.environment
  const how = howApplied(random)
  let runs = 0
  const reconcile = reconcileWith(how)
  for (const name of choose(random, [['one'], ['one', 'two']])) {
    // An operator that can't read for minutes ends, and is started again: this test is not about that.
    const declared = operator.controller(name, { syncTimeoutMs: Number.POSITIVE_INFINITY }).for(sources)
    if (how.isWatched) declared.owns(view)
    declared.reconcile(context => {
      runs += 1
      return reconcile(context)
    })
  }
  await createSource(client, 'a')
  run()
  await disturb(arcade, random)
  await endDisturbance(client)
  if (how.isCaught) {
    // A reconcile that heeds no refusal is asked once more, when all has ended that it did not wait for.
    await simulation.advance(60_000)
    await client.patch(configMaps, source, { metadata: { annotations: { asked: 'yes' } } })
  } else {
    // Twice the longest time that a run which has failed waits.
    await operator.settled({ timeoutMs: 2_000_000 })
    await expectDesired(client, how)
  }
  await simulation.advance(1_300_000)
  await expectDesired(client, how)
  await operator.settled()
  const before = runs
  await simulation.advance(600_000)
  expect(runs - before).toBeLessThan(5)
}

interface How {
  /** In how many parts, each of a manager of its own, and whether together. */
  readonly parts: 'one' | 'in turn' | 'together'
  readonly isCaught: boolean
  readonly isOwned: boolean
  /** Whether one watch has the objects of the view, and those that leave it are not seen. */
  readonly isWatched: boolean
}

function howApplied(random: () => number): How {
  return {
    parts: choose(random, ['one', 'in turn', 'together']),
    isCaught: chance(random, 0.5),
    isOwned: chance(random, 0.5),
    isWatched: chance(random, 0.5),
  }
}

function reconcileWith({ parts, isCaught, isOwned }: How): Reconcile<ConfigMap, 'namespaced'> {
  return async ({ apply, object }) => {
    const spec = { title: object.data?.title ?? '', secret: 'x', lives: 3 }
    const options = { owner: isOwned, adopt: true, timeoutMs: 2000 }
    const first = (): Promise<unknown> => apply(view, { metadata: { name: 'made' }, spec }, options)
    const second = (): Promise<unknown> =>
      apply(view, { metadata: { name: 'made', labels: { part: 'other' } }, spec }, { ...options, fieldManager: 'us' })
    const all = async (): Promise<void> => {
      if (parts === 'together') await Promise.all([first(), second()])
      else for (const part of parts === 'one' ? [first] : [first, second]) await part()
    }
    await (isCaught ? all().catch(() => {}) : all())
  }
}

async function expectDesired(client: Client, { isOwned }: How): Promise<void> {
  const from = await client.get(configMaps, source)
  const is = await client.get(games, made)
  expect(is?.spec.title).toBe(from?.data?.title)
  expect(is?.metadata.labels).toMatchObject({ kind: 'made' })
  if (isOwned) expect(is?.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([from?.metadata?.uid])
}

const createSource = (client: Client, title: string) =>
  client.create(configMaps, { metadata: { ...source, labels: { source: 'yes' } }, data: { title } })

const label = (client: Client, kind: string | null) => client.patch(games, made, { metadata: { labels: { kind } } })

/** Nothing keeps the object from going, and there is what it is for. What people have made of it, the operator is to mend. */
async function endDisturbance(client: Client): Promise<void> {
  const there = await client.get(games, made)
  if (there?.metadata.finalizers?.length) await client.patch(games, made, { metadata: { finalizers: null } })
  if ((await client.get(configMaps, source)) === undefined) await createSource(client, 'z')
}

const resource = 'games.arcade.example.com'
const writeEffects: readonly FaultRule['effect'][] = [
  { kind: 'status', code: 403, reason: 'Forbidden' },
  { kind: 'status', code: 409, reason: 'Conflict' },
  { kind: 'status', code: 422, reason: 'Invalid' },
  { kind: 'status', code: 503, reason: 'ServiceUnavailable' },
  { kind: 'drop', after: true },
  { kind: 'drop' },
  { kind: 'rst' },
  { kind: 'delay', ms: 300 },
  { kind: 'delay', ms: 1500 },
]
const readEffects: readonly FaultRule['effect'][] = [
  { kind: 'status', code: 403, reason: 'Forbidden' },
  { kind: 'status', code: 429, reason: 'TooManyRequests' },
  { kind: 'expired' },
  { kind: 'drop' },
  { kind: 'break', afterBytes: 200 },
  { kind: 'delay', ms: 700 },
]

/** Somebody else changes, deletes, hides and makes the object, and the server refuses, drops and delays. */
async function disturb({ client, server, simulation }: Arcade, random: () => number): Promise<void> {
  const faults: { remove(): Promise<unknown> }[] = []
  const theirs = { fieldManager: 'them', timeoutMs: 2000 }
  const remove = () => Promise.all(faults.splice(0).map(fault => fault.remove()))
  let step = 0
  const acts: readonly (() => Promise<unknown>)[] = [
    () => client.patch(configMaps, source, { data: { title: choose(random, ['a', 'b', 'c', 'd']) } }),
    () => client.patch(configMaps, source, { metadata: { annotations: { at: `${step}` } } }),
    () => client.patch(games, made, { spec: { title: `theirs ${step}` } }, theirs),
    () => client.patch(games, made, { metadata: { annotations: { beat: `${step}` } } }, theirs),
    () => client.patch(games, made, { metadata: { ownerReferences: null } }, theirs),
    () => client.patch(games, made, { metadata: { finalizers: chance(random, 0.5) ? ['them.com/x'] : null } }, theirs),
    () => (chance(random, 0.4) ? client.delete(games, made, { timeoutMs: 2000 }) : Promise.resolve()),
    () => client.create(games, { metadata: made, spec: { title: 'hidden', secret: 'x' } }, { timeoutMs: 2000 }),
    () => label(client, choose(random, ['made', 'other', null])),
    () => client.patch(games, made, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }] as never, theirs),
    () => client.delete(configMaps, source),
    () => createSource(client, `n${step}`),
    async () => {
      await client.delete(configMaps, source)
      await createSource(client, `n${step}`)
    },
    async () => {
      const verb = choose(random, ['create', 'update', 'patch'] as const)
      const match = { verb, resource }
      faults.push(await server.faults.add({ match, effect: choose(random, writeEffects) }))
    },
    async () => {
      const match = { verb: choose(random, ['watch', 'get'] as const), resource }
      faults.push(await server.faults.add({ match, effect: choose(random, readEffects) }))
    },
    remove,
    remove,
  ]
  for (const end = integer(random, 20, 80); step < end; step++) {
    // Theirs may be refused as ours are.
    await choose(random, acts)().catch(() => {})
    await sleep(simulation.clock, choose(random, [0, 1, 20, 500, 5000, 60_000]))
  }
  await remove()
}
