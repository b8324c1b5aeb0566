import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type Kit, listen, withCache } from './testkit/kit.ts'

const inA = configMaps.within({ namespaces: ['a'] })
const size = configMaps.project('size', ({ data }) => ({ keys: Object.keys(data ?? {}).length }))

/** More objects than are filled in before the event loop is given back. */
const many = 600

/** A cache of many objects, one informer of whole ones, and another that is being filled from it. */
async function beingFilled({ cache, run, server, simulation }: Kit) {
  const objects = Array.from({ length: many }, (_, i) => ({ metadata: { name: `m${i}`, namespace: 'a' } }))
  await run(() => server.fill(objects.map(object => ({ apiVersion: 'v1', kind: 'ConfigMap', ...object }))))
  cache.informer(configMaps.full())
  await run(() => cache.synced())
  const informer = cache.informer(configMaps)
  await run(async () => {
    await simulation.clock.turn()
    await simulation.clock.turn()
  })
  expect(informer.hasSynced).toBe(false)
  return informer
}

/** Watches of ConfigMaps that were asked for. */
async function asked({ run, server }: Kit): Promise<number> {
  return (await run(() => server.stats())).byVerb.watch?.configmaps?.requests ?? 0
}

/** No watch that is opened from now on brings anything, until what this gives is called. */
async function silent({ run, server }: Kit, namespace?: string): Promise<() => Promise<void>> {
  const match = { resource: 'configmaps', verb: 'watch', ...(namespace && { namespace }) } as const
  const fault = await run(() => server.faults.add({ match, effect: { kind: 'hang' } }))
  return () => run(() => fault.remove())
}

/**
 * A view of `a` that moves to all namespaces, or to those given, where whole objects are watched already. Of the last of
 * them nothing comes for now, so that it is under way still when the sizes of the same join.
 */
async function onTheWay(kit: Kit, namespaces?: readonly string[]) {
  const { cache, run, write, simulation } = kit
  const scope = namespaces === undefined ? {} : { namespaces }
  const to = configMaps.within(scope)
  await write('+a/one', '+b/two')
  cache.informer(to.full())
  cache.informer(inA)
  await run(() => cache.synced())
  const speak = await silent(kit, namespaces?.at(-1))
  const stop = new AbortController()
  const moving = cache.rescope(inA, to, { signal: stop.signal }).catch(error => error.message)
  await simulation.advance(1000)
  const sizes = cache.informer(size.within(scope))
  await simulation.advance(1000)
  const callOff = async (): Promise<void> => {
    stop.abort(new Error('enough'))
    expect(await run(() => moving)).toBe('enough')
  }
  return { sizes, callOff, speak }
}

describe('a view that is being filled from another', () => {
  it('D12: is whole, though that one is removed halfway', () =>
    withCache(async kit => {
      const { cache, run, watches } = kit
      const informer = await beingFilled(kit)
      await run(() => cache.remove(configMaps.full()))
      await run(() => informer.whenSynced())
      expect(informer.size).toBe(many)
      expect(await watches()).toBe(1)
    }))

  it('D12: is read no second time, where that one is removed once it has all', () =>
    withCache(async kit => {
      const { cache, run, write, watches } = kit
      const informer = await beingFilled(kit)
      await run(() => informer.whenSynced())
      const log = listen(informer)
      await run(() => cache.remove(configMaps.full()))
      await write('+b/late')
      expect(log.slice(many)).toEqual(['+b/late'])
      expect([await asked(kit), await watches()]).toEqual([1, 1])
    }))
})

describe('a view of several namespaces that was filled from another', () => {
  it('D12: has each object by its own namespace: another that is listed again takes nothing away', () =>
    withCache(async kit => {
      const { cache, run, write, server, simulation } = kit
      const inAB = configMaps.within({ namespaces: ['a', 'b'] })
      await write('+a/one', '+b/two')
      cache.informer(inAB.full())
      await run(() => cache.synced())
      const log = listen(cache.informer(inAB))
      await run(() => cache.synced())
      const before = await asked(kit)
      const match = { resource: 'configmaps', verb: 'watch', namespace: 'b' } as const
      await run(() => server.faults.add({ match, times: 1, effect: { kind: 'expired' } }))
      await run(() => server.endWatches('configmaps'))
      await simulation.advance(60_000)
      expect((await asked(kit)) - before).toBeGreaterThan(2)
      expect(log).toEqual(['+a/one', '+b/two'])
    }))
})

describe('a view that joins from another scope', () => {
  it('D9: receives only the difference, if whole objects are watched there already', () =>
    withCache(async kit => {
      const { cache, run, write, watches } = kit
      await write('+a/one', '+b/two')
      cache.informer(configMaps.full())
      const log = listen(cache.informer(inA))
      await run(() => cache.synced())
      await run(() => cache.rescope(inA, configMaps))
      expect(log).toEqual(['+a/one', '+b/two'])
      await write('~a/one')
      expect(log.slice(2)).toEqual(['~a/one'])
      expect(await watches()).toBe(1)
    }))

  it('D9, D12: called off, leaves no stream behind, and members that joined meanwhile have all', () =>
    withCache(async kit => {
      const { run, watches } = kit
      const { sizes, callOff, speak } = await onTheWay(kit)
      expect(await watches()).toBe(3)
      await callOff()
      await run(() => sizes.whenSynced())
      expect(sizes.size).toBe(2)
      expect(await watches()).toBe(2)
      await speak()
    }))

  it('D9, D12: called off as another joins, is waited for by nobody: both are filled from the store', () =>
    withCache(async kit => {
      const { cache, watches } = kit
      const { sizes, callOff } = await onTheWay(kit)
      const before = await asked(kit)
      const over = callOff()
      const metadata = cache.informer(configMaps.metadata())
      await over
      expect(await watches()).toBe(2)
      expect([sizes.size, metadata.size]).toEqual([2, 2])
      expect(await asked(kit)).toBe(before)
    }))

  it('D9, D12: called off when one of several namespaces had come, loses nobody anything', () =>
    withCache(async kit => {
      const { cache, run, watches } = kit
      const { sizes, callOff, speak } = await onTheWay(kit, ['a', 'b'])
      expect([...sizes.keys()]).toEqual(['a/one'])
      const over = callOff()
      const metadata = cache.informer(configMaps.metadata().within({ namespaces: ['a', 'b'] }))
      await over
      await speak()
      await run(() => Promise.all([sizes.whenSynced(), metadata.whenSynced()]))
      expect([sizes.size, metadata.size]).toEqual([2, 2])
      expect(await watches()).toBe(3)
    }))
})

describe('a wider stream that is being opened', () => {
  it('D12: is not opened again as others leave', () =>
    withCache(async kit => {
      const { cache, run, write, watches, simulation } = kit
      await write('+a/one')
      const metadata = cache.informer(configMaps.metadata())
      await run(() => cache.synced())
      const speak = await silent(kit)
      const informer = cache.informer(configMaps)
      cache.informer(size)
      await simulation.advance(1000)
      expect(await asked(kit)).toBe(2)
      await run(() => cache.remove(size))
      await simulation.advance(1000)
      expect([await asked(kit), await watches()]).toEqual([2, 2])
      await speak()
      await run(() => informer.whenSynced())
      expect([metadata.size, informer.size, await watches()]).toEqual([1, 1, 1])
    }))
})
