import type { Client, View } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { chance, choose, forEachSeed, integer } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import type { Subscription } from './handler.ts'
import { type Kit, keyOf, withNarrow } from './testkit/kit.ts'

const paths = ['a/p', 'a/q', 'a/r', 'b/p'] as const
type Path = (typeof paths)[number]
const views: readonly View<ConfigMap, 'namespaced'>[] = [configMaps, configMaps.metadata() as never]

/** What a subscriber received, one after the other. */
interface Reported {
  readonly path: Path
  readonly events: string[]
  readonly subscription: Promise<Subscription>
}

/** The operations on one object, since the restore. */
interface Done {
  /** How new what this process wrote last is; `undefined`: it wrote nothing. */
  written: number | undefined
  /** Deletes that are under way, and how many were begun. */
  deleting: number
  deletes: number
}

const versionOf = (object: Pick<ConfigMap, 'metadata'> | undefined): string =>
  object?.metadata?.resourceVersion ?? 'absent'

describe('a cluster that is restored from a backup', () => {
  it('N5, N9, R5: is read and delivered as it is in the end, no event twice, and then sends no request', async () => {
    const seeds = 60
    await forEachSeed(
      seed =>
        withNarrow(kit => new Restores(kit, seed).run(), {
          seed,
          escalateAt: [1, 2, 100][seed % 3],
          escalateAllAt: [3, 100][seed % 2],
          idleMs: Number.POSITIVE_INFINITY,
          maxOpening: (seed % 3) + 1,
        }),
      { seeds },
    )
  }, 1_200_000)
})

class Restores {
  readonly kit: Kit
  readonly seed: number
  readonly random: () => number
  readonly own: Client
  reported: Reported[] = []
  /** Where the cluster may be restored to. */
  before = 0
  /** It was, or is about to be. */
  isRestored = false
  isAfter = false
  readonly done: Record<Path, Done> = Object.fromEntries(
    paths.map(path => [path, { written: undefined, deleting: 0, deletes: 0 }]),
  ) as Record<Path, Done>
  readonly outdated: string[] = []

  constructor(kit: Kit, seed: number) {
    this.kit = kit
    this.seed = seed
    this.random = kit.simulation.random.fork('test')
    this.own = kit.client.withWriteListeners(kit.narrow)
  }

  async run(): Promise<void> {
    const { simulation, server, run, writer } = this.kit
    for (const path of paths) {
      if (chance(this.random, 0.5))
        await run(() => writer.create(configMaps, { metadata: keyOf(path), data: { n: '0' } }))
    }
    this.before = await run(() => server.revision())
    const other = keyOf('c/other')
    await run(() => writer.create(configMaps, { metadata: other }))
    for (let i = 0; i < 60; i++) await run(() => writer.patch(configMaps, other, { data: { n: `${i}` } }))
    for (let i = integer(this.random, 8, 25); i > 0; i--) {
      await this.#something(i)
      await simulation.advance(chance(this.random, 0.3) ? integer(this.random, 0, 5000) : integer(this.random, 0, 20))
    }
    // Watches that the restore has left behind end by themselves by then.
    await simulation.advance(9_000_000)
    await this.#check()
  }

  async #something(n: number): Promise<void> {
    const { kit, random } = this
    const { narrow, run, writer, server, simulation, breakAll } = kit
    const path = choose(random, paths)
    const key = keyOf(path)
    const die = random()
    // What fails is tried by nobody again.
    const inBackground = (body: () => Promise<unknown>): void => void run(body).catch(() => {})
    if (die < 0.35) inBackground(() => this.#write(path, n))
    else if (die < 0.55) inBackground(() => this.#read(path))
    else if (die < 0.63) await run(async () => this.#subscribe(path))
    else if (die < 0.71) {
      inBackground(async () => {
        await this.#delete(path, writer)
        narrow.deleted(configMaps, key)
      })
    } else if (die < 0.75) {
      // Much is delivered while a list that may notice the restore is on its way.
      const effect = { kind: 'delay', ms: integer(random, 100, 3000) } as const
      await run(() => server.faults.add({ match: { verb: 'list' }, nth: 1, times: 3, effect }))
    } else if (die < 0.87) {
      if (this.isRestored) return
      this.isRestored = true
      await simulation.advance(3000)
      await run(() => server.restoreEtcd(this.before))
      this.isAfter = true
    } else if (die < 0.91) breakAll()
    else if (die < 0.94) await run(() => server.endWatches('configmaps'))
    else if (die < 0.97) await run(() => server.expireWatchCaches())
    else void this.reported.shift()?.subscription.then(subscription => subscription.close())
  }

  async #write(path: Path, n: number): Promise<void> {
    const { writer } = this.kit
    const key = keyOf(path)
    const by = chance(this.random, 0.5) ? this.own : writer
    const there = await writer.get(configMaps, key)
    if (there !== undefined && chance(this.random, 0.4)) return this.#delete(path, by)
    const { isAfter } = this
    const done = this.done[path]
    const { deletes, deleting } = done
    const data = { n: `${n} of ${this.seed}`, [isAfter ? 'after' : 'before']: '' }
    const written =
      there === undefined
        ? await by.create(configMaps, { metadata: key, data })
        : await by.patch(configMaps, key, { data })
    // One that was deleted before the answer came is not to be read.
    if (by !== this.own || !isAfter || deleting > 0 || deletes !== done.deletes) return
    done.written = Math.max(done.written ?? 0, Number(versionOf(written)))
    await this.#read(path)
  }

  async #delete(path: Path, by: Pick<Client, 'delete'>): Promise<void> {
    const done = this.done[path]
    done.deletes += 1
    done.deleting += 1
    try {
      await by.delete(configMaps, keyOf(path))
    } finally {
      // A recreated object lacks what was written before. A delete may have been done even if its answer was lost.
      done.written = undefined
      done.deleting -= 1
    }
  }

  /** What this process wrote since the restore is read, or what came after it. */
  async #read(path: Path): Promise<void> {
    const done = this.done[path]
    const { written, deletes } = done
    const isKept = written !== undefined && done.deleting === 0
    const object = await this.kit.run(() => this.kit.narrow.get(configMaps, keyOf(path)))
    if (!isKept || deletes !== done.deletes) return
    const isOfNow = object?.data?.after !== undefined && Number(versionOf(object)) >= written
    if (!isOfNow) this.outdated.push(`${path} ${versionOf(object)}, not ${written}`)
  }

  #subscribe(path: Path): void {
    const events: string[] = []
    const subscription = this.kit.narrow.watch(choose(this.random, views), keyOf(path), {
      add: object => events.push(`+ ${versionOf(object)}`),
      update: object => events.push(`~ ${versionOf(object)}`),
      delete: () => events.push('- absent'),
      absent: () => events.push('0 absent'),
    })
    this.reported.push({ path, events, subscription })
  }

  async #check(): Promise<void> {
    const { narrow, run, writer, simulation, requests } = this.kit
    expect(this.outdated).toEqual([])
    const present = new Map<Path, string>()
    for (const path of paths) present.set(path, versionOf(await run(() => writer.get(configMaps, keyOf(path)))))
    for (const { path, events, subscription } of this.reported) {
      await run(() => subscription)
      expect(events.at(-1)?.slice(2), `${path}: ${events}`).toBe(present.get(path))
      expect(events.filter((event, i) => event === events[i - 1])).toEqual([])
    }
    const readAll = async (): Promise<void> => {
      for (const path of paths) {
        for (const view of views) {
          expect(versionOf(await run(() => narrow.get(view, keyOf(path)))), path).toBe(present.get(path))
        }
      }
      await simulation.advance(60_000)
    }
    await readAll()
    await readAll()
    requests()
    await readAll()
    expect(requests().filter(one => !one.startsWith('watch'))).toEqual([])
    expect(narrow.report().waiting).toBe(0)
  }
}
