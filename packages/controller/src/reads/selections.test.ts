import { defineResource, type ObjectMeta, type PartialObjectMetadata, type View } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type ConfigMap, configMaps, secrets } from '@wherry/client/resources/core'
import { define } from '@wherry/client/testkit/define'
import { describe, expect, it, vi } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { indexBy } from './object-index.ts'
import type { SelectionOptions } from './read.ts'
import { allowing, type Kit, keyOf, withReads } from './testkit/kit.ts'
import { TrackedReads } from './tracked-reads.ts'

const declared = [configMaps]

/** Runs a key that lists, and gives the names of what it found. */
const listing = (
  { reconcile }: Kit,
  key: string,
  options?: SelectionOptions<ConfigMap>,
  view: typeof configMaps = configMaps,
): Promise<(string | undefined)[]> =>
  reconcile(key, async read => (await read.list(view, options)).map(({ metadata }) => metadata?.name).sort())

describe('a selection', () => {
  it('C15: of an informer without a first state ends with the reason of its signal, or of its run', () =>
    withReads(async ({ client, cache, narrow, run, server, simulation }) => {
      await run(() => server.faults.add({ match: { resource: 'secrets' }, effect: { kind: 'hang' } }))
      cache.hold(secrets, 'test')
      await using reads = new TrackedReads({ client, cache, narrow, declared: [secrets], onChange() {} })
      const [own, all] = [new AbortController(), new AbortController()]
      const { read } = reads.begin('k', {}, all.signal)
      const reasons = [read.list(secrets, { signal: own.signal }), read.list(secrets)].map(list =>
        list.catch(error => error),
      )
      await simulation.advance(1000)
      const [first, second] = [new Error('its own'), new Error('of all')]
      own.abort(first)
      await run(() => reasons[0])
      all.abort(second)
      const ended = await run(() => Promise.all(reasons))
      expect(ended[0]).toBe(first)
      expect(ended[1]).toBe(second)
    }))

  it('C14: an object that enters, leaves or changes inside it counts; one that never matched does not', () =>
    withReads({ declared }, async kit => {
      const { write, taken, causes } = kit
      await write('+a/x app=web', '+a/y app=api')
      expect(await listing(kit, 'k', { labels: 'app=web' })).toEqual(['x'])
      await write('~a/y', '+a/z app=api', '-a/z', '~a/y app=job')
      expect(await taken()).toEqual([])
      await write('~a/x')
      await write('~a/y app=web')
      await write('~a/x app=api')
      await write('-a/y')
      expect(await taken()).toEqual(['k: ~a/x', 'k: +a/y', 'k: -a/x', 'k: -a/y'])
      const [changed, entered, left] = causes.map(([, cause]) => cause)
      expect(changed).toMatchObject({ view: configMaps.key, from: expect.any(String), to: expect.any(String) })
      expect([entered?.from, left?.to]).toEqual([undefined, undefined])
      expect(left?.from).toBe(changed?.to)
    }))

  it('C14: is of one namespace, or of all that the view has, and equal ones are one', () =>
    withReads({ declared }, async kit => {
      const { write, taken, reads } = kit
      await write('+a/x', '+b/y')
      expect(await listing(kit, 'a', { namespace: 'a' })).toEqual(['x'])
      expect(await listing(kit, 'b', { namespace: 'b' })).toEqual(['y'])
      expect(await listing(kit, 'all')).toContain('x')
      expect(await listing(kit, 'same', { labels: {} })).toContain('y')
      expect(reads.report()).toEqual({ keys: 4, dependencies: 4, objects: 0, polled: 0, selections: 3 })
      await write('~a/x')
      expect((await taken()).sort()).toEqual(['a: ~a/x', 'all: ~a/x', 'same: ~a/x'])
      await write('-b/y')
      expect((await taken()).sort()).toEqual(['all: -b/y', 'b: -b/y', 'same: -b/y'])
      // The last to let go of one frees it, and no other does.
      for (const key of ['a', 'b', 'all']) reads.forget(key)
      expect(reads.report()).toMatchObject({ dependencies: 1, selections: 1 })
      await write('~a/x')
      expect(await taken()).toEqual(['same: ~a/x'])
      reads.forget('same')
      expect(reads.report()).toMatchObject({ dependencies: 0, selections: 0 })
      await write('~a/x')
      expect(await taken()).toEqual([])
    }))

  it('C14: of any labels receives the changes of its objects alone', () =>
    withReads({ declared }, async kit => {
      const { write, taken } = kit
      await listing(kit, 'in', { labels: 'app in (web,api)' })
      await listing(kit, 'not', { labels: '!app', namespace: 'a' })
      await listing(kit, 'both', { labels: { app: 'web', tier: 'x' } })
      await write('+a/x app=api')
      expect(await taken()).toEqual(['in: +a/x'])
      await write('~a/x app=web')
      expect(await taken()).toEqual(['in: ~a/x'])
      await write('~a/x tier=x')
      expect((await taken()).sort()).toEqual(['both: +a/x', 'in: ~a/x'])
      await write('~a/x app=job')
      expect((await taken()).sort()).toEqual(['both: -a/x', 'in: -a/x'])
      await write('+a/y tier=x')
      expect(await taken()).toEqual(['not: +a/y'])
    }))

  it('C17: with a select makes a key run for that part of its objects, and for those that come and go', () =>
    withReads({ declared }, async kit => {
      const { write, taken, reads, reconcile } = kit
      const label = ({ metadata }: { readonly metadata?: ObjectMeta | undefined }): string =>
        `${metadata?.name} ${metadata?.labels?.tier}`
      const list = (view: View<PartialObjectMetadata> | typeof configMaps, key: string): Promise<string[]> =>
        reconcile(key, read => read.list(view as typeof configMaps, { labels: 'app=web', select: label }))
      await write('+a/x app=web')
      expect(await list(configMaps, 'k')).toEqual(['x undefined'])
      // The informer has whole objects.
      expect(await list(configMaps.metadata(), 'meta')).toEqual(['x undefined'])
      expect(reads.dependencies('k')).toMatchObject([{ type: 'selection', tracks: 'selected' }])
      await write('~a/x app=web', '~a/x')
      expect(await taken()).toEqual([])
      await write('~a/x tier=one')
      expect((await taken()).sort()).toEqual(['k: ~a/x', 'meta: ~a/x'])
      await write('+a/y app=web')
      expect((await taken()).sort()).toEqual(['k: +a/y', 'meta: +a/y'])
      await write('~a/y app=job')
      expect((await taken()).sort()).toEqual(['k: -a/y', 'meta: -a/y'])
    }))

  it('C17: with a select makes its key run for each change if the key reads all of it too, or the part is no JSON', () =>
    withReads({ declared }, async kit => {
      const { write, taken, reconcile } = kit
      await write('+a/x')
      await reconcile('both', async read => {
        await read.list(configMaps, { select: ({ metadata }) => metadata.name })
        await read.list(configMaps)
      })
      const failing = (key: string, select: () => unknown): Promise<unknown> =>
        reconcile(key, read => read.list(configMaps, { select }))
      await expect(failing('map', () => new Map())).rejects.toMatchObject({ code: 'NOT_JSON' })
      const thrown = new Error('on purpose')
      const throwing = failing('throws', () => {
        throw thrown
      })
      await expect(throwing).rejects.toBe(thrown)
      await write('~a/x')
      expect((await taken()).sort()).toEqual(['both: ~a/x', 'map: ~a/x', 'throws: ~a/x'])
    }))

  it('C14: of an index receives the objects that it finds by its value, or found', () =>
    withReads({ declared }, async kit => {
      const { write, taken, reads, reconcile } = kit
      const byTier = indexBy(configMaps, 'tier', ({ metadata }) => metadata.labels?.tier)
      const byName = indexBy(configMaps.metadata(), 'tier', ({ metadata }) => [metadata.name ?? '', 'all'])
      const found = (key: string, value: string): Promise<(string | undefined)[]> =>
        reconcile(key, async read =>
          (await read.list(configMaps, { index: byTier, value })).map(({ metadata }) => metadata.name),
        )
      await write('+a/x tier=one', '+b/y tier=two')
      expect([await found('one', 'one'), await found('three', 'three')]).toEqual([['x'], []])
      const all = await reconcile('all', read => read.list(configMaps.metadata(), { index: byName, value: 'all' }))
      expect(all.length).toBeGreaterThanOrEqual(2)
      await reconcile('y', read => read.list(configMaps.metadata(), { index: byName, value: 'y', namespace: 'b' }))
      expect(reads.dependencies('three')).toMatchObject([{ value: 'three', objects: 0 }])
      await write('~b/y')
      expect((await taken()).sort()).toEqual(['all: ~b/y', 'y: ~b/y'])
      await write('~a/x tier=three')
      expect((await taken()).sort()).toEqual(['all: ~a/x', 'one: -a/x', 'three: +a/x'])
      for (const key of ['one', 'three', 'all', 'y']) reads.forget(key)
      await write('~a/x tier=one')
      expect([await taken(), reads.report().selections]).toEqual([[], 0])
    }))

  it.each<[string, (name: string) => unknown]>([
    ['nothing', () => null],
    ['a promise that rejects', async () => Promise.reject(new Error('no index'))],
    ['no texts', () => [5]],
    ['a set', name => new Set([name, 'all'])],
  ])('X9: of an index that returns %s keeps no change from other keys', (what, of) =>
    withReads({ declared }, async kit => {
      const { write, taken, reconcile, simulation } = kit
      const index = indexBy(configMaps, 'odd', ({ metadata }) => of(metadata.name ?? '') as string)
      await write('+a/x app=web')
      const found = await reconcile('odd', read => read.list(configMaps, { index, value: 'x' }))
      expect(found).toHaveLength(what === 'a set' ? 1 : 0)
      expect(await listing(kit, 'k', { labels: 'app=web' })).toEqual(['x'])
      await write('~a/x')
      expect((await taken()).sort()).toEqual(what === 'a set' ? ['k: ~a/x', 'odd: ~a/x'] : ['k: ~a/x'])
      const errors = simulation.environment.errors.map(({ error }) => error.message)
      expect(new Set(errors).size).toBe(what === 'a set' ? 0 : 1)
      if (what !== 'a set')
        expect(errors[0]).toContain('indexBy.of takes a function that returns a text, several, or undefined')
    }),
  )

  it('X6: of an index that is not defined once, or has no value, is refused', () =>
    withReads({ declared }, async ({ reconcile }) => {
      const list = (options: object): Promise<unknown> =>
        reconcile('k', read => read.list(configMaps, options)).catch(({ message }) => message)
      const index = () => indexBy(configMaps, 'name', ({ metadata }) => metadata.name)
      expect(await list({ index: index(), value: 'x' })).toEqual([])
      expect(await list({ index: index(), value: 'x' })).toContain('define name once, outside the reconcile')
      expect(await list({ index: index() })).toContain('an index together with a value')
      expect(await list({ index: { name: 'x' }, value: 'x' })).toContain('list.index.of')
      expect(() => indexBy(configMaps, 'x', 'tier' as never)).toThrow('indexBy.of takes a function')
    }))

  it('C11, C12: is let go of as objects are', () =>
    withReads({ declared }, async kit => {
      const { write, taken, reads, reconcile } = kit
      await listing(kit, 'k', { labels: 'app=web' })
      const failing = reconcile('k', async read => {
        await read.list(configMaps, { labels: 'app=api' })
        throw new Error('on purpose')
      })
      await expect(failing).rejects.toThrow('on purpose')
      expect(reads.dependencies('k')).toEqual([
        {
          type: 'selection',
          view: configMaps.key,
          namespace: undefined,
          labels: 'app=web',
          objects: 0,
          served: 'informer',
          tracks: 'whole',
        },
        {
          type: 'selection',
          view: configMaps.key,
          namespace: undefined,
          labels: 'app=api',
          objects: 0,
          served: 'informer',
          tracks: 'whole',
        },
      ])
      await write('+a/x app=web', '+a/y app=api')
      expect(await taken()).toEqual(['k: +a/x', 'k: +a/y'])
      await listing(kit, 'k', { labels: 'app=api' })
      await write('~a/x', '~a/y')
      expect([await taken(), reads.report().selections]).toEqual([['k: ~a/y'], 1])
      reads.forget('k')
      await write('~a/y')
      expect([await taken(), reads.report().selections]).toEqual([[], 0])
    }))

  it('C15: needs a view that was declared, or one that such a view covers', () =>
    withReads({ declared }, async kit => {
      const { reconcile, write, taken, watches } = kit
      await write('+a/x app=web', '+b/y app=web')
      await expect(reconcile('k', read => read.list(secrets))).rejects.toMatchObject({
        code: 'NOT_CACHED',
        view: secrets.key,
        message: expect.stringContaining('.caches(view)'),
      })
      await expect(reconcile('k', read => read.list(configMaps.full()))).rejects.toMatchObject({
        code: 'NOT_CACHED',
        message: expect.stringMatching(/the controller caches \/v1\/configmaps\S*, which is less: declare it/),
      })
      const small = configMaps.within({ namespaces: ['a'], labels: 'app=web' })
      expect(await listing(kit, 'small', {}, small)).toEqual(['x'])
      const heads = await reconcile('heads', read => read.list(small.metadata()))
      expect(heads[0]).not.toHaveProperty('data')
      await write('~b/y', '~a/x', '~a/x app=api')
      expect((await taken()).sort()).toEqual(['heads: -a/x', 'heads: ~a/x', 'small: -a/x', 'small: ~a/x'])
      expect(await watches()).toBe(1)
    }))

  it('C15: of what may not be read is an error at once', () => {
    const cluster = allowing(verb => verb === 'get')
    return withReads({ cluster }, async ({ client, cache, narrow, run }) => {
      const reads = new TrackedReads({ client, cache, narrow, declared, onChange() {} })
      const one = reads.begin('k', { namespace: 'a' })
      await run(async () => {
        await expect(one.read.list(configMaps)).rejects.toMatchObject({ status: 403 })
        one.fail()
        expect(reads.report().selections).toBe(0)
        await reads.close()
        expect(cache.report().informers).toEqual([])
      })
    })
  })

  it('C14: of a projection that makes null of objects receives their changes', () => {
    const none = configMaps.project('reads-null', () => null)
    return withReads({ declared: [none] }, async ({ reconcile, write, taken }) => {
      await write('+a/x')
      expect(await reconcile('k', read => read.list(none))).toEqual([null])
      await write('~a/x')
      expect(await taken()).toEqual(['k: ~a/x'])
    })
  })

  it('C15: of a projection that leaves labels out counts whatever may be in it', () => {
    const bare = configMaps.within({ labels: 'app=web' }).project('reads-bare', ({ data }) => ({ n: data?.n }))
    return withReads({ declared: [bare] }, async ({ reconcile, write, taken }) => {
      // As long as nothing is there it is not known what the projection keeps.
      expect(await reconcile('l', read => read.list(bare, { labels: 'tier=x' }))).toEqual([])
      await write('+a/x app=web')
      expect(await taken()).toEqual(['l: +a/x'])
      expect(await reconcile('k', read => read.list(bare))).toEqual([{ n: '1' }])
      expect(await reconcile('b', read => read.list(bare, { namespace: 'b' }))).toEqual([])
      await write('~a/x', '+a/y app=api')
      expect(await taken()).toEqual(['l: ~a/x', 'k: ~a/x'])
      await expect(reconcile('l', read => read.list(bare, { labels: 'tier=x' }))).rejects.toMatchObject({
        code: 'LABELS_NOT_KEPT',
      })
    })
  })
})

describe('an informer that covers', () => {
  it('C15: serves a get, with no watch of that object', () =>
    withReads({ declared }, async ({ reconcile, reads, narrow, write, taken, watches, cache }) => {
      await write('+a/x app=web')
      const views = [configMaps, configMaps.metadata(), configMaps.within({ labels: 'app=web' })] as const
      const found: unknown[] = []
      for (const [i, view] of views.entries()) {
        const get = (): Promise<unknown> =>
          reconcile(`k${i}`, read => read.get(view as typeof configMaps, { name: 'x' }))
        found.push(await get(), await get())
      }
      // The informer's own object, or what a view makes of it.
      const own = cache.informer(configMaps).get('a/x')
      expect([0, 1, 4, 5].map(i => found[i] === own)).toEqual([true, true, true, true])
      expect(found[3]).toEqual({ ...own, data: undefined })
      expect(reads.dependencies('k1')).toMatchObject([{ object: 'a/x', served: 'informer', present: true }])
      expect([narrow.report().entries, await watches()]).toEqual([0, 1])
      await write('~a/x app=api')
      expect((await taken()).sort()).toEqual(['k0: ~a/x', 'k1: ~a/x', 'k2: -a/x'])
      await write('~a/x', '-a/x', '+a/x app=web')
      expect((await taken()).sort()).toEqual(
        ['k0: ~a/x', 'k0: -a/x', 'k0: +a/x', 'k1: ~a/x', 'k1: -a/x', 'k1: +a/x', 'k2: +a/x'].sort(),
      )
      await reconcile('full', read => read.get(configMaps.full(), { name: 'x' }))
      expect(reads.dependencies('full')).toMatchObject([{ served: 'single' }])
      expect(await reconcile('p', read => read.getUntracked(configMaps, { name: 'x' }))).toHaveProperty('data')
      expect(cache.report().informers).toMatchObject([{ holders: ['test', 'controller/test reads'] }])
    }))

  it('C17: serves a peek, which tracks nothing and has nothing watched', () =>
    withReads({ declared }, async ({ reconcile, reads, narrow, write, taken }) => {
      await write('+a/x')
      expect((await reconcile('k', read => read.getUntracked(configMaps, { name: 'x' })))?.data).toEqual({ n: '1' })
      expect([reads.report().objects, narrow.report().entries]).toEqual([0, 0])
      await write('~a/x')
      expect(await taken()).toEqual([])
    }))

  it('C17: serves a peek though nobody else reads from it, and gets no handler for that', () =>
    withReads({ declared }, async ({ reads, reconcile, cache, client, narrow, run, write, simulation }) => {
      const writes = client.withWriteListeners(narrow, reads.writes)
      const { informer } = cache.hold(configMaps, 'another')
      const addHandler = vi.spyOn(informer, 'addHandler')
      const peeked = (name: string): Promise<string | undefined> =>
        reconcile('k', async read => (await read.getUntracked(configMaps, { name }))?.data?.n)
      await write('+a/x')
      const seen = [await peeked('x'), await peeked('y')]
      await run(() => writes.create(configMaps, { metadata: keyOf('a/y'), data: { n: 'own' } }))
      await simulation.advance(1000)
      seen.push(await peeked('y'))
      expect([seen, addHandler.mock.calls]).toEqual([['1', undefined, 'own'], []])
      // What it does not show yet has to be waited for.
      await run(async () => {
        await writes.patch(configMaps, keyOf('a/y'), { data: { n: 'new' } })
        const { read } = reads.begin('k', { namespace: 'a' })
        expect((await read.getUntracked(configMaps, { name: 'y' }))?.data).toEqual({ n: 'new' })
      })
    }))

  it('C15: is what an object is served by, though the others of its resource share a watch of their metadata', () => {
    const own = configMaps.within({ namespaces: ['b'] })
    return withReads(
      { declared: [own], narrow: { escalateAt: 2, escalateAllAt: 2 } },
      async ({ reconcile, reads, simulation }) => {
        await reconcile('k', async read => {
          for (const name of ['x', 'y', 'z']) await read.get(configMaps, { name })
          await read.get(own, { name: 'x', namespace: 'b' })
        })
        await simulation.advance(5000)
        const served = reads.dependencies('k').map(one => one.served)
        expect(served).toEqual(['escalated', 'escalated', 'escalated', 'informer'])
      },
    )
  })

  it('C15: that nobody declared serves gets too, and is held until no key depends on it', () =>
    withReads({ declared: [secrets] }, async ({ reading, reads, cache, run, write, taken }) => {
      await write('+a/x')
      cache.informer(configMaps)
      await run(() => cache.synced())
      await reading('k', 'a/x')
      await run(() =>
        expect(cache.remove(configMaps)).rejects.toMatchObject({
          code: 'VIEW_HELD',
          holders: ['controller/test reads'],
        }),
      )
      await write('~a/x')
      expect(await taken()).toEqual(['k: ~a/x'])
      reads.forget('k')
      await run(() => cache.remove(configMaps))
      expect(cache.report().informers.map(({ view }) => view)).toEqual([secrets.key])
      await reading('k', 'a/x')
      expect(reads.dependencies('k')).toMatchObject([{ served: 'single' }])
      reads.forget('k')
      cache.informer(configMaps)
      await run(() => cache.synced())
      await reading('k', 'a/x')
      expect(reads.dependencies('k')).toMatchObject([{ served: 'informer' }])
      await write('~a/x')
      expect(await taken()).toEqual(['k: ~a/x'])
    }))

  it('C15: that was declared is held for lists, when no key depends on an object of it any more', () =>
    withReads({ declared }, async kit => {
      const { reading, reads, write, taken } = kit
      await listing(kit, 'list')
      await reading('get', 'a/x')
      reads.forget('get')
      await write('+a/x')
      expect(await taken()).toEqual(['list: +a/x'])
    }))

  it('C16: of what could not be transformed is an error for reads of that object', () => {
    const even = configMaps.project('informed-even', ({ data }) => {
      if (Number(data?.n) % 2 === 1) throw new Error('odd')
      return data?.n
    })
    return withReads({ declared: [even] }, async ({ reconcile, write, taken, reads }) => {
      const failed = { code: 'TRANSFORM_FAILED' }
      const get = (): Promise<string | undefined> => reconcile('k', read => read.get(even, { name: 'x' }))
      const peek = (name: string): Promise<string | undefined> =>
        reconcile('p', read => read.getUntracked(even, { name }))
      await write('+a/x', '+a/y', '+b/z')
      await expect(get()).rejects.toMatchObject(failed)
      await expect(peek('x')).rejects.toMatchObject(failed)
      expect([await peek('y'), await peek('none')]).toEqual(['2', undefined])
      expect(reads.dependencies('k')).toMatchObject([{ object: 'a/x', present: true, tracks: 'whole' }])
      await write('~a/x')
      expect([await taken(), await get()]).toEqual([['k: ~a/x'], '4'])
      await write('-a/x')
      expect(await taken()).toEqual(['k: -a/x'])
    })
  })

  it('C13, R31: is read from when all that it holds was delivered, so that no change is lost meanwhile', () =>
    withReads(
      { declared, slowMs: 10 },
      async ({ reconcile, reads, writer, server, run, onChange, simulation, transport, log }) => {
        const { controls } = transport
        await reconcile('list', read => read.list(configMaps, { namespace: 'a' }))
        controls.setFaults({ refuse: 1 })
        for (const connection of controls.connections()) controls.kill(connection)
        await run(async () => {
          for (let i = 0; i < 1500; i++)
            await writer.create(configMaps, { metadata: keyOf(`a/n${i}`), data: { n: '0' } })
          await server.expireWatchCaches()
        })
        const read: unknown[] = []
        const get = reads.begin('get', { namespace: 'a' })
        const list = reads.begin('all', { namespace: 'a' })
        // The new objects come in one go, and are delivered in slices: this is in the first of them.
        onChange(() => {
          onChange(() => {})
          void get.read.get(configMaps, { name: 'n1499' }).then(object => read.push(object?.metadata?.name))
          void list.read.list(configMaps).then(objects => read.push(objects.length))
          void writer.delete(configMaps, keyOf('a/n1499'))
        })
        controls.setFaults({})
        await simulation.advance(120_000)
        // As delivery is slow, the object is gone by then: a key that had read it before that would never receive its end.
        expect(read).toEqual([undefined, 1499])
        expect(log.filter(line => line.endsWith('n1499'))).toEqual([])
        get.succeed()
        list.succeed()
        await run(() => writer.create(configMaps, { metadata: keyOf('a/n1499') }))
        await simulation.advance(1000)
        expect(log.filter(line => line.endsWith('n1499')).sort()).toEqual([
          'all: +a/n1499',
          'get: +a/n1499',
          'list: +a/n1499',
        ])
      },
    ))
})

describe('a selection of a resource that may come later', () => {
  const toys = defineResource<{ metadata?: ObjectMeta }>({
    ...{ group: 'arcade.example.com', version: 'v1', kind: 'Toy', plural: 'toys', namespaced: true },
  })
  const inDefault = (name: string) => ({ name, namespace: 'default' })
  const crd = { name: 'toys.arcade.example.com' }

  it('C3, C11, D7: is empty and holds no worker, and is notified when the resource comes, goes, and comes again', () =>
    inArcade({ cache: { whenUnknown: 'wait' } }, async ({ client, simulation, forGames, start, after }) => {
      const ran: string[] = []
      forGames()
        .caches(toys)
        .reconcile(async ({ key, read }) => {
          ran.push(`${key.name} ${key.name === 'a' ? (await read.list(toys)).length : '-'}`)
        })
      await start('a', 'b')
      expect(ran.splice(0).sort()).toEqual(['a 0', 'b -'])
      for (let times = 0; times < 2; times++) {
        await define(client, toys, { spec: {}, status: {} })
        await simulation.advance(10_000)
        await after(client.create(toys, { metadata: inDefault('yoyo') }))
        expect(ran.splice(0)).toEqual(['a 1'])
        await client.delete(customResourceDefinitions, crd)
        await simulation.advance(60_000)
        expect(ran.splice(0)).toEqual(['a 0'])
      }
    }))

  it('C3, D7: receives the objects that are there when it comes', () =>
    inArcade({ cache: { whenUnknown: 'wait' } }, async ({ client, simulation, forGames, start }) => {
      const found: number[] = []
      forGames()
        .caches(toys)
        .reconcile(async ({ read }) => {
          found.push((await read.list(toys)).length)
        })
      await start('a')
      await define(client, toys, { spec: {}, status: {} })
      await client.create(toys, { metadata: inDefault('yoyo') })
      await simulation.advance(10_000)
      expect(found).toEqual([0, 1])
    }))

  it.each([500, 503])('C16: rejects soon with what the server says where it refuses the first state (%i)', code =>
    withReads(async ({ client, cache, narrow, server, simulation, run }) => {
      const reads = new TrackedReads({ client, cache, narrow, declared: [secrets], onChange() {} })
      const list = () => run(() => reads.begin('k', { namespace: 'a' }).read.list(secrets))
      const effect = { kind: 'status', code } as const
      const fault = await run(() => server.faults.add({ match: { resource: 'secrets' }, effect }))
      const took: number[] = []
      for (let i = 0; i < 3; i++) {
        const begun = simulation.clock.monotonic()
        await expect(list()).rejects.toMatchObject({ status: code })
        took.push(simulation.clock.monotonic() - begun)
      }
      expect([(took[0] ?? 0) < 5600, took.slice(1)]).toEqual([true, [0, 0]])
      await run(() => fault.remove())
      await simulation.advance(60_000)
      expect(await list()).toEqual([])
      await run(() => reads.close())
    }),
  )
})
