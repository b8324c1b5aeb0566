import { chance, choose, integer, type Random, shuffle } from '@wherry/testing'
import { expect } from 'vitest'
import type { StoreWriter } from '../store-writer.ts'
import { bed, type Item, item, type MakeStore, shown } from './objects.ts'

const keys = ['a/1', 'a/2', 'a/3', 'b/1', 'b/2']
const labels = ['red', 'green', 'blue']

type Filter = (object: Item) => boolean

interface LogEntry {
  readonly version: number
  readonly key: string
  readonly before: Item | undefined
  readonly after: Item | undefined
}

/** All that ever happened at a server, and so what any watch of it brings from any point on. */
class History {
  readonly log: LogEntry[] = []
  readonly #state = new Map<string, Item>()
  readonly #random: Random
  #uids = 0

  constructor(random: Random) {
    this.#random = random
  }

  get version(): number {
    return this.log.length
  }

  happen(): void {
    const random = this.#random
    const key = choose(random, keys)
    const before = this.#state.get(key)
    const version = this.log.length + 1
    const isGone = before !== undefined && chance(random, 0.3)
    const uid = before?.metadata?.uid ?? `uid-${++this.#uids}`
    const after = isGone ? undefined : item(key, version, { uid, labels: { colour: choose(random, labels) } })
    if (after === undefined) this.#state.delete(key)
    else this.#state.set(key, after)
    this.log.push({ version, key, before, after })
  }

  at(version: number, filter: Filter): Item[] {
    const state = new Map<string, Item>()
    for (const { key, after } of this.log.slice(0, version)) {
      if (after === undefined) state.delete(key)
      else state.set(key, after)
    }
    return [...state.values()].filter(filter)
  }
}

/** One list and watch of a part of it. */
class Source {
  readonly writer: StoreWriter
  readonly #history: History
  readonly #filter: Filter
  at = 0

  constructor(history: History, writer: StoreWriter, filter: Filter) {
    this.#history = history
    this.writer = writer
    this.#filter = filter
  }

  list(version: number, random: Random): void {
    const snapshot = this.writer.replace()
    for (const object of shuffle(random, this.#history.at(version, this.#filter))) {
      snapshot.put(structuredClone(object), 100)
    }
    snapshot.commit(`${version}`)
    this.at = version
  }

  relist(random: Random): void {
    this.list(integer(random, this.at, this.#history.version), random)
  }

  advance(events: number, random: Random): void {
    for (let count = 0; count < events && this.at < this.#history.version; count++) {
      const { version, before, after } = this.#history.log[this.at++] as LogEntry
      const was = before !== undefined && this.#filter(before)
      const is = after !== undefined && this.#filter(after)
      if (is) this.writer.change(was ? 'MODIFIED' : 'ADDED', structuredClone(after), 100)
      else if (was) {
        const last = structuredClone(before)
        if (last.metadata) last.metadata.resourceVersion = `${version}`
        this.writer.change('DELETED', last, 100)
      }
      if (chance(random, 0.1)) this.writer.progress(`${this.at}`)
    }
  }

  finish(random: Random): void {
    this.advance(this.#history.version, random)
    this.writer.progress(`${this.#history.version}`)
  }
}

function scopes(random: Random): Filter[] {
  const some = shuffle(random, labels).slice(0, integer(random, 1, 3))
  const coloured: Filter = object => some.includes(object.metadata?.labels?.colour as string)
  const inNamespace =
    (name: string): Filter =>
    object =>
      object.metadata?.namespace === name && coloured(object)
  return choose(random, [[coloured], [inNamespace('a')], [inNamespace('a'), inNamespace('b')]])
}

/**
 * A random run of promotions: the watch of one scope is replaced by that of another, or of the same, the one ahead of the
 * other or behind it. In the end the store has what the server has in the last scope; no handler receives a state that is
 * older than one that it has received, nor one that it knows already; and nothing comes back that is gone.
 */
export async function runPromotions(make: MakeStore, random: Random): Promise<void> {
  const { simulation, environment } = bed()
  const history = new History(random)
  const store = make({ environment })
  const objects = new Map<string, Item>()
  const newest = new Map<string, number>()
  const read = new Map<string, Item>()
  const advanceTo = (object: Item): void => {
    const [key, version] = [object.metadata?.uid as string, Number(object.metadata?.resourceVersion)]
    expect(version, `${shown(object)} goes back`).toBeGreaterThanOrEqual(newest.get(key) ?? 0)
    newest.set(key, version)
  }
  const happen = (times: number): void => {
    for (let time = 0; time < times; time++) history.happen()
  }

  await simulation.run(async () => {
    happen(integer(random, 1, 15))
    let sources = scopes(random).map(filter => new Source(history, store.writer(), filter))
    for (const source of sources) source.list(integer(random, 1, history.version), random)
    store.register({
      add: (object, { key }) => {
        expect(objects.has(key), `add of ${key}, which it has`).toBe(false)
        advanceTo(object)
        objects.set(key, object)
      },
      update: (object, { old, key }) => {
        expect(objects.get(key)).toBe(old)
        expect(object.metadata?.resourceVersion, 'delivered twice').not.toBe(old.metadata?.resourceVersion)
        advanceTo(object)
        objects.set(key, object)
      },
      delete: (object, { key }) => {
        expect(objects.has(key), `delete of ${key}, which it has not`).toBe(true)
        advanceTo(object)
        objects.delete(key)
      },
    })
    const cursor = store.cursor()
    const follow = (): void => {
      for (const change of cursor.take(integer(random, 1, 20))) {
        if (change.type === 'changed') read.set(change.key, change.object)
        if (change.type === 'deleted') read.delete(change.key)
      }
    }

    for (let round = integer(random, 1, 3); round > 0; round--) {
      const filters = scopes(random)
      const next = filters.map(filter => new Source(history, store.writer({ staged: true }), filter))
      const isListed = new Set<Source>()
      const least = Math.max(...sources.map(({ at }) => at))
      for (let steps = integer(random, 0, 12); steps > 0 || isListed.size < next.length; steps--) {
        happen(integer(random, 0, 3))
        const dice = random()
        if (dice < 0.5) choose(random, sources).advance(integer(random, 1, 5), random)
        else if (dice < 0.55) choose(random, sources).relist(random)
        else if (dice < 0.6) follow()
        else {
          const source = choose(random, next)
          if (isListed.has(source) && chance(random, 0.9)) source.advance(integer(random, 1, 4), random)
          else source.list(integer(random, Math.max(least, history.version - 8), history.version), random)
          isListed.add(source)
        }
      }
      store.promote(
        next.map(({ writer }) => writer),
        sources.map(({ writer }) => writer),
      )
      sources = next
      for (let steps = integer(random, 0, 8); steps > 0; steps--) {
        happen(integer(random, 0, 2))
        const source = choose(random, sources)
        if (chance(random, 0.1)) source.relist(random)
        else source.advance(integer(random, 1, 5), random)
      }
      if (round > 1) continue
      for (const source of sources) source.finish(random)
      for (const source of sources) source.finish(random)
      await simulation.settle()
      expect(environment.errors.map(({ error }) => error.message)).toEqual([])
      const wanted = filters.flatMap(filter => history.at(history.version, filter)).map(shown)
      expect(store.list().map(shown).sort()).toEqual(wanted.sort())
      expect([...objects.values()].map(shown).sort()).toEqual(wanted)
      for (let lag = cursor.lag; lag > 0; lag = cursor.lag) follow()
      expect([...read.values()].map(shown).sort()).toEqual(wanted)
    }
    store.close(new Error('over'))
  })
}
