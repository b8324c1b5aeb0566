import type { KubernetesObject, View } from '@wherry/client'
import { compareResourceVersions } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { scopeKey } from '@wherry/informer/internal'
import { chance, choose, forEachSeed, integer } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import type { CachedInformer } from './cached-informer.ts'
import type { DynamicCache } from './dynamic-cache.ts'
import { InformerRemovedError } from './errors.ts'
import type { Hold } from './hold.ts'
import { withCache } from './testkit/kit.ts'

const size = configMaps.project('size', ({ data }) => ({ keys: Object.keys(data ?? {}).length }))
const scopes: ((view: View) => View)[] = [
  view => view,
  view => view.within({ labels: { app: 'x' } }),
  view => view.within({ namespaces: ['a'] } as never),
  view => view.within({ namespaces: ['a', 'b'] } as never),
]
const projections: View[] = [configMaps, configMaps.full(), configMaps.metadata(), size, configMaps.exact()]
const views = scopes.map(scope => projections.map(scope))

/** What one handler has received, checked with each event. */
class Received {
  readonly state = new Map<string, string>()
  readonly newest = new Map<string, { uid: string | undefined; resourceVersion: string }>()
  readonly informer: CachedInformer<unknown>
  /** Where it is had by a hold alone. */
  readonly hold: Hold<unknown> | undefined
  over = false

  constructor(had: CachedInformer<unknown> | Hold<unknown>) {
    this.hold = 'release' in had ? had : undefined
    const informer = 'release' in had ? had.informer : had
    this.informer = informer
    informer.addHandler({
      add: (_, { key }) => {
        expect(this.state.has(key), `an add of ${key}, which is there`).toBe(false)
        this.#receive(key)
      },
      update: (_, { key }) => {
        expect(this.state.has(key), `an update of ${key}, which is not there`).toBe(true)
        expect(this.#version(key), `an update of ${key} to what it was`).not.toBe(this.state.get(key))
        this.#receive(key)
      },
      delete: (_, { key }) => {
        expect(this.over).toBe(false)
        expect(this.state.delete(key), `a delete of ${key}, which is not there`).toBe(true)
      },
    })
  }

  /** Adds a handler that, at its `n`th event, throws, removes itself, or does `end`. */
  trouble(kind: 'throw' | 'leave' | 'end', n: number, end: () => void): void {
    let left = n
    let gone = false
    const meet = (): void => {
      expect(gone, 'an event of a handler that is removed').toBe(false)
      left -= 1
      if (left > 0) return
      if (kind === 'throw') throw new Error('on purpose')
      gone = true
      registration.remove()
      if (kind === 'end') end()
    }
    const registration = this.informer.addHandler({ add: meet, update: meet, delete: meet })
  }

  #receive(key: string): void {
    expect(this.over, 'an event after the removal').toBe(false)
    const resourceVersion = this.#version(key)
    const { uid } = this.informer.version(key) ?? {}
    const before = this.newest.get(key)
    if (before !== undefined && before.uid === uid) {
      const order = compareResourceVersions(resourceVersion, before.resourceVersion)
      expect(order, `${key} went back from ${before.resourceVersion} to ${resourceVersion}`).not.toBe('older')
    }
    this.newest.set(key, { uid, resourceVersion })
    this.state.set(key, resourceVersion)
  }

  #version(key: string): string {
    return this.informer.version(key)?.resourceVersion ?? 'none'
  }
}

describe('informers that join, leave and move at random', () => {
  it('D9, D12: receive each change once and in order, share one watch, and end as the server is', {
    timeout: 900_000,
  }, async () => {
    await forEachSeed(
      seed =>
        withCache(
          async ({ cache, client, simulation, run, server, transport, writer, watches }) => {
            const random = simulation.random.fork('test')
            const { clock } = simulation
            const received = new Map<string, Received>()
            const moves: Promise<unknown>[] = []
            const write = async (): Promise<void> => {
              const key = { namespace: choose(random, ['a', 'b', 'c']), name: `m${integer(random, 0, 5)}` }
              const labels = { app: choose(random, ['x', 'y']) }
              const done = chance(random, 0.25)
                ? writer.delete(configMaps, key)
                : writer.create(configMaps, { metadata: { ...key, labels } }).catch(() =>
                    writer.patch(configMaps, key, {
                      metadata: { labels },
                      data: { n: `${integer(random, 0, 9999)}` },
                    }),
                  )
              await run(() => done.catch(() => {}))
            }
            const moving = new Set<string>()
            const end = (key: string, was: Received): void => {
              if (was.over) return
              was.over = true
              received.delete(key)
              const { view } = was.informer
              moves.push(was.hold === undefined ? cache.remove(view) : was.hold.release())
            }
            const begin = (view: View): void => {
              const one = new Received(chance(random, 0.3) ? cache.hold(view, 'one') : cache.informer(view))
              received.set(view.key, one)
              if (chance(random, 0.7)) return
              const kind = choose(random, ['throw', 'leave', 'end'] as const)
              one.trouble(kind, integer(random, 1, 6), () => {
                if (!moving.has(one.informer.view.key)) end(one.informer.view.key, one)
              })
            }
            const move = (view: View, to: View, was: Received): void => {
              moving.add(view.key).add(to.key)
              const abort = new AbortController()
              const reason = new Error('aborted')
              if (chance(random, 0.3)) clock.timer(integer(random, 0, 40), () => abort.abort(reason))
              const { signal } = abort
              const done =
                was.hold === undefined ? cache.rescope(view, to, { signal }) : cache.moveHold(was.hold, to, { signal })
              moves.push(
                done
                  .then(
                    () => {
                      received.delete(view.key)
                      received.set(to.key, was)
                      expect(was.informer.view.key).toBe(to.key)
                    },
                    error => {
                      expect(error).toBe(reason)
                      expect(was.informer.view.key).toBe(view.key)
                    },
                  )
                  .finally(() => {
                    moving.delete(view.key)
                    moving.delete(to.key)
                  }),
              )
            }
            const step = async (): Promise<void> => {
              const view = choose(random, choose(random, views))
              const was = received.get(view.key)
              if (moving.has(view.key)) return
              if (was === undefined) return begin(view)
              const index = projections.findIndex(one => one.projection.name === view.projection.name)
              const to = choose(
                random,
                views.map(row => row[index] as View),
              )
              if (was.hold !== undefined && chance(random, 0.3)) {
                await expect(cache.remove(view)).rejects.toMatchObject({ code: 'VIEW_HELD' })
              } else if (chance(random, 0.5)) end(view.key, was)
              else if (!received.has(to.key) && !moving.has(to.key)) move(view, to, was)
            }
            for (let round = 0; round < 3; round++) {
              transport.controls.setFaults(chance(random, 0.5) ? { kill: 0.2, goaway: 0.1 } : {})
              for (let i = integer(random, 3, 12); i > 0; i--) {
                await write()
                if (chance(random, 0.7)) await step()
                if (chance(random, 0.1)) await run(() => server.endWatches('configmaps'))
                if (chance(random, 0.05)) await run(() => server.compact())
                await simulation.advance(integer(random, 0, 300))
              }
              transport.controls.setFaults({})
              await run(() => Promise.all(moves))
              await run(() => allSynced(cache))
              await simulation.advance(200_000)
              await run(() => Promise.all(moves))
              const { items } = await run(() => writer.list(configMaps))
              for (const [key, one] of received) {
                expect(one.informer.view.key).toBe(key)
                const expected = expectedOf(one.informer.view, items)
                expect(Object.fromEntries([...one.state].sort()), key).toEqual(expected)
                expect([...one.informer.keys()].sort(), key).toEqual(Object.keys(expected))
              }
              const needed = new Map(
                [...received.values()].map(one => [scopeKey(one.informer.view), one.informer.view]),
              )
              const streams = [...needed.values()].reduce((sum, view) => sum + (view.namespaces?.length ?? 1), 0)
              expect(await watches(), 'open watches').toBe(streams)
              expect(cache.report().watches).toBe(streams)
            }
            if (chance(random, 0.7)) return
            const informers = [...received.values()].map(({ informer }) => informer)
            await run(() => client.close())
            await simulation.settle()
            expect(informers.map(({ state }) => state)).toEqual(informers.map(() => 'stopped'))
            const late = choose(random, choose(random, views))
            if (received.has(late.key)) return
            const closed = { code: 'CLIENT_CLOSED' }
            await expect(run(() => cache.informer(late).whenSynced())).rejects.toMatchObject(closed)
          },
          { seed },
        ),
      { seeds: 80 },
    )
  })
})

/** One that a handler removes meanwhile is not waited for. */
async function allSynced(cache: DynamicCache): Promise<void> {
  try {
    await cache.synced()
  } catch (error) {
    if (!(error instanceof InformerRemovedError)) throw error
    await allSynced(cache)
  }
}

function expectedOf(view: View, items: readonly KubernetesObject[]): Record<string, string> {
  const within = items.filter(
    ({ metadata }) =>
      view.labels.matches(metadata?.labels) &&
      (view.namespaces === undefined || view.namespaces.includes(metadata?.namespace ?? '')),
  )
  const all = within.map(({ metadata }) => [
    `${metadata?.namespace}/${metadata?.name}`,
    metadata?.resourceVersion ?? '',
  ])
  return Object.fromEntries(all.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)))
}
