import type { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { choose, forEachSeed, type Random } from '@wherry/testing'
import { expect, it } from 'vitest'
import type { Arcade } from '../operator/testkit/arcade.ts'
import { at, game, games } from '../operator/testkit/games.ts'
import { whileLooping } from './testkit/looping.ts'
import { loops, noise, type World, works } from './testkit/worlds.ts'

/** Has what others do happen for a time, in milliseconds, or until it is enough. */
async function pass(
  { simulation }: Arcade,
  others: World['others'],
  ms: number,
  isEnough = () => false,
): Promise<void> {
  const { clock } = simulation
  const until = clock.monotonic() + ms
  const due = others.map(({ everyMs }) => clock.monotonic() + everyMs)
  while (clock.monotonic() < until && !isEnough()) {
    const next = Math.min(until, clock.monotonic() + 1000, ...due)
    if (next > clock.monotonic()) await simulation.advance(next - clock.monotonic())
    for (const [at, { everyMs, step }] of others.entries()) {
      if ((due[at] as number) > clock.monotonic()) continue
      due[at] = clock.monotonic() + everyMs
      await step()
    }
  }
}

async function begin(client: Client): Promise<void> {
  await client.create(configMaps, { metadata: at('board'), data: { title: 'ours' } })
  for (const name of ['chess', 'go']) await client.create(games, game(name))
}

/** How long a run takes, in milliseconds. Two keys share a worker, so that a round takes twice as long. */
const tempi = [0, 40, 300, 1000]

function made(arcade: Arcade, random: Random, worlds: typeof loops) {
  const name = choose(random, Object.keys(worlds))
  const tempo = choose(random, tempi)
  const world = worlds[name]?.(arcade, random, tempo)
  if (world === undefined) throw new Error(`there is no world ${name}`)
  return { ...world, name: `${name}, ${tempo} ms`, tempo }
}

it('C24: names each loop within a minute, slows it down, holds up no other key, and lets it go within a minute', () =>
  forEachSeed(
    seed =>
      whileLooping(async (arcade, { lines }) => {
        const { operator, client, simulation, run } = arcade
        const random = simulation.random.fork('world')
        const world = made(arcade, random, loops)
        const { controller, key, kind, path } = world.looping as NonNullable<World['looping']>
        await begin(client)
        const others = [...world.others, ...noise(arcade, random, Math.max(4000, 25 * world.tempo))]
        run()
        await pass(arcade, others, 60_000, () => lines.length > 0)
        const { loop } = operator.explain(controller, key)
        expect(lines.length, world.name).toBeGreaterThan(0)
        expect({ kind: loop?.kind, path: loop?.paths[0] ?? '' }, world.name).toEqual({ kind, path })
        // From now on it runs a few times a minute, and others run as ever.
        const records = operator.runs()
        await pass(arcade, others, 60_000)
        const before = simulation.clock.monotonic()
        await client.patch(games, at('go'), { metadata: { labels: { changed: 'yes' } } })
        await operator.settled({ timeoutMs: 3000 }).catch(() => {})
        expect(operator.explain(controller, 'default/go').lastRun?.startedAt, world.name).toBeGreaterThanOrEqual(before)
        await records.return?.()
        world.mend()
        await pass(arcade, noise(arcade, random, 20_000), 60_000)
        expect(operator.explain(controller, key).loop?.waitMs ?? 0, world.name).toBe(0)
      }, seed),
    { seeds: 12 },
  ))

/** An operator that works, for a minute and a half. */
const playsWork = (seed: number): Promise<void> =>
  whileLooping(async (arcade, { lines, metrics }) => {
    const { client, simulation, run } = arcade
    const random = simulation.random.fork('world')
    const world = made(arcade, random, works)
    await begin(client)
    run()
    await pass(arcade, [...world.others, ...noise(arcade, random, 1500)], 90_000)
    expect(lines, world.name).toEqual([])
    expect(
      [...metrics.values()].filter(value => value !== 0),
      world.name,
    ).toEqual([])
  }, seed)

it('C24: names no rollout, no work in steps, no failure and no heartbeat', () => forEachSeed(playsWork, { seeds: 12 }))

it.each([616, 987, 3768])('C24: names no work in steps that never catches up with a rollout (seed %i)', playsWork)
