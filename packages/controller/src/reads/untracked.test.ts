import { configMaps } from '@wherry/client/resources/core'
import type { SimulatedOptions } from '@wherry/informer/testkit/served'
import { describe, expect, it } from 'vitest'
import { allowing, keyOf, withReads } from './testkit/kit.ts'

const poll = [{ resource: configMaps, pollMs: 10_000 }]

describe('what can not be watched', () => {
  it('C16: is an error that says so, each time, until it can be', () => {
    let isAllowed = false
    const cluster = allowing(verb => verb !== 'watch' || isAllowed)
    return withReads({ cluster }, async ({ reading, reads, write, taken, simulation }) => {
      await write('+a/x')
      const refused = { code: 'NARROW_WATCH_REFUSED', key: 'a/x', cause: { status: 403 } }
      await expect(reading('k', 'a/x')).rejects.toMatchObject(refused)
      await expect(reading('k', 'a/x')).rejects.toMatchObject(refused)
      expect([reads.report().objects, reads.dependencies('k'), reads.catchingUp]).toEqual([0, [], false])
      isAllowed = true
      await simulation.advance(60_000)
      expect(await reading('k', 'a/x')).toEqual(['1'])
      await write('~a/x')
      expect(await taken()).toEqual(['k: ~a/x'])
    })
  })

  it('C16: where leave to watch is taken away, the next read fails, and what happened meanwhile is delivered when it is back', () => {
    let isAllowed = true
    const cluster = allowing(verb => verb !== 'watch' || isAllowed)
    return withReads({ cluster }, async ({ reading, reads, narrow, write, taken, run, server, simulation }) => {
      await write('+a/x')
      await reading('k', 'a/x')
      isAllowed = false
      await run(() => server.endWatches('configmaps'))
      await simulation.advance(5000)
      await expect(reading('k', 'a/x')).rejects.toMatchObject({ code: 'NARROW_WATCH_REFUSED' })
      expect([reads.report().objects, reads.catchingUp]).toEqual([1, false])
      await write('~a/x')
      expect(await taken()).toEqual([])
      isAllowed = true
      await simulation.advance(120_000)
      expect(await taken()).toEqual(['k: ~a/x'])
      narrow.wrote(configMaps, { metadata: { ...keyOf('a/x'), resourceVersion: '999999999' } })
      expect(reads.catchingUp).toBe(true)
    })
  })

  it('C16, R36: if an informer has had it, is read on in its last state, and what happened meanwhile is delivered when it is back', () => {
    let isAllowed = true
    const cluster = allowing(verb => (verb !== 'watch' && verb !== 'list') || isAllowed)
    return withReads(
      { cluster, declared: [configMaps] },
      async ({ reading, reconcile, reads, cache, write, taken, run, server, simulation }) => {
        await write('+a/x')
        await reading('k', 'a/x')
        await reconcile('l', read => read.list(configMaps, { namespace: 'a' }))
        isAllowed = false
        await run(() => server.endWatches('configmaps'))
        await simulation.advance(60_000)
        await write('~a/x')
        expect([await reading('k', 'a/x'), await taken()]).toEqual([['1'], []])
        expect(cache.report().informers).toMatchObject([{ synced: true, lastError: { status: 403 } }])
        const reported = simulation.environment.errors.filter(
          ({ error }) => (error as { status?: number }).status === 403,
        )
        expect(reported.length).toBeGreaterThan(0)
        isAllowed = true
        await simulation.advance(120_000)
        expect((await taken()).sort()).toEqual(['k: ~a/x', 'l: ~a/x'])
        expect([await reading('k', 'a/x'), reads.catchingUp]).toEqual([['2'], false])
      },
    )
  })

  it('C16: is polled where that was chosen for its resource, and said to be', () => {
    const cluster = allowing(verb => verb !== 'watch')
    return withReads({ cluster, poll }, async ({ reading, reconcile, reads, write, taken, log, simulation, asked }) => {
      expect(await reading('k', 'a/x')).toEqual([undefined])
      const size = configMaps.project('reads-map', ({ data }) => new Map(Object.entries(data ?? {})))
      await reconcile('part', read => read.get(configMaps, { name: 'x' }, { select: ({ data }) => data?.n ?? null }))
      expect(reads.dependencies('k')).toMatchObject([{ object: 'a/x', served: 'polled', pollMs: 10_000 }])
      expect(reads.report()).toMatchObject({ objects: 1, polled: 1 })
      await write('+a/x')
      log.splice(0)
      await simulation.advance(10_000)
      expect(await taken()).toEqual(['k: +a/x', 'part: +a/x'])
      expect(await reading('k', 'a/x')).toEqual(['1'])
      asked.splice(0)
      await simulation.advance(60_000)
      expect([await taken(), reads.catchingUp]).toEqual([[], false])
      await write('~a/x')
      await simulation.advance(10_000)
      expect((await taken()).sort()).toEqual(['k: ~a/x', 'part: ~a/x'])
      await write('~a/x')
      // A read of it is live, and notifies the others too.
      expect(await reading('k', 'a/x')).toEqual(['3'])
      expect((await taken()).sort()).toEqual(['k: ~a/x', 'part: ~a/x'])
      // What can't be compared counts as changed.
      await reconcile('map', read => read.get(size, { name: 'x' }))
      await simulation.advance(10_000)
      expect(await taken()).toContain('map: ~a/x')
      for (const key of ['k', 'part', 'map']) reads.forget(key)
      expect(reads.report().polled).toBe(0)
      expect(simulation.environment.errors.filter(({ context }) => context.phase === 'poll')).toEqual([])
    })
  })

  it('C16: is polled from when it can not be watched any more, and watched again when it can be', () => {
    let isAllowed = true
    const cluster = allowing(verb => verb !== 'watch' || isAllowed)
    return withReads({ cluster, poll }, async ({ reading, reads, write, taken, run, server, simulation }) => {
      await write('+a/x')
      await reading('k', 'a/x')
      isAllowed = false
      await run(() => server.endWatches('configmaps'))
      await simulation.advance(30_000)
      expect(reads.dependencies('k')).toMatchObject([{ served: 'polled' }])
      expect(await taken()).toEqual([])
      await write('~a/x')
      await simulation.advance(10_000)
      expect(await taken()).toEqual(['k: ~a/x'])
      // A watch is tried again each 5 minutes, and refused.
      await simulation.advance(700_000)
      expect([reads.dependencies('k')[0], await taken()]).toMatchObject([{ served: 'polled', pollMs: 10_000 }, []])
      isAllowed = true
      await simulation.advance(400_000)
      expect(reads.dependencies('k')).toMatchObject([{ served: 'single', pollMs: undefined }])
      expect(await taken()).toEqual([])
      await write('~a/x')
      expect(await taken()).toEqual(['k: ~a/x'])
    })
  })

  it('C16: is reported to onError if its poll fails, and polled on', () => {
    let isReadable = true
    const cluster = allowing(verb => (verb === 'get' ? isReadable : verb !== 'watch'))
    return withReads({ cluster, poll }, async ({ reading, write, taken, simulation }) => {
      await reading('k', 'a/x')
      isReadable = false
      await simulation.advance(20_000)
      await expect(reading('k', 'a/x')).rejects.toMatchObject({ status: 403 })
      const reported = simulation.environment.errors.filter(({ context }) => context.phase === 'poll')
      expect(reported.length).toBeGreaterThan(0)
      expect(reported[0]?.context).toEqual({ resource: 'v1/configmaps', phase: 'poll', key: 'a/x' })
      await write('+a/x')
      isReadable = true
      await simulation.advance(10_000)
      expect(await taken()).toEqual(['k: +a/x'])
    })
  })

  it('C16, N7: past the bound of the narrow cache are tracked, too', () => {
    const full = { max: 1, escalateAt: Number.POSITIVE_INFINITY, escalateAllAt: Number.POSITIVE_INFINITY }
    return withReads({ narrow: full }, async ({ reading, write, taken, reads }) => {
      await reading('k', 'a/x')
      await reading('other', 'a/y')
      expect(reads.dependencies('other')).toMatchObject([{ served: 'escalated', present: false }])
      await write('+a/x', '+a/y')
      expect((await taken()).toSorted()).toEqual(['k: +a/x', 'other: +a/y'])
    })
  })
})

describe('very many objects', () => {
  it('C15, N11: 2,000 keys that each read one object do not open 2,000 watches, and receive theirs alone', () =>
    withReads(
      // Without the right to list all namespaces there is no informer of all (rule C15).
      {
        narrow: { escalateAt: 200 },
        cluster: {
          ...allowing(() => true),
          authorization: ({ user, verb, namespace }) => user.name !== 'u' || verb !== 'list' || namespace !== '',
        },
      },
      async ({ reconcile, reads, narrow, watches, write, taken, run, writer, simulation, asked }) => {
        const count = 2000
        await run(async () => {
          for (let i = 0; i < count; i += 2)
            await writer.create(configMaps, { metadata: keyOf(`a/n${i}`), data: { n: '0' } })
        })
        asked.splice(0)
        await Promise.all(Array.from({ length: 10 }, (_, i) => i)).then(async workers => {
          for (let i = 0; i < count; i += workers.length) {
            await run(() => Promise.all(workers.map(one => readOne(reads, i + one))))
          }
        })
        expect(asked.filter(line => line.startsWith('watch')).length).toBeLessThan(250)
        expect(reads.report()).toMatchObject({ keys: count, dependencies: count, objects: count })
        expect(narrow.report().streams).toBe(1)
        expect(await watches()).toBe(1)
        expect(reads.dependencies('k7')).toMatchObject([{ object: 'a/n7', served: 'escalated', present: false }])
        await write('~a/n8', '+a/n7', '-a/n1998', '+a/other')
        await simulation.advance(2000)
        expect((await taken()).sort()).toEqual(['k1998: -a/n1998', 'k7: +a/n7', 'k8: ~a/n8'])
        for (let i = 2; i < count; i++) reads.forget(`k${i}`)
        expect(reads.report()).toMatchObject({ keys: 2, objects: 2 })
        await reconcile('k0', read => read.get(configMaps, { name: 'n0' }))
      },
    ))

  it('C15, N7: an informer takes over from a tenth of a view’s objects on, with one warning, and nothing is lost on the way', () =>
    withReads(
      { narrow: { escalateAt: 100, escalateAllAt: 3 } },
      async ({ reading, reads, write, taken, run, writer, simulation, asked }) => {
        await run(async () => {
          for (let i = 0; i < 60; i++)
            await writer.create(configMaps, { metadata: keyOf(`${i % 2 ? 'a' : 'b'}/n${i}`), data: { n: '0' } })
        })
        const warnings = (): number => simulation.environment.warnings.length
        for (let i = 0; i < 6; i++) await reading(`k${i}`, `${i % 2 ? 'a' : 'b'}/n${i}`)
        await simulation.advance(1000)
        expect([reads.views, warnings()]).toEqual([[], 0])
        // It begins now, and serves reads once it has synced.
        await reading('k6', 'b/n6')
        await simulation.advance(1000)
        expect(reads.views.map(({ key }) => key)).toEqual([configMaps.key])
        asked.splice(0)
        await reading('k7', 'a/n7')
        await reading('k8', 'b/none')
        expect(asked).toEqual([])
        expect(simulation.environment.warnings).toMatchObject([
          { message: expect.stringContaining('.caches(view)'), context: { view: configMaps.key } },
        ])
        expect(reads.dependencies('k0')).toMatchObject([{ served: 'escalated' }])
        expect(reads.dependencies('k7')).toMatchObject([{ served: 'informer' }])
        await write('~b/n0', '~a/n7', '+b/none')
        await simulation.advance(1000)
        expect((await taken()).toSorted()).toEqual(['k0: ~b/n0', 'k7: ~a/n7', 'k8: +b/none'])
        // The last one that it serves lets go of it.
        for (const key of ['k7', 'k8']) reads.forget(key)
        expect(reads.views).toEqual([])
      },
    ))

  it('C15: an informer takes over from 100 objects on, once they are a tenth of the view, and no watch of all of them is needed to know that', () =>
    withReads(async ({ reading, reads, run, server, simulation, asked }) => {
      const named = (i: number) => ({
        ...{ apiVersion: 'v1', kind: 'ConfigMap' },
        ...{ metadata: { name: `n${i}`, namespace: 'a' }, data: { n: '0' } },
      })
      await run(() => server.fill(Array.from({ length: 2400 }, (_, i) => named(i))))
      const counts = (): number => asked.filter(line => line.includes('limit=1')).length
      let keys = 0
      const readTo = async (count: number): Promise<void> => {
        for (; keys < count; keys++) await reading(`k${keys}`, `a/n${keys}`)
        await simulation.advance(1000)
      }
      await readTo(99)
      expect(counts()).toBe(0)
      await readTo(199)
      expect(counts()).toBe(1)
      // As many again are read: the server is asked again.
      await readTo(239)
      expect([counts(), reads.views]).toEqual([2, []])
      await readTo(242)
      expect(reads.views.map(({ key }) => key)).toEqual([configMaps.key])
      await readTo(243)
      expect(reads.dependencies('k242')).toMatchObject([{ served: 'informer' }])
    }))

  it('C15: if the view may not be listed as a whole, its objects go on being read by their names', () => {
    const cluster: SimulatedOptions = {
      ...allowing(() => true),
      authorization: ({ user, verb, name }) => user.name !== 'u' || verb !== 'list' || name !== '',
    }
    return withReads({ cluster }, async ({ reading, reads, simulation, taken, write }) => {
      await write('+a/n1')
      for (let i = 0; i < 120; i++) await reading(`k${i}`, `a/n${i}`)
      await simulation.advance(1000)
      await write('~a/n1', '+a/n119')
      expect(reads.views).toEqual([])
      expect((await taken()).toSorted()).toEqual(['k119: +a/n119', 'k1: ~a/n1'].toSorted())
    })
  })
})

async function readOne(
  reads: { begin: (key: string, primary: { namespace: string }) => import('./run.ts').Run },
  i: number,
): Promise<void> {
  const one = reads.begin(`k${i}`, { namespace: 'a' })
  await one.read.get(configMaps, { name: `n${i}` })
  one.succeed()
}
