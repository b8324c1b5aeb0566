import type { Client } from '@wherry/client'
import { isAlreadyExists, isNotFound, type View } from '@wherry/client'
import { type ConfigMap, configMaps, secrets } from '@wherry/client/resources/core'
import { chance, choose, forEachSeed, integer } from '@wherry/testing'
import { ExponentialRateLimiter, WorkQueue } from '@wherry/work-queue'
import { describe, expect, it } from 'vitest'
import type { Read } from './read.ts'
import { shown } from './selection.ts'
import { allowing, type Kit, keyOf, withReads } from './testkit/kit.ts'
import { declared, type Eyes, evaluate, own, paths, randomProgram, small, strict, web } from './testkit/programs.ts'
import { changeSomething, present } from './testkit/world.ts'

const keys = ['k0', 'k1', 'k2', 'k3', 'k4'] as const

describe('tracked reads, whatever happens', () => {
  it('C11–C17: what was made of objects is what comes of their present state, and no more is watched than was read', async () => {
    // a changed copy (npm run mutants) has seconds for all tests
    const seeds = 90
    await forEachSeed(
      async seed => {
        const escalateAt = [3, 100, 2][seed % 3]
        const escalateAllAt = [1000, 5][(seed >> 1) % 2]
        const poll = seed % 4 === 0 ? [{ resource: configMaps, pollMs: 5000 }] : []
        const access = { mayWatch: true }
        // Single objects may be watched, or for a while not; listed objects always.
        const cluster = allowing((verb, resource) => verb !== 'watch' || resource !== 'configmaps' || access.mayWatch)
        const options = {
          seed,
          declared: [declared, own, strict, web],
          narrow: { escalateAt, escalateAllAt },
          poll,
          cluster,
        }
        await withReads(options, kit => new Operator(kit, access).rounds())
      },
      { seeds },
    )
  }, 1_200_000)
})

/** What a run has read, for the oracle of the expected watches. */
type Asked = Set<string>

/** A small operator: a program for each key, which is run when it is to be, and the last result of each. */
class Operator {
  readonly kit: Kit
  readonly access: { mayWatch: boolean }
  readonly queue: WorkQueue
  readonly programs = new Map<string, string>()
  readonly results = new Map<string, string>()
  readonly asked = new Map<string, Asked>()
  readonly random: () => number
  runs = 0
  throwing = 0
  /** Changes are made, and runs may make some. */
  isBusy = false

  constructor(kit: Kit, access: { mayWatch: boolean }) {
    this.kit = kit
    this.access = access
    const { clock } = kit.simulation
    this.random = kit.simulation.random.fork('test')
    this.queue = new WorkQueue({ clock, rateLimiter: new ExponentialRateLimiter({ baseMs: 5, maxMs: 2000 }) })
    kit.onChange(key => this.queue.add(key))
  }

  async rounds(): Promise<void> {
    const { simulation, transport, narrow, reads, run } = this.kit
    const workers = [this.#work(), this.#work()]
    for (let round = 0; round < 2; round++) {
      this.isBusy = true
      await run(async () => {
        for (let i = integer(this.random, 5, 25); i > 0; i--) {
          await this.#something()
          await simulation.advance(
            chance(this.random, 0.2) ? integer(this.random, 0, 3000) : integer(this.random, 0, 5),
          )
        }
      })
      this.throwing = 0
      this.isBusy = false
      this.access.mayWatch = true
      transport.controls.setFaults({})
      await simulation.advance(150_000)
      await this.#check()
    }
    await run(() => this.queue.stop())
    await run(() => Promise.all(workers))
    for (const key of keys) reads.forget(key)
    expect(reads.report()).toEqual({ keys: 0, dependencies: 0, objects: 0, polled: 0, selections: 0 })
    expect(narrow.report().subscriptions).toBe(0)
  }

  async #something(): Promise<void> {
    const { kit, random } = this
    const die = random()
    if (die < 0.55) {
      await changeSomething(kit.writer, random).catch(error => {
        // A run of a key was quicker.
        if (!isAlreadyExists(error) && !isNotFound(error)) throw error
      })
    } else if (die < 0.8) {
      const key = choose(random, keys)
      this.programs.set(key, randomProgram(random))
      this.queue.add(key)
    } else if (die < 0.85) {
      const key = choose(random, keys)
      this.programs.delete(key)
      this.queue.add(key)
    } else if (die < 0.92) this.throwing = chance(random, 0.5) ? 0.3 : 0
    else await this.#trouble()
  }

  async #trouble(): Promise<void> {
    const { server, transport } = this.kit
    const { controls } = transport
    const kind = integer(this.random, 0, 6)
    if (kind === 0) await server.endWatches(chance(this.random, 0.5) ? 'configmaps' : 'secrets')
    else if (kind === 1) await server.expireWatchCaches()
    else if (kind === 2) await server.compact()
    else if (kind === 3) controls.goawayAll()
    else if (kind === 4) controls.setFaults({ kill: 0.2, goaway: 0.1, refuse: 0.1 })
    else if (kind === 5) {
      this.access.mayWatch = !this.access.mayWatch
      await server.endWatches('configmaps')
    } else for (const connection of controls.connections()) controls.kill(connection)
  }

  async #work(): Promise<void> {
    for await (const key of this.queue) {
      await this.#reconcile(key)
      this.queue.done(key)
    }
  }

  async #reconcile(key: string): Promise<void> {
    const { kit, queue } = this
    const program = this.programs.get(key)
    this.runs += 1
    if (program === undefined) {
      kit.reads.forget(key)
      this.results.delete(key)
      this.asked.delete(key)
      return
    }
    const run = kit.reads.begin(key, { namespace: 'a' })
    const asked: Asked = new Set()
    try {
      this.results.set(key, await evaluate(program, this.#eyes(run.read, asked)))
      if (chance(this.random, 0.2)) await this.#own(key, run.read, asked)
      if (this.isBusy && chance(this.random, 0.15)) await this.#shared(run.read, asked)
      // A change that comes now is none that it has read.
      await kit.simulation.clock.turn()
      run.succeed()
      this.asked.set(key, asked)
      queue.forget(key)
    } catch {
      run.fail()
      queue.addRateLimited(key)
    }
  }

  /** Writes objects of its own, one that is read by a watch of it, one by an informer, and reads them again. */
  async #own(key: string, read: Read, asked: Asked): Promise<void> {
    const { client, narrow, reads } = this.kit
    const writes = client.withWriteListeners(narrow, reads.writes)
    const metadata = keyOf(`c/${key}`)
    const data = { n: Buffer.from(`${this.results.get(key)}`).toString('base64') }
    const [whole, view] = chance(this.random, 0.5) ? [configMaps, configMaps] : [secrets as typeof configMaps, own]
    const seen = async (): Promise<(string | undefined)[]> => {
      const object = await read.get(view as typeof configMaps, metadata)
      asked.add(`object ${view.key} c/${key}`)
      if (view !== own) return [object?.data?.n]
      const all = await read.list(own)
      asked.add(`selection ${own.key} undefined `)
      return [object?.data?.n, all.find(({ metadata: about }) => about?.name === key)?.data?.n]
    }
    const [before] = await seen()
    if (before === undefined) await writes.create(whole, { metadata, data })
    else if (before !== data.n) await writes.patch(whole, metadata, { data })
    const after = await seen()
    if (!after.every(n => n === data.n)) this.kit.faults.push(`${key} wrote ${data.n} and read ${after}`)
    if (view === own && chance(this.random, 0.3)) {
      await writes.delete(whole, metadata)
      const left = await seen()
      if (!left.every(n => n === undefined)) this.kit.faults.push(`${key} was deleted and read ${left}`)
      if (chance(this.random, 0.5)) await writes.create(whole, { metadata, data })
    }
  }

  /** Writes an object that others write too, and reads it: as it was written, or as it was made since. */
  async #shared(read: Read, asked: Asked): Promise<void> {
    const { random, kit } = this
    const { client, narrow, reads, writer } = kit
    const path = choose(random, paths)
    const key = keyOf(path)
    const [whole, views] = chance(random, 0.5)
      ? ([configMaps, [configMaps, configMaps.metadata()]] as const)
      : ([secrets as typeof configMaps, [declared, small, web, web]] as const)
    const view = choose<View>(random, views) as typeof configMaps
    const listed = async (): Promise<ConfigMap | undefined> => {
      const found = (await read.list(view)).find(({ metadata }) => `${metadata?.namespace}/${metadata?.name}` === path)
      asked.add(`selection ${view.key} undefined `)
      return found
    }
    const got = async (): Promise<ConfigMap | undefined> => {
      const found = await read.get(view, key)
      asked.add(`object ${view.key} ${path}`)
      return found
    }
    const isOutside = view.namespaces?.includes(key.namespace) === false
    const seen = view.resource.plural === 'secrets' && (isOutside || chance(random, 0.5)) ? listed : got
    if (chance(random, 0.7)) await seen()
    // A write is not received by the time that it is answered.
    if (chance(random, 0.5)) await kit.server.endWatches(whole.resource.plural)
    const writes = client.withWriteListeners(narrow, reads.writes)
    const was = await writer.get(whole, key)
    const labels = { app: choose(random, ['web', 'api', null]) } as Record<string, string>
    const made = await this.#make(writes, whole, key, labels, was)
    const object = await seen()
    const { resourceVersion, uid } = object?.metadata ?? {}
    const now = await writer.get(whole, key)
    const reported = `${path} of ${view.key} was made ${JSON.stringify(made)}, and read as ${resourceVersion}, ${uid}`
    if (made === undefined) {
      if (uid === was?.metadata?.uid && uid !== undefined) kit.faults.push(reported)
    } else if (now?.metadata?.resourceVersion === made.metadata?.resourceVersion) {
      const isSelected = !isOutside && view.labels.matches(made.metadata?.labels)
      if (resourceVersion !== (isSelected ? made.metadata?.resourceVersion : undefined)) kit.faults.push(reported)
    } else if (Number(resourceVersion) < Number(made.metadata?.resourceVersion)) kit.faults.push(reported)
  }

  /** Gives what was made of it; `undefined`: it was deleted. Rejects where somebody else was quicker. */
  async #make(
    writes: Client,
    whole: typeof configMaps,
    key: ReturnType<typeof keyOf>,
    labels: Record<string, string>,
    was: ConfigMap | undefined,
  ): Promise<ConfigMap | undefined> {
    const metadata = { ...key, labels: labels.app === null ? {} : labels }
    if (was === undefined) return writes.create(whole, { metadata, data: { n: 'MQ==' } })
    if (chance(this.random, 0.7)) return writes.patch(whole, key, { metadata: { labels } })
    await writes.delete(whole, key, { preconditions: { uid: was.metadata?.uid } })
    return undefined
  }

  #eyes(read: Read, asked: Asked): Eyes {
    const { kit } = this
    const note = (what: string): void => void asked.add(what)
    const noteList = (view: View, labels = '', namespace: string | undefined): void =>
      note(`selection ${view.key} ${namespace} ${labels === 'app in (web,api)' ? 'app in (api,web)' : labels}`)
    const pause = async (): Promise<void> => {
      if (chance(this.random, this.throwing)) throw new Error('thrown by the test')
      const { clock } = kit.simulation
      if (chance(this.random, 0.3)) await new Promise<void>(done => clock.timer(integer(this.random, 0, 20), done))
    }
    return {
      get: async <C>(view: View<C>, path: string) => {
        note(`object ${view.key} ${path}`)
        const object = await read.get(view, keyOf(path))
        await pause()
        return object
      },
      select: async (view, path, select) => {
        const selected = await read.get(view, keyOf(path), { select })
        note(`object ${view.key} ${path}`)
        await pause()
        return selected
      },
      list: async (view, labels, namespace) => {
        const objects = await read.list(view, { labels, namespace })
        noteList(view, labels, namespace)
        await pause()
        return objects
      },
      found: async (view, index, value) => {
        const objects = await read.list(view, { index, value })
        note(`selection ${view.key} undefined  ${shown(view, value)}`)
        await pause()
        return objects
      },
      parts: async (view, labels, select) => {
        const selected = await read.list(view, { labels, select })
        noteList(view, labels, undefined)
        await pause()
        return selected
      },
    }
  }

  async #check(): Promise<void> {
    const { kit, queue } = this
    const { reads, narrow, simulation, run } = kit
    expect(kit.faults).toEqual([])
    await run(() => reads.whenQuiet())
    expect([queue.size, queue.delayed, queue.running, reads.catchingUp]).toEqual([0, 0, 0, false])
    const eyes = await run(() => present(kit.writer))
    for (const [key, program] of this.programs) {
      expect(this.results.get(key), `${key}: ${program}`).toBe(await evaluate(program, eyes))
    }
    expect([...this.results.keys()].sort()).toEqual([...this.programs.keys()].sort())
    const objects = new Set<string>()
    const selections = new Set<string>()
    /** What an informer took over, as most objects are read (rule C15). */
    const taken = new Set<string>()
    for (const key of keys) {
      const asked = this.asked.get(key) ?? new Set()
      const dependencies = reads.dependencies(key)
      for (const one of dependencies)
        if (one.type === 'object' && one.served === 'informer') taken.add(`object ${one.view} ${one.object}`)
      const depends = dependencies.map(one =>
        one.type === 'object'
          ? `object ${one.view} ${one.object}`
          : `selection ${one.view} ${one.namespace} ${one.labels}${one.value === undefined ? '' : ` ${one.value}`}`,
      )
      expect(depends.sort(), key).toEqual([...asked].sort())
      for (const one of asked) (one.startsWith('object') ? objects : selections).add(one)
    }
    expect(reads.report()).toMatchObject({ objects: objects.size, selections: selections.size })
    const narrowly = [...objects].filter(one => one.includes('configmaps') && !taken.has(one))
    const { subscriptions, entries, idle, streams, escalated, waiting } = narrow.report()
    const { polled } = reads.report()
    expect({ subscriptions, waiting }).toEqual({ subscriptions: narrowly.length - polled, waiting: 0 })
    // Each view of an object is an entry (rule N2).
    if (polled === 0) expect(entries - idle).toBe(narrowly.length)
    expect(streams).toBeLessThanOrEqual(entries + escalated.length)
    const { runs } = this
    await simulation.advance(40_000)
    expect(this.runs, 'runs without a cause').toBe(runs)
  }
}
