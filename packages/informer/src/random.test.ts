import type { KubernetesObject, View } from '@wherry/client'
import { keyText } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { chance, choose, forEachSeed, integer, type Random } from '@wherry/testing'
import { expect, it } from 'vitest'
import { Informer } from './informer.ts'
import { CursorReplay, HandlerReplay, type Received, type Seen } from './testkit/replays.ts'
import { type SimulatedCluster, simulatedCluster } from './testkit/served.ts'
import { peace, type Trouble, troubles } from './testkit/troubles.ts'

it('R1–R39: whatever happens on the way, the store, each handler and each cursor come to the state of the server', async () => {
  // a changed copy (npm run mutants) has seconds for all tests
  const seeds = 220
  await forEachSeed(seed => new Model(seed).run(), { seeds })
}, 900_000)

interface ModelObject extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>> | undefined
}

const project = ({ metadata, data }: ModelObject): Seen => {
  if (data?.bad === 'yes') throw new Error('a transform that throws')
  return {
    key: keyText({ name: `${metadata?.name}`, namespace: metadata?.namespace }),
    resourceVersion: `${metadata?.resourceVersion}`,
    value: data?.value,
  }
}
const seen = configMaps.project('seen', project)
const namespaces = ['n1', 'n2', 'n3']

/** One random run: an informer in trouble, and a server. The server's state is the oracle. */
class Model {
  readonly #seed: number
  /** All states that were ever written: `key@resourceVersion=value`. */
  readonly #written = new Set<string>()
  readonly #alive = new Set<string>()
  readonly #handlers: HandlerReplay[] = []
  readonly #cursors: CursorReplay[] = []
  /** The cursor that was closed last: a sink that outlives its process goes on from what it had. */
  #former: CursorReplay | undefined
  #received: Received = { states: new Set(), rollbacks: () => 0 }
  #writes = 0
  /** What no restore goes below. */
  #floor = 0
  #cluster!: SimulatedCluster
  #random!: Random
  #informer!: Informer<Seen, 'namespaced'>
  #view!: View<Seen, 'namespaced'>

  constructor(seed: number) {
    this.#seed = seed
  }

  async run(): Promise<void> {
    const uncached = this.#seed % 7 === 0
    this.#cluster = await simulatedCluster(this.#seed, {
      protocol: this.#seed % 5 === 0 ? 'http/1.1' : 'h2',
      compactionMs: 60_000,
      ...(uncached && { withoutWatchCache: ['configmaps'] }),
    })
    const { simulation, client, server } = this.#cluster
    const random = simulation.random.fork('test')
    this.#random = random
    this.#view = choose(random, [
      seen,
      seen.within({ namespaces: ['n1'] }),
      seen.within({ namespaces: ['n1', 'n2'] }),
      seen.within({ labels: { app: 'in' } }),
    ])
    const rollbacks = (): number =>
      simulation.environment.metric('reflector_rollbacks_total', { name: 'v1/configmaps' }) ?? 0
    this.#received = { states: new Set(), rollbacks }
    this.#informer = new Informer<Seen, 'namespaced'>({
      client,
      view: this.#view,
      initial: choose(random, ['stream', 'stream', 'whole', 'paged']),
      pageSize: integer(random, 1, 4),
      maxTombstones: choose(random, [undefined, 0, 2]),
      freeze: chance(random, 0.1),
    })
    await server.fill(namespaces.map(name => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })))
    this.#floor = await server.revision()
    for (let i = integer(random, 0, 6); i > 0; i--) await this.#write()
    this.#informer.start()
    for (let round = integer(random, 1, 2); round > 0; round--) {
      for (let step = integer(random, 5, 15); step > 0; step--) await this.#step()
      await this.#quiet()
      if (chance(random, 0.15)) await this.#restore()
    }
    const calls = this.#handlers.map(handler => handler.calls)
    await simulation.run(() => this.#informer.close())
    await this.#write()
    await simulation.advance(1000)
    expect(this.#handlers.map(handler => handler.calls)).toEqual(calls)
    this.#checkHandlers()
    await this.#cluster.close()
    await simulation.advance(60_000)
    expect(simulation.pending()).toEqual([])
  }

  async #step(): Promise<void> {
    const random = this.#random
    const { simulation } = this.#cluster
    const what = random()
    if (what < 0.35) await this.#write()
    else if (what < 0.6)
      await simulation.advance(chance(random, 0.8) ? integer(random, 0, 3000) : integer(random, 0, 90_000))
    else if (what < 0.8) await (choose(random, Object.values(troubles)) as Trouble)(this.#cluster, random)
    else if (what < 0.87) this.#addHandler()
    else if (what < 0.9) choose(random, [...this.#handlers, undefined])?.remove()
    else if (what < 0.93) this.#cursors.push(new CursorReplay(this.#informer.cursor(), this.#received, this.#former))
    else if (what < 0.98) choose(random, [...this.#cursors, undefined])?.read(integer(random, 1, 5))
    else if (this.#cursors.length > 0) {
      this.#former = this.#cursors.splice(integer(random, 0, this.#cursors.length - 1), 1)[0]
      this.#former?.close()
    }
  }

  #addHandler(): void {
    const random = this.#random
    const misbehave: () => unknown = choose(random, [
      () => undefined,
      () => {
        throw new Error('a handler that throws')
      },
      () => Promise.reject(new Error('a handler that rejects')),
      () => new Promise(() => {}),
      (): unknown => chance(random, 0.3) && handler.remove(),
    ])
    const handler: HandlerReplay = new HandlerReplay(this.#received, misbehave)
    this.#handlers.push(handler)
    handler.registration = this.#informer.addHandler(handler)
  }

  /** The keys of objects that have never had a value. */
  #valueless(): string[] {
    const reported = new Set(this.#informer.list().map(({ key }) => key))
    return this.#informer.failed().filter(key => !reported.has(key))
  }

  /** Creates, changes, relabels or deletes an object. */
  async #write(): Promise<void> {
    const { writer, simulation, server } = this.#cluster
    const random = this.#random
    const name = `o${integer(random, 1, 5)}`
    const namespace = choose(random, namespaces)
    const key = `${namespace}/${name}`
    this.#writes += 1
    const value = `${this.#writes}`
    const data = { value, bad: chance(random, 0.1) ? 'yes' : 'no' }
    const labels = { app: chance(random, 0.75) ? 'in' : 'out' }
    await simulation.run(async () => {
      if (!this.#alive.has(key)) {
        this.#note(key, value, await writer.create(configMaps, { metadata: { name, namespace, labels }, data }))
        this.#alive.add(key)
      } else if (chance(random, 0.3)) {
        await writer.delete(configMaps, { name, namespace })
        this.#alive.delete(key)
      } else {
        // after a restore a resourceVersion may come again: not for the same object, since no client could know the difference
        const next = `${key}@${(await server.revision()) + 1}=`
        if ([...this.#written].some(state => state.startsWith(next))) return
        this.#note(key, value, await writer.patch(configMaps, { name, namespace }, { metadata: { labels }, data }))
      }
    })
  }

  #note(key: string, value: string, { metadata }: ModelObject): void {
    this.#written.add(`${key}@${metadata?.resourceVersion}=${value}`)
  }

  /** Ends all trouble, waits until everything has come through, and compares. */
  async #quiet(): Promise<void> {
    const { simulation, writer } = this.#cluster
    const informer = this.#informer
    await peace(this.#cluster)
    const markers: [string, string | undefined][] = []
    for (const namespace of this.#view.namespaces ?? ['n1']) {
      await simulation.run(async () => {
        const metadata = { name: 'marker', namespace, labels: { app: 'in' } }
        this.#writes += 1
        const value = `${this.#writes}`
        const key = `${namespace}/marker`
        const made = this.#alive.has(key)
          ? await writer.patch(configMaps, { name: 'marker', namespace }, { data: { value } })
          : await writer.create(configMaps, { metadata, data: { value } })
        this.#alive.add(key)
        this.#note(key, value, made)
        markers.push([key, made.metadata?.resourceVersion])
      })
    }
    await simulation.runUntil(
      () => markers.every(([key, version]) => informer.version(key)?.resourceVersion === version),
      {
        limitMs: 7_200_000,
      },
    )
    await simulation.settle()
    const failed: string[] = []
    const expected: Seen[] = []
    const selected = configMaps.within({ namespaces: this.#view.namespaces ?? namespaces, labels: this.#view.labels })
    const { items } = await simulation.run(() => writer.list(selected))
    for (const item of items) {
      try {
        expected.push(project(item))
      } catch {
        failed.push(keyText({ name: `${item.metadata?.name}`, namespace: item.metadata?.namespace }))
      }
    }
    const isGood = ({ key }: Seen): boolean => !failed.includes(key)
    expect([...informer.failed()].sort()).toEqual(failed.sort())
    expect(sorted(informer.list().filter(isGood))).toEqual(sorted(expected))
    expect([...informer.keys()].sort()).toEqual([...failed, ...expected.map(({ key }) => key)].sort())
    for (const item of items) {
      const { name, namespace, uid, resourceVersion } = item.metadata as {
        name: string
        namespace: string
        uid: string
        resourceVersion: string
      }
      expect(informer.version({ name, namespace })).toEqual({ uid, resourceVersion })
    }
    const stored = sorted(informer.list())
    this.#checkHandlers()
    for (const handler of this.#handlers) {
      if (handler.removed) continue
      expect(sorted([...handler.objects.values()]), 'a handler').toEqual(stored)
      expect([...handler.valueless].sort(), 'a handler').toEqual(this.#valueless().sort())
    }
    for (const cursor of this.#cursors) {
      while (cursor.read(3) > 0);
      // What can't be transformed is not gone for a reader that knew it: its last state, or that of an object of that name before it.
      expect(sorted([...cursor.objects.values()].filter(isGood)), 'a cursor').toEqual(stored.filter(isGood))
    }
    const invented = [...this.#received.states].filter(
      state => !this.#written.has(state) && !state.endsWith('=undefined'),
    )
    expect(invented.filter(state => !this.#isDeletion(state))).toEqual([])
    expect(informer.hasSynced).toBe(true)
  }

  /** A DELETED event has the state of before at the resourceVersion of the deletion. */
  #isDeletion(state: string): boolean {
    const [key = '', value] = state.split(/@\d+/)
    return [...this.#written].some(one => one.startsWith(`${key}@`) && one.endsWith(`${value}`))
  }

  #checkHandlers(): void {
    for (const { problem } of this.#handlers) if (problem !== undefined) throw problem
  }

  /** The server goes back to an earlier state, as after a restore of its storage. */
  async #restore(): Promise<void> {
    const { server, simulation, writer } = this.#cluster
    const revision = await server.revision()
    // a compacted revision can't come back
    await server.restoreEtcd(Math.max(this.#floor, revision - integer(this.#random, 1, 6))).catch(() => undefined)
    await simulation.advance(10)
    this.#alive.clear()
    const { items } = await simulation.run(() => writer.list(configMaps))
    for (const { metadata } of items) this.#alive.add(`${metadata?.namespace}/${metadata?.name}`)
    // a reader that was ahead finds out, at the latest when a watch ends
    await simulation.advance(1_300_000)
    for (let step = integer(this.#random, 0, 5); step > 0; step--) await this.#step()
    await this.#quiet()
  }
}

function sorted(objects: readonly Seen[]): Seen[] {
  return [...objects].sort((a, b) => (a.key < b.key ? -1 : 1))
}
