import { isForbidden, isResourceNotFound, OptionRangeError, OptionTypeError, type View } from '@wherry/client'
import { isInvalidOption, keyText } from '@wherry/client/internal'
import { type ConfigMap, configMaps, namespaces, secrets } from '@wherry/client/resources/core'
import { InformerStoppedError, TransformError, ViewConflictError } from '@wherry/informer'
import { type SimulatedCluster, type SimulatedOptions, simulatedCluster } from '@wherry/informer/testkit/served'
import { createDefinition, definitions, things } from '@wherry/informer/testkit/things'
import { describe, expect, it } from 'vitest'
import { dropData } from '../projections/drop-data.ts'
import { keyOnly } from '../projections/key-only.ts'
import { pick } from '../projections/pick.ts'
import type { TransformCacheOptions } from './options.ts'
import { TransformCache } from './transform-cache.ts'

const size = configMaps.project('size', ({ metadata, data }) => ({
  name: metadata?.name,
  keys: Object.keys(data ?? {}).length,
}))
const managedFields = [{ manager: 'kubectl', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } }]
const configMap = (name: string, more: object = {}): ConfigMap =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'a', labels: { app: name }, managedFields },
    data: { one: '1', two: '2' },
    ...more,
  }) as ConfigMap

interface Kit extends SimulatedCluster {
  readonly cache: TransformCache
  run<T>(fn: () => T): Promise<Awaited<T>>
  /** What was asked of the server for a resource. */
  requests(resource: string): Promise<string>
}

async function withCache(
  views: readonly View[],
  test: (kit: Kit) => Promise<void>,
  options: Partial<TransformCacheOptions> = {},
  clusterOptions: SimulatedOptions = {},
): Promise<void> {
  const cluster = await simulatedCluster(1, clusterOptions)
  const { simulation, server, client, writer } = cluster
  const run: Kit['run'] = fn => simulation.run(fn)
  const requests = async (resource: string): Promise<string> => {
    await simulation.advance(500)
    const { byVerb } = await run(() => server.stats())
    const { requests: watches = 0, openStreams = 0 } = byVerb.watch?.[resource] ?? {}
    return `${byVerb.list?.[resource]?.requests ?? 0} lists, ${watches} watches, ${openStreams} open`
  }
  await run(async () => {
    for (const name of ['a', 'b']) await writer.create(namespaces, { metadata: { name } })
  })
  await server.fill([configMap('x'), configMap('y')])
  const cache = new TransformCache({ client, views, ...options })
  try {
    await test({ ...cluster, cache, run, requests })
  } finally {
    await run(() => cache.close())
    await cluster.close()
  }
}

const started = ({ cache, run }: Kit): Promise<void> =>
  run(() => {
    cache.start()
    return cache.synced()
  })

describe('a transform cache', () => {
  it('T1: keeps what each view makes of an object, as it changes, and hands it to handlers and cursors', () =>
    withCache([size, configMaps.project(keyOnly)], async kit => {
      const { cache, run, writer, simulation } = kit
      const log: string[] = []
      const notify = (word: string) => (object: { keys: number } | undefined, _: unknown) =>
        log.push(`${word}${object?.keys}`)
      cache.informer(size).addHandler({ add: notify('+'), update: notify('~'), delete: notify('-') })
      await started(kit)
      expect(cache.informer(size).list().toSorted(byName)).toEqual([
        { name: 'x', keys: 2 },
        { name: 'y', keys: 2 },
      ])
      const cursor = cache.informer(configMaps.project(keyOnly)).cursor()
      expect(cursor.take(9).map(({ type, key }) => `${type} ${key ?? ''}`)).toEqual([
        'reset ',
        'changed a/x',
        'changed a/y',
        'synced ',
      ])
      await run(() => writer.patch(configMaps, { namespace: 'a', name: 'x' }, { data: { three: '3' } }))
      await run(() => writer.delete(configMaps, { namespace: 'a', name: 'y' }))
      await simulation.advance(500)
      expect(log).toEqual(['+2', '+2', '~3', '-2'])
      expect(await run(() => cache.get(size, 'a/x'))).toEqual({ name: 'x', keys: 3 })
      expect(cursor.take(9).map(({ object }) => Object.keys(object ?? {}))).toEqual([['metadata'], ['metadata']])
    }))

  it('D12: all views of a scope share one watch, each with a store of its own', () =>
    withCache([configMaps, size, configMaps.full(), configMaps.metadata(), secrets.metadata()], async kit => {
      const { cache } = kit
      await started(kit)
      expect(await kit.requests('configmaps')).toBe('0 lists, 1 watches, 1 open')
      expect(await kit.requests('secrets')).toBe('0 lists, 1 watches, 1 open')
      expect(cache.informer(configMaps.full()).get('a/x')?.metadata?.managedFields).toHaveLength(1)
      expect(cache.informer(configMaps).get('a/x')).not.toHaveProperty('metadata.managedFields')
      expect(cache.informer(configMaps.metadata()).get('a/x')).not.toHaveProperty('data')
      expect(cache.informer(size).get('a/x')).toEqual({ name: 'x', keys: 2 })
      expect(cache.stats().watches).toBe(2)
    }))

  it('D12: a projection of one’s own has all of the object, whatever shares its watch', () => {
    const managers = configMaps.project('managers', ({ metadata }) =>
      metadata?.managedFields?.map(({ manager }) => manager),
    )
    return withCache([configMaps, managers], async kit => {
      await started(kit)
      expect(kit.cache.informer(managers).get('a/x')).toEqual(['kubectl'])
    })
  })

  it('D12: several namespaces are one store, and other selectors another watch', () => {
    const both = size.within({ namespaces: ['a', 'b'] })
    return withCache([both, size.within({ labels: { app: 'x' } })], async kit => {
      const { cache, run, writer, simulation } = kit
      await started(kit)
      await run(() => writer.create(configMaps, { metadata: { name: 'z', namespace: 'b' } }))
      await simulation.advance(500)
      expect([...cache.informer(both).keys()].toSorted()).toEqual(['a/x', 'a/y', 'b/z'])
      expect([...cache.informer(size.within({ labels: { app: 'x' } })).keys()]).toEqual(['a/x'])
      expect(await kit.requests('configmaps')).toBe('0 lists, 3 watches, 3 open')
    })
  })

  it('T2: where metadata is all that is wanted, no more is sent', () =>
    withCache([configMaps.metadata()], async kit => {
      await kit.server.fill([configMap('z', { data: { big: 'x'.repeat(50_000) } })])
      await started(kit)
      expect(kit.cache.informer(configMaps.metadata()).size).toBe(3)
      expect(kit.cache.stats().views[0]?.receivedBytes).toBeLessThan(5000)
    }))

  it('T2: ready-made projections are views as any other', () =>
    withCache([configMaps.project(dropData), configMaps.project(pick('data.one'))], async kit => {
      const { cache } = kit
      await started(kit)
      expect(cache.informer(configMaps.project(dropData)).get('a/x')).not.toHaveProperty('data')
      expect(cache.informer(configMaps.project(pick('data.one'))).get('a/x')?.data).toEqual({ one: '1' })
    }))

  it('D13: what a wider view covers is read from it, with no watch and no store of its own', () =>
    withCache([configMaps], async kit => {
      const { cache, run } = kit
      await started(kit)
      const metadata = await run(() => cache.get(configMaps.metadata(), 'a/x'))
      expect(metadata?.metadata?.labels).toEqual({ app: 'x' })
      expect(metadata).not.toHaveProperty('data')
      const labelled = await run(() => cache.list(configMaps.metadata().within({ labels: { app: 'y' } })))
      expect(labelled.map(({ metadata }) => metadata?.name)).toEqual(['y'])
      expect(await run(() => cache.list(configMaps.within({ namespaces: ['b'] })))).toEqual([])
      expect(await run(() => cache.list(configMaps, { labels: 'app=x' }))).toHaveLength(1)
      expect(() => cache.informer(configMaps.metadata())).toThrow('v1/configmaps')
      await expect(run(() => cache.get(configMaps.full(), 'a/x'))).rejects.toMatchObject({ code: 'VIEW_NOT_CACHED' })
      await expect(run(() => cache.list(secrets))).rejects.toMatchObject({ code: 'VIEW_NOT_CACHED' })
      expect(await kit.requests('configmaps')).toBe('0 lists, 1 watches, 1 open')
    }))

  it('D13: a part of the namespaces or names of a projection that keeps no metadata is read from it', () => {
    const counts = configMaps.project('counts', ({ data }) => Object.keys(data ?? {}).length)
    return withCache([counts], async kit => {
      await started(kit)
      const { cache, run, server } = kit
      await server.fill([configMap('z', { data: {} })])
      await kit.simulation.advance(500)
      const list = (view: typeof counts) => run(() => cache.list(view))
      expect((await list(counts.within({ namespaces: ['a'] }))).toSorted()).toEqual([0, 2, 2])
      expect(await list(counts.within({ namespaces: ['b'] }))).toEqual([])
      expect(await list(counts.within({ fields: { 'metadata.name': 'z' } }))).toEqual([0])
    })
  })

  it('T3, R30: runs a transform once for each change; one that throws loses nothing in silence', () => {
    const calls: string[] = []
    const picky = configMaps.project('picky', ({ metadata, data }) => {
      calls.push(`${metadata?.name}`)
      if (data?.bad) throw new Error('bad')
      return { keys: Object.keys(data ?? {}) }
    })
    return withCache([picky, size], async kit => {
      const { cache, run, writer, simulation, server } = kit
      await server.fill([configMap('z', { data: { bad: 'yes' } })])
      await started(kit)
      const informer = cache.informer(picky)
      expect(calls.toSorted()).toEqual(['x', 'y', 'z'])
      expect([informer.failed(), informer.list().length, informer.size]).toEqual([['a/z'], 2, 3])
      await expect(run(() => cache.get(picky, 'a/z'))).rejects.toThrow(TransformError)
      expect(cache.informer(size).get('a/z')?.keys).toBe(1)
      expect(cache.stats().views.map(({ failed }) => failed)).toEqual([1, 0])
      const patch = (name: string, data: Record<string, string | null>): Promise<void> =>
        run(async () => void (await writer.patch(configMaps, { namespace: 'a', name }, { data })))
      await patch('x', { bad: 'yes' })
      await patch('z', { bad: null })
      await simulation.advance(500)
      expect(informer.get('a/x')).toEqual({ keys: ['one', 'two'] })
      expect([informer.failed(), informer.get('a/z')]).toEqual([['a/x'], { keys: [] }])
      expect(calls.slice(3)).toEqual(['x', 'z'])
      // a relist of unchanged objects
      await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'expired' } })
      await server.endWatches()
      await simulation.advance(120_000)
      expect(calls).toHaveLength(5)
      expect(simulation.environment.errors.map(({ error, context }) => [error.name, context.key])).toEqual([
        ['TransformError', 'a/z'],
        ['TransformError', 'a/x'],
      ])
    })
  })

  it('T4: reports the objects and the cost of each view, and so do its metrics', () =>
    withCache(
      [configMaps, size],
      async kit => {
        const { cache, simulation } = kit
        expect(cache.stats().views[0]).toMatchObject({ objects: 0, receivedBytes: 0, keptBytes: 0, ratio: 0 })
        await started(kit)
        const { views } = cache.stats()
        expect(views.map(({ view, objects }) => [view, objects])).toEqual([
          [configMaps.key, 2],
          [size.key, 2],
        ])
        const [whole, sizes] = views as [(typeof views)[0], (typeof views)[0]]
        expect(whole.receivedBytes).toBe(sizes.receivedBytes)
        expect(whole.receivedBytes).toBeGreaterThan(600)
        expect(whole.managedFieldsShare).toBeGreaterThan(0.15)
        expect(whole.managedFieldsShare).toBeLessThan(0.5)
        expect(sizes.keptBytes).toBeLessThan(whole.keptBytes)
        expect(whole.ratio).toBe(whole.keptBytes / whole.receivedBytes)
        await simulation.advance(1)
        const metric = (name: string, view: View) =>
          simulation.environment.metric(`wherry_cache_${name}`, { view: view.key })
        expect([metric('objects', size), metric('received_bytes', size), metric('kept_bytes', size)]).toEqual([
          2,
          sizes.receivedBytes,
          sizes.keptBytes,
        ])
        await kit.server.fill([configMap('z')])
        await simulation.advance(29_000)
        expect(metric('objects', configMaps)).toBe(2)
        await simulation.advance(1_000)
        expect(metric('objects', configMaps)).toBe(3)
      },
      { metricsEveryMs: 30_000 },
    ))

  it('T4: a projection that no estimate can be made of disturbs nothing but the metrics', () => {
    const ring = configMaps.project('ring', () => {
      const made: { self?: object } = {}
      made.self = made
      return made
    })
    return withCache([ring], async kit => {
      await started(kit)
      await kit.simulation.advance(60_000)
      const { errors } = kit.simulation.environment
      expect(errors.map(({ error, context }) => [error.name, context.phase])).toEqual([
        ['RangeError', 'metrics'],
        ['RangeError', 'metrics'],
      ])
      expect(kit.cache.informer(ring).size).toBe(2)
    })
  })

  it('T4: what no estimate can be made of keeps no other view from its metrics', () => {
    const ring = configMaps.project('ring', () => {
      const made: { self?: object } = {}
      made.self = made
      return made
    })
    return withCache([ring, size], async kit => {
      await started(kit)
      await kit.simulation.advance(1)
      expect(kit.simulation.environment.metric('wherry_cache_objects', { view: size.key })).toBe(2)
    })
  })

  it('T4: a resource that is gone when the last view has its first state keeps no view from its metrics', () =>
    withCache([things, secrets.metadata()], async kit => {
      const { cache, run, writer, server, simulation } = kit
      await createDefinition(kit)
      const fault = await server.faults.add({ match: { resource: 'secrets' }, effect: { kind: 'status', code: 503 } })
      cache.start()
      await simulation.advance(1000)
      expect(cache.informer(things).hasSynced).toBe(true)
      await run(() => writer.delete(definitions, { name: 'things.x.io' }))
      await simulation.advance(10_000)
      await fault.remove()
      await simulation.advance(60_000)
      expect([cache.informer(things).state, cache.informer(secrets.metadata()).hasSynced]).toEqual(['missing', true])
      const metric = ({ key }: View) => simulation.environment.metric('wherry_cache_objects', { view: key })
      expect([metric(things), metric(secrets.metadata())]).toEqual([0, 0])
    }))

  it('T4: its report leaves out what goes while it is made', () =>
    withCache([size], async kit => {
      const many = Array.from({ length: 100 }, (_, index) => configMap(`many-${index}`))
      await kit.server.fill(many)
      await started(kit)
      const { cache, run, simulation, writer } = kit
      let time = 0
      const turn = async (): Promise<void> => {
        const last = [...cache.informer(size).keys()].at(-1) as string
        await writer.delete(configMaps, { namespace: 'a', name: last.slice(2) })
        await new Promise<void>(resolve => simulation.environment.clock.timer(500, resolve))
      }
      const report = await run(() => cache.memoryReport({ clock: { monotonic: () => (time += 10), turn } }))
      expect([report.views[0]?.objects, cache.informer(size).size]).toEqual([101, 101])
    }))

  it('X6: options of reads are checked, whether there is something to wait for or not', () =>
    withCache([size], async kit => {
      await started(kit)
      const { cache } = kit
      const informer = cache.informer(size)
      await expect(informer.whenSynced({ signal: 5 as never })).rejects.toSatisfy(isInvalidOption)
      await expect(cache.list(size, { signal: 5 as never })).rejects.toSatisfy(isInvalidOption)
      await expect(cache.list(size, null as never)).rejects.toSatisfy(isInvalidOption)
      await expect(cache.memoryReport(null as never)).rejects.toSatisfy(isInvalidOption)
    }))

  it('T4: its report names views, objects and their kept bytes', () =>
    withCache([configMaps, size], async kit => {
      await started(kit)
      const report = await kit.run(() => kit.cache.memoryReport({ largest: 1 }))
      expect(report.views.map(({ objects, largest }) => [objects, largest.length])).toEqual([
        [2, 1],
        [2, 1],
      ])
      expect(report.keptBytes).toBe(report.views.reduce((sum, { keptBytes }) => sum + keptBytes, 0))
    }))

  it('R36: rejects waits with the server’s answer, and does not delay others', () =>
    withCache([configMaps, secrets], async ({ cache, run, server }) => {
      const refused = { kind: 'status', code: 403, reason: 'Forbidden' } as const
      await server.faults.add({ match: { resource: 'secrets' }, effect: refused })
      cache.start()
      await expect(run(() => cache.synced())).rejects.toSatisfy(isForbidden)
      await expect(run(() => cache.informer(secrets).whenSynced())).rejects.toSatisfy(isForbidden)
      expect(await run(() => cache.list(configMaps))).toHaveLength(2)
    }))

  it('R23: after close, reads nothing, calls no handler, sends no request and rejects pending waits', () =>
    withCache([size, configMaps.metadata()], async kit => {
      const { cache, run } = kit
      const informer = cache.informer(size)
      const log: string[] = []
      informer.addHandler({ add: (_, { key }) => log.push(key) })
      cache.start()
      cache.start()
      const waiting = [cache.synced(), informer.whenSynced(), cache.get(size, 'a/x')].map(one =>
        one.catch(error => error),
      )
      await run(() => Promise.all([cache.close(), cache.close()]))
      for (const outcome of await run(() => Promise.all(waiting))) expect(outcome).toBeInstanceOf(InformerStoppedError)
      expect([informer.state, informer.hasSynced, log]).toEqual(['stopped', false, []])
      for (const late of [() => cache.start(), () => informer.list(), () => cache.stats()]) {
        expect(late).toThrow(InformerStoppedError)
      }
      await expect(run(() => cache.list(size))).rejects.toThrow(InformerStoppedError)
      expect(kit.simulation.pending().filter(line => line.includes('stream'))).toEqual([])
    }))

  it('R23: ends as by close when the client is closed under it', () =>
    withCache([size, namespaces], async kit => {
      const { cache, client, run, simulation } = kit
      const informer = cache.informer(size)
      await started(kit)
      const reading = run(async () => {
        for await (const _ of informer.changes());
      })
      await simulation.settle()
      await run(() => client.close())
      await reading
      expect([informer.state, cache.informer(namespaces).state]).toEqual(['stopped', 'stopped'])
      expect(() => informer.list()).toThrow(InformerStoppedError)
    }))

  it('R23: rejects pending waits when the client is closed', () =>
    withCache([size], async ({ cache, client, run, server }) => {
      await run(() => server.refuse(true))
      cache.start()
      const waiting = run(() => cache.synced().catch((error: unknown) => error))
      await run(() => client.close())
      expect(await waiting).toMatchObject({ code: 'CLIENT_CLOSED' })
    }))

  it('D2: a wait ends with its signal, and says for what it was', () =>
    withCache([size], async ({ cache, run }) => {
      const cause = new Error('enough')
      const signal = AbortSignal.abort(cause)
      const reported = {
        code: 'NOT_SYNCED',
        view: size.key,
        cause,
        message: expect.stringContaining('start() was not called'),
      }
      await expect(run(() => cache.get(size, 'a/x', { signal }))).rejects.toMatchObject(reported)
      await expect(run(() => cache.synced({ signal }))).rejects.toMatchObject(reported)
    }))

  it('D8, R36: a resource that is gone is waited for as one that never was there, and asked for again', () =>
    withCache([things], async kit => {
      const { cache, run, writer } = kit
      const answer = (): Promise<unknown> =>
        run(() =>
          cache.synced().then(
            () => 'synced',
            error => (isResourceNotFound(error) ? 'unknown' : error),
          ),
        )
      cache.start()
      expect(await answer()).toBe('unknown')
      await createDefinition(kit)
      expect(await answer()).toBe('synced')
      const informer = cache.informer(things)
      await run(() => writer.delete(definitions, { name: 'things.x.io' }))
      await kit.simulation.runUntil(() => informer.state === 'missing')
      expect(informer.hasSynced).toBe(false)
      expect(await answer()).toBe('unknown')
      const waiting = cache.list(things)
      await createDefinition(kit)
      expect(await run(() => waiting)).toEqual([])
      expect(informer.hasSynced).toBe(true)
    }))

  it('X6: refuses what it can not be made of', () =>
    withCache([size, size], async ({ client, cache }) => {
      const make = (options: object) => () => new TransformCache({ client, views: [size], ...options } as never)
      expect(make({ views: [] })).toThrow(OptionRangeError)
      expect(make({ views: configMaps })).toThrow(OptionTypeError)
      expect(make({ views: undefined })).toThrow(OptionTypeError)
      expect(make({ views: [{}] })).toThrow(OptionTypeError)
      expect(make({ views: [configMaps.resource] })).toThrow(
        'got a description of a resource: pass it to defineResource',
      )
      expect(() => cache.informer('configmaps' as never)).toThrow(
        'view takes a resource or a view of one, got a string',
      )
      await expect(cache.list(undefined as never)).rejects.toThrow(
        'view takes a resource or a view of one, got undefined',
      )
      expect(make({ client: {} })).toThrow(OptionTypeError)
      expect(make({ metricsEveryMs: 0 })).toThrow(OptionRangeError)
      expect(make({ pageSize: 0 })).toThrow(OptionRangeError)
      expect(make({ view: size })).toThrow(OptionTypeError)
      expect(() => new TransformCache(undefined as never)).toThrow(OptionTypeError)
      const another = configMaps.project('size', () => 1)
      expect(make({ views: [size, another] })).toThrow(ViewConflictError)
      expect(() => cache.informer(another)).toThrow('another function')
      await expect(cache.get(size, 'a/x', { timeoutMs: 1 } as never)).rejects.toSatisfy(isInvalidOption)
      expect(cache.stats().views).toHaveLength(1)
    }))
})

function byName(a: { readonly name: string | undefined }, b: { readonly name: string | undefined }): number {
  return keyText({ name: `${a.name}` }) < keyText({ name: `${b.name}` }) ? -1 : 1
}
