import type { View } from '@wherry/client'
import { type ConfigMap, configMaps, pods } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { at, game, games } from '../operator/testkit/games.ts'
import type { Read } from '../reads/read.ts'

const legacy: ConfigMap = { metadata: at('legacy') }
const pod = {
  metadata: { ...at('web-0'), labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'web' }], terminationGracePeriodSeconds: 0 },
}

const here = pods.within({ namespaces: ['default'] })
const labelled = pods.within({ labels: { app: 'web' } })

/** Informers receive changes of pods seconds later; with a namespace, only informers of that namespace. */
async function late({ server, simulation }: Arcade, namespace?: string): Promise<void> {
  const effect = { kind: 'slow', bytesPerSecond: 100 } as const
  await simulation.clock.turn()
  await server.faults.add({ match: { verb: 'watch', resource: 'pods', ...(namespace && { namespace }) }, effect })
  await server.endWatches('pods')
  await simulation.clock.turn()
}

const verbs: readonly (readonly ['get' | 'peek', (read: Read, view: typeof pods) => Promise<unknown>])[] = [
  ['get', (read, view) => read.get(view, { name: 'web-0' })],
  ['peek', (read, view) => read.getUntracked(view, { name: 'web-0' })],
]

/** Informers that show a pod, begun by the program. */
async function shown({ client, operator }: Arcade, ...views: (typeof pods)[]) {
  await client.create(pods, pod)
  const informers = views.map(view => operator.cache.informer(view))
  await operator.cache.synced()
  return informers
}

/** What a reconcile reads after it has evicted the pod, before informers receive that. */
async function afterEviction(
  arcade: Arcade,
  view: typeof pods,
  ...looks: ((read: Read) => Promise<unknown>)[]
): Promise<unknown[]> {
  const { client, run, simulation, forGames } = arcade
  const seen: unknown[] = []
  forGames('evicting').reconcile(async ({ client: own, read }) => {
    if (seen.length > 0) return
    await late(arcade)
    await own.evict(view, at('web-0'))
    for (const look of looks) seen.push(await look(read))
  })
  await client.create(games, game('chess'))
  run()
  await simulation.advance(100_000)
  expect(simulation.environment.errors).toEqual([])
  return seen
}

describe('what was deleted, and nothing says which it was', () => {
  it('C10: an eviction by one controller is seen by the reads of another', () =>
    inArcade(async arcade => {
      const { client, run, simulation, forGames } = arcade
      const seen: unknown[] = []
      let evicted = false
      forGames('evicting').reconcile(async ({ client: own }) => {
        if (evicted) return
        await late(arcade)
        await own.evict(pods, at('web-0'))
        evicted = true
      })
      forGames('reading')
        .caches(pods)
        .reconcile(async ({ read }) => {
          await read.list(pods)
          if (!evicted) return { requeueAfterMs: 100 }
          seen.push((await read.list(pods)).length)
          return undefined
        })
      await client.create(pods, pod)
      await client.create(games, game('chess'))
      run()
      await simulation.advance(60_000)
      expect(seen[0]).toBe(0)
    }))

  it('C10: an eviction is seen by the reads of its own key, through the informer of another', () =>
    inArcade(async arcade => {
      const { client, run, simulation, forGames } = arcade
      const seen: unknown[] = []
      forGames('evicting').reconcile(async ({ client: own, read }) => {
        if (seen.length > 0) return
        await late(arcade)
        await own.evict(pods, at('web-0'))
        seen.push((await read.get(pods, { name: 'web-0' })) === undefined ? 0 : 1)
      })
      forGames('reading')
        .caches(pods)
        .reconcile(async ({ read }) => {
          await read.list(pods)
        })
      await client.create(pods, pod)
      await client.create(games, game('chess'))
      run()
      await simulation.advance(60_000)
      expect(seen[0]).toBe(0)
    }))

  it.each(
    verbs.flatMap(([verb, look]) =>
      [pods, here, labelled, pods.metadata() as View as typeof pods].map(view => ({ verb, look, view })),
    ),
  )('C10: an eviction is seen by a $verb through an informer that the program began: $view.key', ({ look, view }) =>
    inArcade(async arcade => {
      await shown(arcade, view)
      expect(await afterEviction(arcade, pods, read => look(read, view))).toEqual([undefined])
    }),
  )

  it.each(verbs)('C10: an eviction is seen by a %s through informers that show one pod and the next', (_, look) =>
    inArcade(async arcade => {
      const { client, simulation } = arcade
      const informers = await shown(arcade, here, labelled)
      await late(arcade, 'default')
      await client.delete(pods, at('web-0'))
      await client.create(pods, pod)
      await simulation.advance(3000)
      expect(new Set(informers.map(informer => informer.version('default/web-0')?.uid)).size).toBe(2)
      const looks = [here, labelled].map(view => (read: Read) => look(read, view))
      expect(await afterEviction(arcade, pods, ...looks)).toEqual([undefined, undefined])
    }),
  )

  it('C10: an eviction is seen where the view that it names is another of the same name in the cache', () =>
    inArcade(async arcade => {
      const named = (): typeof pods => pods.project('evicted-name', object => object) as View as typeof pods
      await shown(arcade, pods, named())
      expect(await afterEviction(arcade, named(), read => read.get(pods, { name: 'web-0' }))).toEqual([undefined])
    }))

  it('C10: is not what somebody made while the answer was on its way, by narrow reads', () =>
    inArcade(async ({ client, run, server, simulation, forGames }) => {
      const seen: unknown[] = []
      forGames().reconcile(async ({ client: own, read }) => {
        await read.get(configMaps, { name: 'legacy' })
        if (seen.length === 0) await own.delete(configMaps, at('legacy'))
        const before = simulation.clock.monotonic()
        const found = await read.get(configMaps, { name: 'legacy' })
        seen.push([found === undefined ? 0 : 1, simulation.clock.monotonic() - before < 1000])
      })
      const effect = { kind: 'slow', bytesPerSecond: 100 } as const
      await server.faults.add({ match: { verb: 'delete', resource: 'configmaps' }, effect })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(1000)
      await client.create(configMaps, legacy)
      await simulation.advance(600_000)
      expect(seen[0]).toEqual([1, true])
      expect(simulation.environment.errors).toEqual([])
    }))
})
