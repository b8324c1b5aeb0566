import { defineResource, type KubernetesObject } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { listen, withCache } from './testkit/kit.ts'

const games = defineResource<KubernetesObject>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})

const definitions = 'customresourcedefinitions.apiextensions.k8s.io'

describe('a view that is filled from another', () => {
  it('D12: is whole, though that one is removed before it has all', () =>
    withCache(async ({ cache, run, write, watches }) => {
      await write('+a/one', '+b/two')
      cache.informer(configMaps.full())
      await run(() => cache.synced())
      const informer = cache.informer(configMaps)
      const log = listen(informer)
      await run(async () => {
        await Promise.resolve() // the filling has begun
        await cache.remove(configMaps.full())
        await informer.whenSynced()
      })
      expect([...informer.keys()].sort()).toEqual(['a/one', 'b/two'])
      expect(log.sort()).toEqual(['+a/one', '+b/two'])
      expect(await watches()).toBe(1)
    }))

  it('D9, D12: is whole, though that one moves elsewhere before it has all', () =>
    withCache(async ({ cache, run, write, watches }) => {
      const inAB = configMaps.within({ namespaces: ['a', 'b'] })
      const inB = configMaps.within({ namespaces: ['b'] })
      await write('+a/one', '+b/two')
      cache.informer(inAB.full())
      await run(() => cache.synced())
      const informer = cache.informer(inAB)
      await run(() => cache.rescope(inAB.full(), inB.full()))
      await run(() => informer.whenSynced())
      expect([...informer.keys()].sort()).toEqual(['a/one', 'b/two'])
      expect(await watches()).toBe(3)
    }))
})

describe('a view that joins a feed that brings nothing', () => {
  it('D12: does not wait for it, where nobody else wants it any more', () =>
    withCache(async ({ cache, run, server, simulation, watches }) => {
      const hang = { match: { resource: 'configmaps' }, effect: { kind: 'hang' } } as const
      const fault = await run(() => server.faults.add(hang))
      cache.informer(configMaps)
      await simulation.advance(1000)
      const informer = cache.informer(configMaps.metadata())
      await simulation.advance(1000)
      await run(() => fault.remove())
      expect(informer.state).toBe('idle')
      await run(() => cache.remove(configMaps))
      await simulation.advance(1000)
      expect([informer.hasSynced, informer.state]).toEqual([true, 'watching'])
      expect(await watches()).toBe(1)
    }))

  it('D12: does not wait for it, where it fails: the wider one is opened in its place', () =>
    withCache(async ({ cache, run, server, simulation, watches }) => {
      const hang = { match: { resource: 'configmaps' }, effect: { kind: 'hang' } } as const
      const fault = await run(() => server.faults.add(hang))
      cache.informer(configMaps.metadata())
      await simulation.advance(1000)
      const informer = cache.informer(configMaps)
      await simulation.advance(1000)
      await run(() => fault.remove())
      await simulation.advance(40_000)
      expect(informer.hasSynced).toBe(true)
      expect(await watches()).toBe(1)
      const { byVerb } = await run(() => server.stats())
      // the stream that gave no byte, and the wider one: metadata alone was not asked for again
      expect([byVerb.watch?.configmaps?.requests, byVerb.list?.configmaps?.requests]).toEqual([2, undefined])
    }))
})

describe('when the client is closed', () => {
  it('R36: rejects pending waits', () =>
    withCache(async ({ cache, run, server, client, simulation }) => {
      await run(() => server.faults.add({ match: { resource: 'configmaps' }, effect: { kind: 'hang' } }))
      const informer = cache.informer(configMaps)
      const waits = [informer.whenSynced(), cache.list(configMaps), cache.synced()].map(one => one.catch(e => e.code))
      await simulation.advance(1000)
      await run(() => client.close())
      expect(await run(() => Promise.all(waits))).toEqual(Array.from({ length: 3 }, () => 'CLIENT_CLOSED'))
      expect(informer.state).toBe('stopped')
    }))

  it('X9: cached objects stay readable, and a request for more is an error', () =>
    withCache(async ({ cache, run, write, client, simulation }) => {
      await write('+a/one')
      const full = cache.informer(configMaps.full())
      await run(() => cache.synced())
      await run(() => client.close())
      await simulation.advance(60_000)
      expect(full.size).toBe(1)
      const late = cache.informer(configMaps).whenSynced()
      expect(await run(() => late.catch(error => error.code))).toBe('CLIENT_CLOSED')
    }))
})

describe('closing a cache', () => {
  it('R23: within a handler: it is the last that is called', () =>
    withCache(async ({ cache, run, write, watches }) => {
      await write('+a/one', '+b/two')
      const informer = cache.informer(configMaps)
      let calls = 0
      informer.addHandler({
        add: () => {
          calls += 1
          void cache.close()
        },
      })
      expect(await run(() => informer.whenSynced().catch(error => error.code))).toBe('CACHE_CLOSED')
      expect(calls).toBe(1)
      expect(await watches()).toBe(0)
    }))

  it('R38: ends iterations over changes', () =>
    withCache(async ({ cache, run, write }) => {
      await write('+a/one')
      const informer = cache.informer(configMaps)
      const received: string[] = []
      const following = (async () => {
        for await (const { type } of informer.changes()) received.push(type)
      })()
      await run(() => cache.synced())
      await run(() => cache.close())
      await run(() => following)
      expect(received).toEqual(['reset', 'changed', 'synced'])
      expect(informer.state).toBe('stopped')
    }))

  it('D7: ends the watches of definitions that were waited for', () =>
    withCache(async ({ cache, run, watches, simulation, transport }) => {
      cache.informer(games)
      await simulation.advance(2000)
      expect(await watches(definitions)).toBe(1)
      await run(() => cache.close())
      expect(transport.controls.pending()).toEqual([])
      expect(await watches(definitions)).toBe(0)
    }))
})

describe('options', () => {
  it('X6: of a list and of a wait are checked, whatever is read', () =>
    withCache(
      async ({ cache, run }) => {
        const live = cache.list(configMaps, { lables: 'app' } as never)
        expect(await run(() => live.catch(error => error.code))).toBe('INVALID_OPTION')
        const informer = cache.informer(configMaps)
        const bad = [cache.list(configMaps, { signal: 1 } as never), informer.whenSynced({ signal: 1 } as never)]
        expect(await run(() => Promise.all(bad.map(one => one.catch(error => error.code))))).toEqual(
          Array.from({ length: 2 }, () => 'INVALID_OPTION'),
        )
      },
      { onMissing: 'live' },
    ))
})
