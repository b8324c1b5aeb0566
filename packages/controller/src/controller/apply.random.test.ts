import { sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import type { FaultRule } from '@wherry/testing'
import { chance, forEachSeed, integer, pick } from '@wherry/testing'
import { expect, it } from 'vitest'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'

const chess = { name: 'chess', namespace: 'default' }
const made = { name: 'made', namespace: 'default' }
const managedBy = 'app.kubernetes.io/managed-by'

it('C16, H6, X8: an applied object is as desired in the end, whatever others do to it and whatever is refused, and then all is quiet', async () => {
  const seeds = process.env.STRYKER_MUTATOR_WORKER === undefined ? 150 : 5
  await forEachSeed(seed => inArcade(arcade => round(arcade), { seed }), { seeds })
}, 600_000)

async function round(arcade: Arcade): Promise<void> {
  const { client, operator, run, simulation } = arcade
  const { random } = simulation.environment
  const mode = pick(random, ['update', 'apply'] as const)
  const isCaught = chance(random, 0.5)
  const isTwofold = mode === 'update' && chance(random, 0.5)
  const options = { owner: chance(random, 0.5), mode, fieldManager: 'us', timeoutMs: 2000 }
  let runs = 0
  const desired = (title = ''): Record<string, string> => (title.startsWith('x') ? { title, extra: title } : { title })
  operator
    .controller('game')
    .for(games)
    .reconcile(async ({ apply, object }) => {
      runs += 1
      const data = desired(object.spec.title)
      const all = async (): Promise<void> => {
        const how = mode === 'apply' ? { ...options, force: true } : options
        await apply(ours, { metadata: { name: 'made' }, data }, how)
        if (isTwofold) await apply(ours, { metadata: { name: 'made', labels: { way: 'other' } }, data }, how)
      }
      await (isCaught ? all().catch(() => {}) : all())
    })
  await client.create(games, game('chess'))
  run()
  await disturb(arcade, random)
  // It is of the view again, and a reconcile that heeds no refusal is asked once more.
  const there = await client.get(configMaps, made)
  if (there !== undefined && there.metadata?.labels?.[managedBy] !== 'game') await label(arcade, 'game')
  if (isCaught) await client.status.patch(games, chess, { status: { phase: 'asked' } })
  await simulation.advance(1_300_000)
  const { beat: _, ...data } = (await client.get(configMaps, made))?.data ?? {}
  expect(data).toEqual(desired((await client.get(games, chess))?.spec.title))
  await operator.settled()
  const before = runs
  await simulation.advance(600_000)
  expect(runs - before).toBeLessThan(3)
}

const label = ({ client }: Arcade, value: string) =>
  client.patch(configMaps, made, { metadata: { labels: { [managedBy]: value } } })

/** Somebody else changes, deletes, hides and makes the object, and the server refuses, drops and delays writes. */
async function disturb(arcade: Arcade, random: () => number): Promise<void> {
  const { client, server, simulation } = arcade
  const faults: { remove(): Promise<unknown> }[] = []
  const effects: readonly FaultRule['effect'][] = [
    { kind: 'status', code: 403, reason: 'Forbidden' },
    { kind: 'status', code: 409, reason: 'Conflict' },
    { kind: 'status', code: 422, reason: 'Invalid' },
    { kind: 'status', code: 503, reason: 'ServiceUnavailable' },
    { kind: 'drop', after: true },
    { kind: 'delay', ms: 300 },
  ]
  const theirs = { fieldManager: 'them', timeoutMs: 2000 }
  let step = 0
  const acts: readonly (() => Promise<unknown>)[] = [
    () => client.patch(games, chess, { spec: { title: pick(random, ['a', 'b', 'x1', 'x2']) } }),
    () => client.status.patch(games, chess, { status: { phase: `${step}` } }),
    () => client.patch(configMaps, made, { data: { title: `theirs ${step}` } }, theirs),
    () => client.patch(configMaps, made, { data: { beat: `${step}` } }, theirs),
    () => (chance(random, 0.3) ? client.delete(configMaps, made, { timeoutMs: 2000 }) : Promise.resolve()),
    () => client.create(configMaps, { metadata: made, data: { title: 'hidden' } }, { timeoutMs: 2000 }),
    () => label(arcade, pick(random, ['game', 'other'])),
    async () => {
      const verb = pick(random, ['create', 'update', 'patch'] as const)
      faults.push(await server.faults.add({ match: { verb, resource: 'configmaps' }, effect: pick(random, effects) }))
    },
    () => Promise.all(faults.splice(0).map(fault => fault.remove())),
  ]
  for (const end = integer(random, 20, 80); step < end; step++) {
    // Theirs may be refused as ours are.
    await pick(random, acts)().catch(() => {})
    await sleep(simulation.clock, pick(random, [0, 1, 20, 500, 5000, 60_000]))
  }
  for (const fault of faults) await fault.remove()
}
