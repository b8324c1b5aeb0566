import type { Client } from '@wherry/client'
import { sleep } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import type { FaultRule } from '@wherry/testing'
import { chance, choose, forEachSeed, integer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { at, type Game, games } from '../operator/testkit/games.ts'

const sources = configMaps.within({ labels: { source: 'yes' } })
const view = games.within({ labels: { kind: 'made' } })
const resource = 'games.arcade.example.com'

/** So long each round lasts, in seconds. */
const seconds = 20

it('A6: however it is disturbed, an apply of the same sends thirty requests and then two a second, of new values a hundred and twenty', async () => {
  const seeds = 25
  await forEachSeed(seed => inArcade({ seed }, arcade => round(arcade)), { seeds })
})

/** All of it goes on without end: what others do, what the server refuses, and what the reconcile itself wants. */
async function round(arcade: Arcade): Promise<void> {
  const { client, server, operator, run, simulation, forGames } = arcade
  const { random } = simulation.environment
  const parts = integer(random, 1, 2)
  const wanting = choose(random, ['the same', 'one more', 'the time'] as const)
  const isHeeded = chance(random, 0.5)
  const isTogether = chance(random, 0.3)
  const isForced = chance(random, 0.7)
  operator
    .controller('source')
    .for(sources)
    .reconcile(async ({ apply, object, read }) => {
      const there = await read.get(view, { name: 'made' })
      const more = `${Number(there?.spec.title ?? 0) + 1}`
      const wanted = { 'the same': object.data?.title, 'one more': more, 'the time': `${simulation.clock.monotonic()}` }
      const title = wanted[wanting] ?? ''
      const spec = { title, secret: 'x', lives: 3 }
      const applied = (part: number): Promise<unknown> => {
        const metadata = { name: 'made', labels: part === 0 ? {} : { part: 'other' } }
        const options = { owner: false, timeoutMs: 2000, force: isForced, fieldManager: part === 0 ? 'us' : 'us too' }
        const sent = apply(view, { metadata, spec }, options)
        return isHeeded ? sent : sent.catch(() => {})
      }
      if (isTogether) await Promise.all(Array.from({ length: parts }, (_, part) => applied(part)))
      else for (let part = 0; part < parts; part++) await applied(part)
    })
  await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } }, data: { title: 'a' } })
  for (let i = integer(random, 0, 2); i > 0; i--) await server.faults.add(pickFault(random))
  const foe = pickFoe(random)
  let theirs = 0
  forGames('foe').reconcile(async ({ object }) => {
    theirs += 1
    await foe(client, object).catch(() => {})
  })
  const beat = choose(random, [() => Promise.resolve(), beatSource, beatMade])
  run()
  await server.resetStats()
  for (let i = 0; i < seconds * 10; i++) {
    await beat(client, i).catch(() => {})
    await sleep(simulation.clock, 100)
  }
  const ours = (await writes(server)) - (beat === beatMade ? seconds * 10 : 0) - theirs * 2
  // A value that is new each time is no value that is brought back: a hundred at once, and then twenty a second.
  const [burst, rate] = wanting === 'the same' ? [30, 2] : [100, 20]
  // Of each write that comes from a former manager, one request more folds its fields.
  expect(ours).toBeLessThan(burst + rate * (seconds + 5) + 10)
}

const beatSource = (client: Client, i: number) =>
  client.patch(configMaps, at('source'), { metadata: { annotations: { at: `${i}` } } })

const beatMade = (client: Client, i: number) =>
  client.patch(games, at('made'), { metadata: { annotations: { at: `${i}` } } }, { timeoutMs: 1000 })

type Foe = (client: Client, object: Game) => Promise<unknown>

/** Two requests at most each time. */
function pickFoe(random: () => number): Foe {
  const theirs = { fieldManager: 'foe' }
  const made = at('made')
  const foes: readonly Foe[] = [
    async () => {},
    async () => {},
    async (client, { spec }) => {
      if (spec.title !== '0') await client.patch(games, made, { spec: { title: '0' } }, theirs)
    },
    client => client.delete(games, made),
    async (client, { metadata }) => {
      if (metadata.labels?.kind !== undefined) await client.patch(games, made, { metadata: { labels: null } })
    },
    async (client, { metadata }) => {
      if (metadata.deletionTimestamp !== undefined) {
        await client.patch(games, made, { metadata: { finalizers: null } })
        return
      }
      await client.patch(games, made, { metadata: { finalizers: ['foe.com/x'] } })
      await client.delete(games, made)
    },
  ]
  return choose(random, foes)
}

function pickFault(random: () => number): FaultRule {
  const effects: readonly FaultRule['effect'][] = [
    { kind: 'status', code: 403, reason: 'Forbidden' },
    { kind: 'status', code: 409, reason: 'Conflict' },
    { kind: 'status', code: 422, reason: 'Invalid' },
    { kind: 'status', code: 404, reason: 'NotFound' },
    { kind: 'status', code: 500, reason: 'InternalError' },
    { kind: 'drop', after: true },
    { kind: 'drop' },
    { kind: 'rst' },
    { kind: 'delay', ms: 300 },
  ]
  const verb = choose(random, ['create', 'update', 'patch'] as const)
  const subresource = choose(random, [undefined, 'status', ''])
  return { match: { verb, resource, subresource }, effect: choose(random, effects) }
}

async function writes(server: Arcade['server']): Promise<number> {
  const { byVerb } = await server.stats()
  const of = (verb: string): number => byVerb[verb]?.[resource]?.requests ?? 0
  return of('create') + of('update') + of('patch')
}
