import { isForbidden, type View } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import type { SharedInformer } from '@wherry/informer'
import { describe, expect, it } from 'vitest'
import { type Kit, listen, withCache } from './testkit/kit.ts'

const size = configMaps.project('size', ({ data }) => ({ keys: Object.keys(data ?? {}).length }))
const inA = configMaps.within({ namespaces: ['a'] })
const inAB = configMaps.within({ namespaces: ['a', 'b'] })

async function received({ run, server }: Kit): Promise<{ watches: number; lists: number }> {
  const { byVerb } = await run(() => server.stats())
  return {
    watches: byVerb.watch?.configmaps?.requests ?? 0,
    lists: byVerb.list?.configmaps?.requests ?? 0,
  }
}

describe('views of one scope', () => {
  it('D12: share one watch where they are asked for together', () =>
    withCache(async kit => {
      const { cache, run, write, watches } = kit
      await write('+a/one', '+b/two')
      const whole = listen(cache.informer(configMaps))
      const sizes = cache.informer(size)
      const metadata = cache.informer(configMaps.metadata())
      await run(() => cache.synced())
      await write('~a/one')
      expect(await watches()).toBe(1)
      expect(await received(kit)).toEqual({ watches: 1, lists: 0 })
      expect(whole).toEqual(['+a/one', '+b/two', '~a/one'])
      expect(sizes.get('a/one')).toEqual({ keys: 1 })
      expect(metadata.get('a/one')).not.toHaveProperty('data')
    }))

  it('D12: one that joins later is filled from a store of full objects, without a request', () =>
    withCache(async kit => {
      const { cache, run, write, watches } = kit
      await write('+a/one', '+b/two')
      cache.informer(configMaps.full())
      await run(() => cache.synced())
      const later = listen(cache.informer(configMaps))
      cache.informer(size)
      await run(() => cache.synced())
      await write('~a/one', '-b/two')
      expect(later).toEqual(['+a/one', '+b/two', '~a/one', '-b/two'])
      expect(await received(kit)).toEqual({ watches: 1, lists: 0 })
      expect(await watches()).toBe(1)
    }))

  it('D12: otherwise a wider stream becomes the shared watch, and earlier members receive nothing', () =>
    withCache(async kit => {
      const { cache, run, write, watches } = kit
      await write('+a/one', '+b/two')
      const metadata = listen(cache.informer(configMaps.metadata()) as never)
      await run(() => cache.synced())
      const later = listen(cache.informer(configMaps))
      await run(() => cache.synced())
      await write('~a/one', '+c/three', '-b/two')
      expect(later).toEqual(['+a/one', '+b/two', '~a/one', '+c/three', '-b/two'])
      expect(metadata).toEqual(later)
      expect(await received(kit)).toEqual({ watches: 2, lists: 0 })
      expect(await watches()).toBe(1)
      expect(cache.report().watches).toBe(1)
    }))

  it('D12: when the last view of whole objects leaves, the watch narrows to metadata', () =>
    withCache(async kit => {
      const { cache, run, write, watches, server, writer, simulation } = kit
      await write('+a/one')
      const metadata = listen(cache.informer(configMaps.metadata()) as never)
      cache.informer(configMaps)
      await run(() => cache.synced())
      await run(() => cache.remove(configMaps))
      await write('~a/one')
      expect(await watches()).toBe(1)
      expect(metadata).toEqual(['+a/one', '~a/one'])
      await run(() => server.resetStats())
      await run(() =>
        writer.patch(configMaps, { namespace: 'a', name: 'one' }, { data: { large: 'x'.repeat(20_000) } }),
      )
      await simulation.advance(500)
      expect(metadata).toEqual(['+a/one', '~a/one', '~a/one'])
      const bytes = (await run(() => server.stats())).byVerb.watch?.configmaps?.objectBytes ?? 0
      expect(bytes).toBeGreaterThan(100)
      expect(bytes).toBeLessThan(2000)
    }))

  it('D12: a view that keeps managedFields has them, whatever views it shares the watch with', () =>
    withCache(async kit => {
      const { cache, run, write, watches } = kit
      const managed = configMaps.project('managed', ({ metadata }) => ({ has: metadata?.managedFields !== undefined }))
      // nobody owns a field of an object that has none
      await write('+a/one app=x')
      const lean = cache.informer(configMaps)
      await run(() => cache.synced())
      expect(lean.get('a/one')?.metadata).not.toHaveProperty('managedFields')
      const named = cache.informer(managed)
      await run(() => cache.synced())
      expect(named.get('a/one')).toEqual({ has: true })
      const full = cache.informer(configMaps.full())
      await run(() => cache.synced())
      expect(full.get('a/one')?.metadata).toHaveProperty('managedFields')
      await write('~a/one', '+b/two app=x')
      expect(lean.get('a/one')?.metadata).not.toHaveProperty('managedFields')
      expect(full.get('b/two')?.metadata).toHaveProperty('managedFields')
      expect(named.get('b/two')).toEqual({ has: true })
      expect(await watches()).toBe(1)
      // less is wanted now, but not so much less that it is worth another stream
      const { watches: before } = await received(kit)
      await run(() => Promise.all([cache.remove(configMaps.full()), cache.remove(managed)]))
      await write('~a/one')
      expect(await received(kit)).toEqual({ watches: before, lists: 0 })
      expect(lean.get('a/one')?.data).toBeDefined()
    }))

  it('D12: exact views are decoded apart', () =>
    withCache(async kit => {
      const { cache, run, watches } = kit
      cache.informer(configMaps)
      cache.informer(configMaps.exact())
      await run(() => cache.synced())
      expect(await watches()).toBe(2)
    }))

  it('D12: of several namespaces there is one watch each, and one store, synced when all are', () =>
    withCache(async kit => {
      const { cache, run, write, watches, server, simulation } = kit
      await write('+a/one', '+b/two', '+c/three')
      const held = await run(() =>
        server.faults.add({ match: { namespace: 'b', resource: 'configmaps' }, effect: { kind: 'hang' } }),
      )
      const informer = cache.informer(inAB)
      const log = listen(informer)
      await simulation.advance(1000)
      expect(informer.hasSynced).toBe(false)
      await run(() => held.remove())
      await simulation.runUntil(() => informer.hasSynced)
      await write('~b/two', '~c/three')
      expect(log).toEqual(['+a/one', '+b/two', '~b/two'])
      expect(await watches()).toBe(2)
    }))

  it('D12: if one of several namespaces is forbidden, a new member gets that error, and has all once it is allowed', () =>
    withCache(async kit => {
      const { cache, run, write, watches, server, simulation } = kit
      await write('+a/one', '+b/two')
      const forbidden = { kind: 'status', code: 403, reason: 'Forbidden' } as const
      const fault = await run(() =>
        server.faults.add({ match: { namespace: 'b', resource: 'configmaps' }, effect: forbidden }),
      )
      const whyNot = (informer: SharedInformer<unknown>): Promise<unknown> =>
        run(() => informer.whenSynced().catch((error: unknown) => isForbidden(error)))
      const first = cache.informer(configMaps.within({ namespaces: ['a', 'b'] }).metadata())
      expect(await whyNot(first)).toBe(true)
      await simulation.advance(60_000)
      // What the others have is not promised to anybody before all have come: nothing is opened for it.
      const later = cache.informer(inAB)
      expect(await whyNot(later)).toBe(true)
      await expect(run(() => cache.get(inAB, { namespace: 'a', name: 'one' }))).rejects.toSatisfy(isForbidden)
      expect([first.hasSynced, later.hasSynced, later.size]).toEqual([false, false, 0])
      await simulation.advance(60_000)
      expect(await watches()).toBe(1)
      await run(() => fault.remove())
      await simulation.runUntil(() => first.hasSynced && later.hasSynced)
      await write('~a/one')
      expect([...later.keys()].sort()).toEqual(['a/one', 'b/two'])
      expect(later.get('a/one')?.data).toBeDefined()
      expect(await watches()).toBe(2)
    }))

  it('D12: leaving before the wider stream has come ends it', () =>
    withCache(async kit => {
      const { cache, run, write, watches, server } = kit
      await write('+a/one')
      const metadata = cache.informer(configMaps.metadata())
      await run(() => cache.synced())
      await run(() => server.faults.add({ match: { resource: 'configmaps', verb: 'watch' }, effect: { kind: 'hang' } }))
      cache.informer(configMaps)
      expect(await watches()).toBe(2)
      await run(() => cache.remove(configMaps))
      expect(await watches()).toBe(1)
      expect(metadata.state).toBe('watching')
      await write('+a/two')
      expect(metadata.size).toBe(2)
    }))
})

describe('moving to another scope', () => {
  it('D9: handlers and cursors stay, and receive only the difference', () =>
    withCache(async kit => {
      const { cache, run, write, watches } = kit
      await write('+a/one', '+b/two', '+c/three')
      const informer = cache.informer(configMaps)
      const log = listen(informer)
      await run(() => cache.synced())
      const cursor = informer.cursor()
      cursor.take(100)
      expect(await run(() => cache.rescope(configMaps, inAB))).toBe(informer)
      expect(log).toEqual(['+a/one', '+b/two', '+c/three', '-c/three ?'])
      expect(cursor.take(100).map(({ type, key }) => `${type} ${key}`)).toEqual(['deleted c/three'])
      expect(informer.view.key).toBe(inAB.key)
      await write('~a/one', '~c/three', '+c/four')
      expect(log.slice(4)).toEqual(['~a/one'])
      expect(await watches()).toBe(2)
      await run(() => cache.rescope(inAB, configMaps))
      expect(log.slice(5).sort()).toEqual(['+c/four', '+c/three'])
      expect(await watches()).toBe(1)
      await expect(run(() => cache.remove(inAB))).resolves.toBeUndefined()
      expect(cache.report().informers.map(({ view }) => view)).toEqual([configMaps.key])
    }))

  it('D9: by labels, too', () =>
    withCache(async kit => {
      const { cache, run, write } = kit
      await write('+a/one app=x', '+a/two app=y', '+a/three')
      const from = configMaps.within({ labels: { app: 'x' } })
      const to = configMaps.within({ labels: 'app' })
      const log = listen(cache.informer(from))
      await run(() => cache.synced())
      await run(() => cache.rescope(from, to))
      expect(log).toEqual(['+a/one', '+a/two'])
    }))

  it('D9: afterwards the one is cached and the other is not; another view may be asked for again', () =>
    withCache(async kit => {
      const { cache, run, write } = kit
      await write('+a/one', '+b/two')
      const informer = cache.informer(inA)
      await run(() => cache.synced())
      await run(() => cache.rescope(inA, configMaps.within({ namespaces: ['b'] })))
      await expect(run(() => cache.list(inA))).rejects.toMatchObject({ code: 'NOT_CACHED' })
      expect(await run(() => cache.list(configMaps.within({ namespaces: ['b'] })))).toHaveLength(1)
      const again = cache.informer(inA)
      expect(again).not.toBe(informer)
    }))

  it('D9: while it moves, the old scope is read, and a request for the new one gets the same informer', () =>
    withCache(async kit => {
      const { cache, run, write, server, simulation } = kit
      await write('+a/one', '+b/two')
      const informer = cache.informer(inA)
      await run(() => cache.synced())
      const held = await run(() =>
        server.faults.add({ match: { namespace: 'b', resource: 'configmaps' }, effect: { kind: 'hang' } }),
      )
      const moving = cache.rescope(inA, inAB)
      await simulation.advance(1000)
      await write('~a/one')
      expect(await run(() => cache.list(inA))).toHaveLength(1)
      expect(cache.informer(inAB)).toBe(informer)
      const read = cache.list(inAB)
      await run(() => held.remove())
      expect(await run(() => read)).toHaveLength(2)
      await run(() => moving)
      expect(informer.view.key).toBe(inAB.key)
    }))

  it('D9: can be called off, and nothing has changed', () =>
    withCache(async kit => {
      const { cache, run, write, server, watches, simulation } = kit
      await write('+a/one', '+b/two')
      const informer = cache.informer(inA)
      const log = listen(informer)
      await run(() => cache.synced())
      await run(() => server.faults.add({ match: { namespace: 'b' }, effect: { kind: 'hang' } }))
      const stop = new AbortController()
      const reason = new Error('no')
      const moving = cache.rescope(inA, inAB, { signal: stop.signal }).catch(error => error)
      await simulation.advance(1000)
      stop.abort(reason)
      expect(await run(() => moving)).toBe(reason)
      expect(await watches()).toBe(1)
      await write('~a/one')
      expect(log).toEqual(['+a/one', '~a/one'])
      expect(informer.view.key).toBe(inA.key)
      const removed = cache.rescope(inA, inAB).catch(error => error.code)
      await run(() => cache.remove(inA))
      expect(await run(() => removed)).toBe('INFORMER_REMOVED')
      expect(await watches()).toBe(0)
    }))

  it('D9: is refused where it can not be', () =>
    withCache(async kit => {
      const { cache, run } = kit
      const fail = async (fn: () => Promise<unknown>): Promise<unknown> =>
        run(() => fn().then(String, error => error.code))
      expect(await fail(() => cache.rescope(inA, inAB))).toBe('NOT_CACHED')
      cache.informer(inA)
      cache.informer(inAB)
      expect(await fail(() => cache.rescope(inA, inAB))).toBe('ALREADY_CACHED')
      expect(await fail(() => cache.rescope(inA as View, configMaps.metadata()))).toBe('INVALID_OPTION')
      const hold = cache.hold(inA, 'me')
      expect(await fail(() => cache.rescope(inA, configMaps))).toBe('VIEW_HELD')
      expect(await fail(() => cache.moveHold(hold, configMaps))).toBe('VIEW_HELD')
      expect(await fail(() => cache.rescope(inA, inA))).toBe('VIEW_HELD')
    }))

  it('D9: its only holder may move it', () =>
    withCache(async kit => {
      const { cache, run, write } = kit
      await write('+a/one', '+b/two')
      const hold = cache.hold(inA, 'me')
      const log = listen(hold.informer)
      await run(() => hold.informer.whenSynced())
      await run(() => cache.moveHold(hold, configMaps))
      expect(log).toEqual(['+a/one', '+b/two'])
      await run(() => cache.moveHold(hold, configMaps)) // it is there
      await run(() => hold.release())
      expect(cache.report().informers).toEqual([])
      await expect(run(() => cache.moveHold(hold, inA))).rejects.toMatchObject({ code: 'INFORMER_REMOVED' })
    }))

  it('D9: a resource that shares its watch with others leaves them theirs', () =>
    withCache(async kit => {
      const { cache, run, write, watches } = kit
      await write('+a/one', '+b/two')
      const sizes = cache.informer(size)
      const moving: ConfigMap[] = []
      cache.informer(configMaps).addHandler({ delete: object => moving.push(object) })
      await run(() => cache.synced())
      await run(() => cache.rescope(configMaps, inA))
      await write('~b/two')
      expect(moving.map(({ metadata }) => metadata?.name)).toEqual(['two'])
      expect(sizes.get('b/two')).toEqual({ keys: 1 })
      expect(await watches()).toBe(2)
    }))
})
