import { queryObjects } from 'node:v8'
import type { KubernetesObject } from '@wherry/client'
import { systemEnvironment } from '@wherry/client/internal'
import { Store } from '@wherry/informer'
import { expect, it } from 'vitest'
import type { HeldInformer, WatchedCache } from './cache.ts'
import { apples } from './testkit/set-up.ts'
import { WatchManager } from './watch-manager.ts'

/** An object's state, countable. */
class State {
  readonly resourceVersion: string | undefined

  constructor({ metadata }: KubernetesObject) {
    this.resourceVersion = metadata?.resourceVersion
  }
}

/** A cache of one view, in this store. */
function cacheOf(store: Store<unknown>): WatchedCache {
  const informer: HeldInformer<unknown> = {
    state: 'watching',
    hasSynced: true,
    lastError: undefined,
    whenSynced: () => Promise.resolve(),
    cursor: () => store.cursor(),
  }
  return { hold: <C>() => ({ informer: informer as HeldInformer<C>, release: () => Promise.resolve() }) }
}

it('W6: a registrar that stalls while 100,000 events over 1,000 objects pass keeps fewer than 17 states of them', async () => {
  const environment = systemEnvironment()
  const transform = (object: object): State => new State(object as KubernetesObject)
  const view = apples.project('state', () => null as never)
  const store = new Store<unknown>({ view, environment, transform, freeze: false })
  const writer = store.writer()
  let version = 0
  const object = (index: number) => ({
    apiVersion: 'test.example.com/v1',
    kind: 'Apple',
    metadata: { namespace: 'default', name: `a${index}`, uid: `${index}`, resourceVersion: `${++version}` },
  })
  const snapshot = writer.replace()
  for (let index = 0; index < 1000; index++) snapshot.put(object(index), 1900)
  snapshot.commit()
  const cache = cacheOf(store)
  const manager = new WatchManager({ cache, environment, closeTimeoutMs: 0 })
  manager.start()
  let stalls = false
  let received = 0
  const stuck = manager.registrar('stuck', () => (stalls ? new Promise(() => {}) : undefined))
  const quick = manager.registrar('quick', () => void received++)
  await Promise.all([stuck.add(view), quick.add(view)])
  await Promise.all([stuck.synced(), quick.synced()])
  for (let event = 0; event < 100_000; event++) {
    // It stalls when it is at its fastest: in the midst of the most that it takes at once.
    if (event === 3000) stalls = true
    writer.change('MODIFIED', object(event % 1000), 1900)
    if (event % 100 === 99) await environment.clock.turn()
  }
  await environment.clock.turn()
  await environment.clock.turn()
  expect(received).toBeGreaterThan(100_000)
  expect(stuck.stats()).toMatchObject({ running: 1 })
  expect(stuck.stats().lag).toBeGreaterThanOrEqual(1000)
  expect(queryObjects(State, { format: 'count' })).toBeLessThan(1000 + 17)
  await manager.close()
  store.close(new Error('over'))
})

it('W6: each of 40 registrars that stall while 100,000 events over 1,000 objects pass costs less than 64 KB of heap', async () => {
  const environment = systemEnvironment()
  const store = new Store<unknown>({ view: apples, environment })
  const writer = store.writer()
  let version = 0
  // As a list or watch brings them: parsed, 1.9 KB.
  const object = (index: number): object => {
    const metadata = { namespace: 'default', name: `a${index}`, uid: `${index}`, resourceVersion: `${++version}` }
    const text = `${version} `.repeat(300).slice(0, 1700)
    return JSON.parse(JSON.stringify({ apiVersion: 'test.example.com/v1', kind: 'Apple', metadata, data: { text } }))
  }
  const snapshot = writer.replace()
  for (let index = 0; index < 1000; index++) snapshot.put(object(index), 1900)
  snapshot.commit()
  const manager = new WatchManager({ cache: cacheOf(store), environment, closeTimeoutMs: 0 })
  manager.start()
  const count = 40
  let stalled = 0
  const registrars = Array.from({ length: count }, (_, i) => {
    return manager.registrar(`r${i}`, () => (i < stalled ? new Promise(() => {}) : undefined))
  })
  await Promise.all(registrars.map(one => one.add(apples)))
  await Promise.all(registrars.map(one => one.synced()))
  for (let event = 0; event < 100_000; event++) {
    // One after the other, each in the midst of changes of its own: they share nothing but the store.
    if (event >= 3000 && event % 1000 === 0 && stalled < count) stalled++
    writer.change('MODIFIED', object(event % 1000), 1900)
    if (event % 100 === 99) await environment.clock.turn()
  }
  await environment.clock.turn()
  for (const one of registrars) expect(one.stats()).toMatchObject({ running: 1, resets: 0 })
  const before = heap()
  await manager.close()
  registrars.length = 0
  const after = heap()
  expect((before - after) / count).toBeLessThan(64 * 1024)
  expect(store.cursor().take(2000)).toHaveLength(1002)
  store.close(new Error('over'))
})

/** The heap in use after a collection, in bytes. */
function heap(): number {
  // Counting objects collects first.
  queryObjects(State, { format: 'count' })
  return process.memoryUsage().heapUsed
}
