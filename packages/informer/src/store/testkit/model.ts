import assert from 'node:assert/strict'
import { chance, choose, integer, type Random } from '@wherry/testing'
import { expect } from 'vitest'
import type { Change } from '../../change.ts'
import type { Cursor } from '../../journal/cursor.ts'
import type { Handler, Registration } from '../../registrations/handler.ts'
import type { StoreWriter } from '../store-writer.ts'
import { bed, type Item, item, type MakeStore, shown } from './objects.ts'

const namespaces = ['a', 'b'] as const

/** What a key should be: the last value that could be transformed, if any, and whether the newest state could. */
interface Expected {
  uid: string
  version: number
  value: string | undefined
  isFailed: boolean
}

const versionOf = (object: Item): number => Number(object.metadata?.resourceVersion)

/**
 * A handler that complains at once of an event that no handler may receive. Here and below `assert` checks the calls
 * for each change: `expect` takes a hundred times as long.
 */
class Listener implements Handler<Item> {
  readonly objects = new Map<string, Item>()
  registration: Registration | undefined
  isRemoved = false

  add(object: Item, { key }: { readonly key: string }): void {
    assert(!this.isRemoved, 'called after its removal')
    assert(!this.objects.has(key), `add of ${key}, which it has`)
    this.objects.set(key, object)
  }

  update(object: Item, { old, key }: { readonly old: Item; readonly key: string }): void {
    assert(!this.isRemoved, 'called after its removal')
    assert.equal(this.objects.get(key), old)
    assert.equal(object.metadata?.uid, old.metadata?.uid)
    this.objects.set(key, object)
  }

  delete(object: Item, { key }: { readonly key: string }): void {
    assert(!this.isRemoved, 'called after its removal')
    const held = this.objects.get(key)
    assert(held !== undefined, `delete of ${key}, which it has not`)
    assert(versionOf(object) >= versionOf(held), `${key} goes back`)
    this.objects.delete(key)
  }
}

/**
 * Reads a cursor into a map, and complains of what no cursor may give. The map may be that of a former one, as with a sink
 * that outlives its process.
 */
class Follower {
  readonly cursor: Cursor<Item>
  readonly objects: Map<string, Item>
  /** The newest version received of a key: nothing older may follow, of whichever uid. */
  readonly #newest = new Map<string, number>()
  #received: Set<string> | undefined
  #isFirst = true

  constructor(cursor: Cursor<Item>, former: Follower | undefined) {
    this.cursor = cursor
    this.objects = new Map(former?.objects)
  }

  read(max: number): Change<Item>[] {
    const changes = this.cursor.take(max)
    assert(changes.length <= max, `${changes.length} changes, asked for ${max}`)
    for (const change of changes) this.#receive(change)
    return changes
  }

  /** What it knows to be there: during a replay, what it has received in it. */
  known(): Map<string, Item> {
    return new Map([...this.objects].filter(([key]) => this.#received === undefined || this.#received.has(key)))
  }

  #receive(change: Change<Item>): void {
    assert(!this.#isFirst || change.type === 'reset', 'reset first')
    this.#isFirst = false
    switch (change.type) {
      case 'reset':
        this.#received = new Set()
        break
      case 'changed':
        this.#advance(change.key, change.object, true)
        this.objects.set(change.key, change.object)
        this.#received?.add(change.key)
        break
      case 'deleted':
        this.#advance(change.key, change.object, false)
        this.objects.delete(change.key)
        break
      case 'synced':
        assert(this.#received !== undefined, 'synced without a reset')
        for (const key of this.objects.keys()) {
          if (!this.#received.has(key) && !change.failed.includes(key)) this.objects.delete(key)
        }
        this.#received = undefined
    }
  }

  #advance(key: string, object: Item, isThere: boolean): void {
    const version = versionOf(object)
    const newest = this.#newest.get(key) ?? 0
    assert(version >= newest, `${key} goes back`)
    if (isThere && !this.objects.has(key)) this.#newest.set(key, version)
    else this.#newest.set(key, Math.max(version, newest))
  }
}

/**
 * A random run of what writers do, with a plain map that says what should be in the store, with handlers and cursors
 * that join, lag and leave. In the end, and now and then before, the store is what the map says, and what each handler
 * received and each cursor read comes to the same.
 */
export async function runModel(make: MakeStore, random: Random, operations: number): Promise<void> {
  const { simulation, environment } = bed(integer(random, 1, 1e9))
  const perNamespace = integer(random, 1, 6)
  const canFail = chance(random, 0.5)
  const store = make({
    environment,
    freeze: chance(random, 0.1),
    ...(chance(random, 0.7) && { maxTombstones: integer(random, 0, 8) }),
    ...(chance(random, 0.2) && { maxTombstoneBytes: integer(random, 0, 500) }),
    transform: object => {
      if ((object as Item).data?.value?.startsWith('bad')) throw new Error('bad')
      return object as Item
    },
  })
  const server = new Map<string, Item>()
  const expected = new Map<string, Expected>()
  const writers = new Map<string, StoreWriter>(namespaces.map(namespace => [namespace, store.writer()]))
  const listeners = new Set<Listener>()
  const followers = new Set<Follower>()
  let former: Follower | undefined
  let version = 0
  let uids = 0

  const join = (): void => {
    const listener = new Listener()
    listener.registration = store.register(listener)
    listeners.add(listener)
  }
  const leave = (): void => {
    const listener = choose(random, [...listeners])
    listeners.delete(listener)
    listener.registration?.remove()
    listener.isRemoved = true
  }
  const value = (): string => (canFail && chance(random, 0.15) ? `bad${version}` : `${version}`)

  /** What the store should make of a state. */
  const see = (key: string, object: Item): void => {
    const uid = object.metadata?.uid as string
    const text = object.data?.value as string
    const isFailed = text.startsWith('bad')
    const held = expected.get(key)
    const isSameObject = held !== undefined && held.uid === uid
    if (isSameObject && held.version === versionOf(object)) return
    const former = isSameObject ? held.value : undefined
    expected.set(key, { uid, version: versionOf(object), value: isFailed ? former : text, isFailed })
  }
  /** Something happens at the server; the writer receives it unless it is cut off. */
  const happen = (isReceived: boolean): void => {
    const namespace = choose(random, namespaces)
    const key = `${namespace}/${integer(random, 1, perNamespace)}`
    const writer = writers.get(namespace) as StoreWriter
    const held = server.get(key)
    version++
    if (held !== undefined && chance(random, 0.3)) {
      server.delete(key)
      const last = item(key, version, {
        uid: held.metadata?.uid,
        value: chance(random, 0.1) ? value() : held.data?.value,
      })
      if (!isReceived) return
      writer.change('DELETED', last, 100)
      expected.delete(key)
      return
    }
    const object = item(key, version, { uid: held?.metadata?.uid ?? `uid-${++uids}`, value: value() })
    server.set(key, object)
    if (!isReceived) return
    writer.change(held === undefined ? 'ADDED' : 'MODIFIED', structuredClone(object), 100)
    see(key, object)
    if (chance(random, 0.05)) writer.change('MODIFIED', structuredClone(object), 100)
  }
  const relist = (namespace: string): void => {
    const snapshot = (writers.get(namespace) as StoreWriter).replace()
    const objects = [...server].filter(([key]) => key.startsWith(namespace))
    for (const [, object] of objects) {
      if (chance(random, 0.05)) snapshot.put(structuredClone(object), 100)
      if (chance(random, 0.05)) snapshot.remove(object)
      snapshot.put(structuredClone(object), 100)
    }
    if (chance(random, 0.2)) return snapshot.drop()
    const listed = new Map(server)
    snapshot.commit()
    for (const key of [...expected.keys()]) if (key.startsWith(namespace) && !listed.has(key)) expected.delete(key)
    for (const [key, object] of listed) if (key.startsWith(namespace)) see(key, object)
  }
  /** All that the writers have missed is made up for: what a quiet point is checked at. */
  const check = async (): Promise<void> => {
    await simulation.settle()
    const values = new Map([...expected].flatMap(([key, { value: text }]) => (text === undefined ? [] : [[key, text]])))
    const held = new Map(store.list().map(object => [shown(object).split('@')[0], object.data?.value]))
    expect(sorted(held)).toEqual(sorted(values))
    expect([...store.keys()].sort()).toEqual([...expected.keys()].sort())
    const failed = [...expected].filter(([, { isFailed }]) => isFailed).map(([key]) => key)
    expect([...store.failed()].sort()).toEqual(failed.sort())
    for (const [key, { uid, version: rv }] of expected) {
      assert.deepEqual(store.version(key), { uid, resourceVersion: `${rv}` })
    }
    const objects = new Map(store.list().map(object => [shown(object).split('@')[0] as string, object]))
    for (const listener of listeners) {
      expect(listener.registration?.hasSynced).toBe(store.synced)
      expect(sorted(listener.objects)).toEqual(sorted(objects))
    }
    for (const follower of followers) {
      const { lag } = follower.cursor
      let taken = 0
      for (let read = follower.read(3); read.length > 0; read = follower.read(3)) taken += read.length
      expect(taken, 'a lag is never too low').toBeLessThanOrEqual(lag)
      expect(follower.cursor.lag).toBe(0)
      const known = [...follower.known()]
      // What can't be transformed is not gone for a reader that knew it, or another of its name.
      const isKept = (key: string): boolean => expected.has(key) && !objects.has(key)
      expect(sorted(new Map(known.filter(([key]) => !isKept(key))))).toEqual(sorted(objects))
    }
    expect(store.stats()).toMatchObject({
      objects: expected.size,
      failed: failed.length,
      receivedBytes: expected.size * 100,
      tombstones: 0,
      tombstoneBytes: 0,
      cursors: followers.size,
      registrations: listeners.size,
    })
    expect(environment.errors.filter(({ context }) => context.phase !== 'transform')).toEqual([])
  }

  await simulation.run(async () => {
    for (let operation = 0; operation < operations; operation++) {
      const dice = random()
      if (dice < 0.7) happen(chance(random, 0.95))
      else if (dice < 0.73) relist(choose(random, namespaces))
      else if (dice < 0.85 && followers.size > 0) choose(random, [...followers]).read(integer(random, 1, 12))
      else if (dice < 0.88) followers.add(new Follower(store.cursor(), former))
      else if (dice < 0.9 && followers.size > 0) {
        former = choose(random, [...followers])
        followers.delete(former)
        former.cursor.close()
      } else if (dice < 0.92) join()
      else if (dice < 0.94 && listeners.size > 0) leave()
      else if (dice < 0.96) await simulation.settle()
      else if (dice < 0.965) await check()
      else if (dice < 0.97) {
        const namespace = choose(random, namespaces)
        writers.get(namespace)?.clear()
        for (const key of [...expected.keys()]) if (key.startsWith(namespace)) expected.delete(key)
      }
    }
    for (const namespace of namespaces) {
      do relist(namespace)
      while (!writers.get(namespace)?.synced)
    }
    await check()
    for (const follower of [...followers]) follower.cursor.close()
    for (const listener of [...listeners]) listener.registration?.remove()
    store.close(new Error('over'))
  })
}

function sorted<V>(map: ReadonlyMap<unknown, V>): [unknown, V][] {
  return [...map].sort(([a], [b]) => (`${a}` < `${b}` ? -1 : 1))
}
