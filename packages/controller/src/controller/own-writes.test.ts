import type { ObjectKey } from '@wherry/client'
import { type ConfigMap, configMaps, pods } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { at, game, games } from '../operator/testkit/games.ts'
import type { Read } from '../reads/read.ts'

const legacy: ConfigMap = { metadata: at('legacy') }
const pod = {
  metadata: at('web-0'),
  spec: { containers: [{ name: 'web', image: 'web' }], terminationGracePeriodSeconds: 0 },
}

/** How long a read takes, in milliseconds, and how many objects it gives. */
async function timed({ simulation: { clock } }: Arcade, read: () => Promise<unknown>): Promise<[string, number]> {
  const before = clock.monotonic()
  const found = await read()
  return [clock.monotonic() - before < 1000 ? 'at once' : 'late', [found ?? []].flat().length]
}

describe('what a delete did not name', () => {
  it.each<[string, (read: Read) => Promise<unknown>]>([
    ['get', read => read.get(configMaps, { name: 'legacy' })],
    ['list', read => read.list(configMaps)],
  ])('C10: was not there, so that a %s of what somebody makes of that name later waits for nothing', (_, look) =>
    inArcade(async arcade => {
      const { client, run, simulation, forGames } = arcade
      const seen: unknown[] = []
      let runs = 0
      forGames()
        .caches(configMaps)
        .reconcile(async ({ client: own, read }) => {
          runs += 1
          if (runs === 1) await own.delete(configMaps, at('legacy'))
          else seen.push(await timed(arcade, () => look(read)))
          return runs === 1 ? { requeueAfterMs: 20_000 } : undefined
        })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(10_000)
      await client.create(configMaps, legacy)
      await simulation.advance(20_000)
      expect(seen).toEqual([['at once', 1]])
      expect(simulation.environment.errors).toEqual([])
    }),
  )

  it('C10: is not what somebody made while its answer was on its way', () =>
    inArcade(async arcade => {
      const { client, run, server, simulation, forGames } = arcade
      const seen: unknown[] = []
      forGames()
        .caches(configMaps)
        .reconcile(async ({ client: own, read }) => {
          await read.list(configMaps)
          if (seen.length === 0) await own.delete(configMaps, at('legacy'))
          seen.push(await timed(arcade, () => read.get(configMaps, { name: 'legacy' })))
        })
      const effect = { kind: 'slow', bytesPerSecond: 100 } as const
      await server.faults.add({ match: { verb: 'delete', resource: 'configmaps' }, effect })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(1000)
      await client.create(configMaps, legacy)
      await simulation.advance(60_000)
      expect(seen[0]).toEqual(['at once', 1])
      expect(simulation.environment.errors).toEqual([])
    }))

  it('C10: is what an informer still shows, where somebody else was faster: a read does not give it any more', () =>
    inArcade(async arcade => {
      const { client, run, server, simulation, forGames } = arcade
      const seen: unknown[] = []
      forGames()
        .caches(configMaps)
        .reconcile(async ({ client: own, read }) => {
          if (seen.length > 0) return
          // Informers receive each change seconds later.
          const effect = { kind: 'slow', bytesPerSecond: 100 } as const
          await server.faults.add({ match: { verb: 'watch', resource: 'configmaps' }, effect })
          await server.endWatches('configmaps')
          await simulation.clock.turn()
          await client.delete(configMaps, at('legacy'))
          await own.delete(configMaps, at('legacy'))
          seen.push((await timed(arcade, () => read.get(configMaps, { name: 'legacy' })))[1])
        })
      await client.create(configMaps, legacy)
      await client.create(games, game('chess'))
      run()
      await simulation.advance(60_000)
      expect(seen).toEqual([0])
    }))
})

type View = typeof configMaps

describe('what was there before what a delete has named', () => {
  it.each<[string, View, object]>([
    ['a ConfigMap', configMaps, legacy],
    ['a Pod, which is answered with its last state', pods as unknown as View, { ...pod, metadata: at('legacy') }],
  ])('C10: has gone too, where an informer shows that still: %s', (_, view, object) =>
    inArcade(async arcade => {
      const { client, run, server, simulation, forGames } = arcade
      const seen: unknown[] = []
      forGames()
        .caches(view)
        .reconcile(async ({ client: own, read }) => {
          if (seen.length > 0) return
          const { plural } = view.resource
          const effect = { kind: 'slow', bytesPerSecond: 100 } as const
          await server.faults.add({ match: { verb: 'watch', resource: plural }, effect })
          await server.endWatches(plural)
          await simulation.clock.turn()
          await client.delete(view, at('legacy'))
          await client.create(view, object as ConfigMap)
          await own.delete(view, at('legacy'))
          seen.push((await timed(arcade, () => read.get(view, { name: 'legacy' })))[1])
        })
      await client.create(view, object as ConfigMap)
      await client.create(games, game('chess'))
      run()
      await simulation.advance(60_000)
      expect([seen, simulation.environment.errors]).toEqual([[0], []])
    }),
  )
})

it('C10: an eviction hides the pod that it was of, and none that has its name since then', () =>
  inArcade(async arcade => {
    const { client, run, simulation, forGames } = arcade
    const seen: unknown[] = []
    let runs = 0
    forGames()
      .caches(pods)
      .reconcile(async ({ client: own, read }) => {
        runs += 1
        if (runs === 1) await own.evict(pods, at('web-0'))
        seen.push(await timed(arcade, () => read.list(pods)))
        if (runs === 1) return { requeueAfterMs: 20_000 }
        return
      })
    await client.create(pods, pod)
    await client.create(games, game('chess'))
    run()
    await simulation.advance(5000)
    expect(seen).toEqual([['at once', 0]])
    await client.create(pods, pod)
    await simulation.advance(30_000)
    expect(seen.at(-1)).toEqual(['at once', 1])
    expect(simulation.environment.errors).toEqual([])
  }))

it('X1: a delete of what can be no key is refused as by any client', () =>
  inArcade(async ({ client, forGames, start }) => {
    const refused: unknown[] = []
    forGames()
      .caches(configMaps)
      .reconcile(async ({ client: own }) => {
        for (const key of [
          undefined,
          {},
          { name: '..', namespace: 'default' },
          { name: 'x' },
        ] as ObjectKey<'namespaced'>[]) {
          const [by, as] = await Promise.allSettled([own, client].map(async one => one.delete(configMaps, key)))
          refused.push([code(by), code(as)])
        }
      })
    await start('chess')
    for (const [by, as] of refused as [string, string][]) expect(by).toBe(as)
    expect(refused).toHaveLength(4)
  }))

function code(outcome: PromiseSettledResult<unknown> | undefined): string {
  return outcome?.status === 'rejected' ? `${outcome.reason.code} ${outcome.reason.message}` : 'done'
}
