import { defineResource, type KubernetesObject, type View } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { type SimulatedCluster, simulatedCluster } from '@wherry/informer/testkit/served'
import { chance, choose, forEachSeed, integer, shuffle } from '@wherry/testing'
import { type Registrar, WatchManager } from '@wherry/watch-manager'
import { RecordingSink } from '@wherry/watch-manager/testing'
import { expect, it } from 'vitest'

const games = defineResource<KubernetesObject>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})
const name = { name: 'games.arcade.example.com' }
const definition: CustomResourceDefinition = {
  metadata: name,
  spec: {
    group: 'arcade.example.com',
    scope: 'Namespaced',
    names: { plural: 'games', kind: 'Game' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as never },
      },
    ],
  },
}
const views: readonly View<KubernetesObject>[] = [
  configMaps,
  configMaps.metadata(),
  configMaps.within({ labels: { app: 'x' } }),
  configMaps.within({ namespaces: ['a', 'b'] }),
  games,
  games.within({ labels: { app: 'x' } }),
]

it('W2, W7: over a dynamic cache, with faults and definitions that come and go, each registrar ends with what the server has', async () => {
  await forEachSeed(run, { seeds: 180 })
}, 900_000)

interface Life {
  readonly name: string
  registrar: Registrar<KubernetesObject>
  recorder: RecordingSink
  wanted: View<KubernetesObject>[]
}

async function run(seed: number): Promise<void> {
  const cluster = await simulatedCluster(seed)
  const { simulation, server, client, writer, transport } = cluster
  const { clock, environment } = simulation
  const random = simulation.random.fork('test')
  const cache = new DynamicCache({ client, whenUnknown: 'wait', maxTombstones: choose(random, [0, 3, 1000]) })
  const manager = new WatchManager({ cache, environment, closeTimeoutMs: 5000 })
  const recorders: RecordingSink[] = []
  const wait = (ms: number): Promise<void> => new Promise(resolve => void clock.timer(ms, resolve))

  const born = (name: string): Life => {
    const manner = choose(random, ['quick', 'slow', 'throwing'])
    const answer = (): unknown => {
      if (manner === 'quick' || chance(random, 0.4)) return undefined
      if (manner === 'slow') return wait(integer(random, 0, 2000))
      throw new Error('refused')
    }
    const recorder = new RecordingSink({ concurrency: integer(random, 1, 3), answer, events: false })
    recorders.push(recorder)
    const registrar = manager.registrar<KubernetesObject>(name, recorder, { retryMaxMs: 2000 })
    return { name, registrar, recorder, wanted: [] }
  }

  const write = async (): Promise<void> => {
    const view = choose(random, [configMaps, games])
    const key = { namespace: choose(random, ['a', 'b', 'c']), name: `m${integer(random, 0, 4)}` }
    const object = {
      metadata: { ...key, labels: { app: choose(random, ['x', 'y']) } },
      data: { n: `${integer(random, 0, 99)}` },
    }
    if (chance(random, 0.3)) await writer.delete(view, key)
    else
      await writer
        .create(view, object)
        .catch(() => writer.patch(view, key, { metadata: { labels: object.metadata.labels } }))
  }

  const disturb = async (): Promise<void> => {
    const what = integer(random, 0, 4)
    if (what === 0) await writer.delete(customResourceDefinitions, name)
    else if (what === 1) await writer.create(customResourceDefinitions, definition)
    else if (what === 2) server.endWatches('configmaps')
    else if (what === 3) await server.compact()
    else transport.controls.setFaults(chance(random, 0.5) ? { kill: 0.2, goaway: 0.1, refuse: 0.1 } : {})
  }

  const act = async (life: Life): Promise<void> => {
    const { registrar, wanted } = life
    const view = choose(random, views)
    const others = wanted.filter(one => one.key !== view.key)
    const what = integer(random, 0, 8)
    if (what < 4) {
      life.wanted = [...others, view]
      await registrar.add(view)
    } else if (what < 6) {
      life.wanted = others
      await registrar.remove(view)
    } else if (what < 8) {
      life.wanted = shuffle(random, [...views]).slice(0, integer(random, 0, 3))
      await registrar.replace(life.wanted)
    } else {
      await registrar.close()
      Object.assign(life, born(life.name))
    }
  }

  try {
    await simulation.run(async () => {
      for (const name of ['a', 'b', 'c']) await writer.create(namespaces, { metadata: { name } })
      if (chance(random, 0.5)) await writer.create(customResourceDefinitions, definition)
      manager.start()
      const lives = Array.from({ length: integer(random, 3, 10) }, (_, i) => born(`r${i}`))
      const owners = new Map(lives.map(life => [life, Promise.resolve()]))
      for (let i = 0; i < 40; i++) {
        const life = choose(random, lives)
        if (chance(random, 0.5)) await write().catch(() => {})
        else if (chance(random, 0.2)) await disturb().catch(() => {})
        else
          owners.set(
            life,
            (owners.get(life) as Promise<void>).then(() => act(life)),
          )
        if (chance(random, 0.5)) await wait(integer(random, 0, 1000))
      }
      transport.controls.setFaults({})
      await wait(10_000)
      await writer.create(customResourceDefinitions, definition).catch(() => {})
      await Promise.all(owners.values())
      await wait(300_000)
      for (const life of lives) await check(life, cluster)
      expect(recorders.flatMap(({ problems }) => problems)).toEqual([])
      const intended = [...new Set(lives.flatMap(({ wanted }) => wanted.map(({ key }) => key)))].sort()
      expect(manager.watched.map(({ key }) => key).sort()).toEqual(intended)
      expect(
        cache
          .report()
          .informers.map(({ view }) => view)
          .sort(),
      ).toEqual(intended)
      await manager.close()
      expect(cache.report().informers).toEqual([])
      await wait(1000)
      const { byVerb } = await server.stats()
      expect(Object.values(byVerb.watch ?? {}).reduce((sum, { openStreams }) => sum + openStreams, 0)).toBe(0)
    })
  } finally {
    await simulation.run(() => manager.close())
    await simulation.run(() => cache.close())
    await cluster.close()
  }
}

/** It has of each view what the server has, and of no other view anything. */
async function check({ name, registrar, recorder, wanted }: Life, { writer }: SimulatedCluster): Promise<void> {
  expect(registrar.watched.map(({ key }) => key).sort(), name).toEqual(wanted.map(({ key }) => key).sort())
  for (const view of wanted) {
    const { items } = await writer.list(view)
    const there = items.map(({ metadata }) => [`${metadata?.namespace}/${metadata?.name}`, metadata?.resourceVersion])
    const held = [...recorder.contents(view)].map(([key, object]) => {
      return [key, (object as KubernetesObject).metadata?.resourceVersion]
    })
    // What namespaces bring along has no part in it.
    expect(Object.fromEntries(held), `${name} ${view.key}`).toEqual(Object.fromEntries(there))
    expect(recorder.replaying(view)).toBe(false)
  }
  expect(registrar.stats().lag, name).toBe(0)
}
