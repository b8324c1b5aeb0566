import { getEventListeners } from 'node:events'
import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type Kit, listen, withCache } from './testkit/kit.ts'

const inA = configMaps.within({ namespaces: ['a'] })
const inB = configMaps.within({ namespaces: ['b'] })
const inAB = configMaps.within({ namespaces: ['a', 'b'] })
const two = { namespace: 'b', name: 'two' }

const outcome = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    error => error.code ?? error.message,
  )

/** Namespace `b` says nothing until what this gives is called. */
async function silent({ run, server }: Kit): Promise<() => Promise<void>> {
  const match = { namespace: 'b', resource: 'configmaps' }
  const fault = await run(() => server.faults.add({ match, effect: { kind: 'hang' } }))
  return () => run(() => fault.remove())
}

/** A cache with an informer of namespace `a`, on its way to `a` and `b`. */
function moving(test: (kit: Kit, speak: () => Promise<void>, moved: Promise<unknown>) => Promise<void>): Promise<void> {
  return withCache(async kit => {
    const { cache, run, write, simulation } = kit
    await write('+a/one', '+b/two')
    cache.informer(inA)
    await run(() => cache.synced())
    const speak = await silent(kit)
    const moved = outcome(cache.rescope(inA, inAB))
    await simulation.advance(1000)
    await test(kit, speak, moved)
  })
}

describe('while an informer moves', () => {
  it('D2: a read of where it goes is bounded by its signal', () =>
    moving(async ({ cache, run, simulation }) => {
      const stop = new AbortController()
      const read = outcome(cache.get(inAB, two, { signal: stop.signal }))
      await simulation.advance(1000)
      stop.abort(new Error('enough'))
      expect(await run(() => read)).toBe('NOT_SYNCED')
    }))

  it('D9: it can be removed by the view that it moves to, too', () =>
    moving(async ({ cache, run, watches }, _, moved) => {
      const informer = cache.informer(inAB)
      await run(() => cache.remove(inAB))
      expect(await run(() => moved)).toBe('INFORMER_REMOVED')
      expect(informer.state).toBe('stopped')
      expect(cache.report().informers).toEqual([])
      expect(await watches()).toBe(0)
    }))

  it('D9: a hold of the view that it leaves keeps it there', () =>
    moving(async ({ cache, run, watches }, speak, moved) => {
      const hold = cache.hold(inA, 'me')
      await speak()
      expect(await run(() => moved)).toBe('VIEW_HELD')
      expect(hold.informer.view.key).toBe(inA.key)
      expect(await watches()).toBe(1)
    }))

  it('D9: a hold of the view that it moves to gets an informer of that', () =>
    moving(async ({ cache, run }, speak, moved) => {
      const hold = cache.hold(inAB, 'me')
      expect(await run(() => moved)).toBe('ALREADY_CACHED')
      await speak()
      await run(() => cache.synced())
      expect([hold.informer.size, cache.informer(inA).size]).toEqual([2, 1])
    }))

  it('D9: a look at the list of informers keeps none where it is, nor alive', () =>
    moving(async ({ cache, run }, speak, moved) => {
      const hold = cache.hold(inB, 'me')
      const views = (): string[] => cache.informers.map(({ view }) => view.key)
      expect(views()).toEqual([inA.key, inB.key])
      await speak()
      expect(await run(() => moved)).toBe('done')
      expect(views().sort()).toEqual([inAB.key, inB.key].sort())
      await run(() => hold.release())
      expect(views()).toEqual([inAB.key])
    }))

  it('D9: a request for the view that a holder moves keeps it there', () =>
    withCache(async kit => {
      const { cache, run, write } = kit
      await write('+a/one', '+b/two')
      const hold = cache.hold(inA, 'me')
      await run(() => cache.synced())
      const speak = await silent(kit)
      const moved = outcome(cache.moveHold(hold, inAB))
      const informer = cache.informer(inA)
      await speak()
      expect(await run(() => moved)).toBe('VIEW_HELD')
      expect(informer.view.key).toBe(inA.key)
    }))

  it('D9: a read that waits for the view that it leaves is not answered with the view that it moved to', () =>
    withCache(async kit => {
      const { cache, run, write, simulation } = kit
      await write('+a/one', '+b/two')
      await silent(kit)
      cache.informer(inB)
      const reads = [inB, inB.metadata()].map(view => outcome(cache.get(view, two)))
      await simulation.advance(1000)
      await run(() => cache.rescope(inB, inA))
      expect(await run(() => Promise.all(reads))).toEqual(['NOT_CACHED', 'NOT_CACHED'])
    }))
})

describe('a handler that receives the events of a move', () => {
  it('D9: may remove the informer: nothing of it is left', () =>
    withCache(async ({ cache, run, write, watches }) => {
      await write('+a/one', '+b/two', '+c/three')
      const informer = cache.informer(configMaps)
      const log = listen(informer)
      await run(() => cache.synced())
      informer.addHandler({ delete: () => void cache.remove(inA) })
      expect(await run(() => outcome(cache.rescope(configMaps, inA)))).toBe('INFORMER_REMOVED')
      expect(log.slice(3)).toHaveLength(1) // of two that it would have received
      expect(cache.report().informers).toEqual([])
      expect(await watches()).toBe(0)
    }))

  it('D9: is too late to call it off', () =>
    withCache(async ({ cache, run, write }) => {
      await write('+a/one', '+b/two')
      const informer = cache.informer(configMaps)
      await run(() => cache.synced())
      const stop = new AbortController()
      informer.addHandler({ delete: () => stop.abort(new Error('no')) })
      expect(await run(() => outcome(cache.rescope(configMaps, inA, { signal: stop.signal })))).toBe('done')
      await write('+a/three')
      expect([...informer.keys()].sort()).toEqual(['a/one', 'a/three'])
    }))

  it('D9: leaves nothing with the signal of the caller that asked for the move, whether it came to its end or not', () =>
    withCache(async ({ cache, run, write }) => {
      await write('+a/one', '+b/two')
      cache.informer(configMaps)
      await run(() => cache.synced())
      const { signal } = new AbortController()
      const left = (): number => getEventListeners(signal, 'abort').length
      const moved = cache.rescope(configMaps, inA, { signal })
      expect(left()).toBe(1)
      await run(() => moved)
      expect(left()).toBe(0)
      const failing = outcome(cache.rescope(inA, configMaps, { signal }))
      expect(left()).toBe(1)
      cache.informer(configMaps.within({ namespaces: ['c'] }))
      await run(() => cache.remove(inA))
      expect([await run(() => failing), left()]).toEqual(['INFORMER_REMOVED', 0])
    }))

  it('D9: finds it cached there', () =>
    withCache(async ({ cache, run, write }) => {
      await write('+a/one', '+b/two')
      const informer = cache.informer(configMaps)
      await run(() => cache.synced())
      const seen: unknown[] = []
      informer.addHandler({
        delete: () => seen.push(informer.view.key, cache.informer(inA) === informer),
      })
      await run(() => cache.rescope(configMaps, inA))
      expect(seen).toEqual([inA.key, true])
    }))
})
