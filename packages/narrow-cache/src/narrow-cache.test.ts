import { defineResource, type KubernetesObject, type View } from '@wherry/client'
import { resourceName } from '@wherry/client/internal'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { describe, expect, it, vi } from 'vitest'
import { NarrowCache } from './narrow-cache.ts'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'

const size = configMaps.project('size', ({ data }) => ({ keys: Object.keys(data ?? {}).length }))

describe('an entry', () => {
  it('N1: the first get of an object is one request, which goes on as its watch; later ones make none', () =>
    withNarrow(async ({ get, write, watches, requests, narrow }) => {
      await write('+a/x', '+a/y')
      expect((await get('a/x'))?.data).toEqual({ n: '1' })
      expect(requests()).toEqual(['stream fieldSelector=metadata.name=x'])
      expect(await watches()).toBe(1)
      await write('~a/x')
      expect((await get('a/x'))?.data).toEqual({ n: '3' })
      expect(requests()).toEqual([])
      expect(narrow.report()).toMatchObject({ entries: 1, idle: 1, streams: 1, subscriptions: 0 })
    }))

  it('N1: where the server streams no lists, a list of the newest state comes before the watch', () =>
    withNarrow(async ({ get, write, watches, requests, server, run }) => {
      const effect = { kind: 'status', code: 422, reason: 'Invalid' } as const
      await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect }))
      await write('+a/x')
      expect((await get('a/x'))?.data).toEqual({ n: '1' })
      expect(await watches()).toBe(1)
      expect(await get('a/y')).toBeUndefined()
      const asked = requests()
      expect(asked.map(line => line.split(' ')[0])).toEqual(['stream', 'list', 'watch', 'list', 'watch'])
      expect(asked[1]).toBe('list fieldSelector=metadata.name=x')
      await write('~a/x', '+a/y')
      expect((await get('a/x'))?.data).toEqual({ n: '2' })
      expect((await get('a/y'))?.data).toEqual({ n: '3' })
    }))

  it('N2: many gets of one object at once open it once', () =>
    withNarrow(async ({ narrow, run, write, watches, requests }) => {
      await write('+a/x')
      requests()
      const all = await run(() => Promise.all(Array.from({ length: 100 }, () => narrow.get(configMaps, keyOf('a/x')))))
      expect(new Set(all).size).toBe(1)
      expect(requests()).toHaveLength(1)
      expect(await watches()).toBe(1)
    }))

  it('N2: each view of an object has an entry and a watch of its own, and a write of one’s own is seen by all', () =>
    withNarrow(async ({ narrow, client, run, write, watches, requests }) => {
      const writes = client.withWriteListeners(narrow)
      await write('+a/x')
      const key = keyOf('a/x')
      expect(await run(() => narrow.get(configMaps.metadata(), key))).not.toHaveProperty('data')
      expect(await run(() => narrow.get(size, key))).toEqual({ keys: 1 })
      expect((await run(() => narrow.get(configMaps.full(), key)))?.metadata).toHaveProperty('managedFields')
      expect(requests()).toEqual(Array(3).fill('stream fieldSelector=metadata.name=x'))
      expect(await watches()).toBe(3)
      const { metadata } = await run(() => writes.patch(configMaps, key, { data: { n: '2', more: '' } }))
      const { resourceVersion } = metadata ?? {}
      expect((await run(() => narrow.get(configMaps.metadata(), key)))?.metadata).toMatchObject({ resourceVersion })
      expect(await run(() => narrow.get(size, key))).toEqual({ keys: 2 })
      expect((await run(() => narrow.get(configMaps.full(), key)))?.metadata).toMatchObject({ resourceVersion })
      expect(requests()).toEqual([])
      expect(narrow.report()).toMatchObject({ entries: 3, streams: 3 })
    }))

  it('N2: a key outside the namespaces of the view is an error; what its selector rejects is absent', () =>
    withNarrow(async ({ narrow, run, write, requests }) => {
      await write('+a/x app=x', '+a/y app=y')
      const view = configMaps.within({ namespaces: ['a'], labels: { app: 'x' } })
      await expect(run(() => narrow.get(view, keyOf('b/x')))).rejects.toMatchObject({ code: 'INVALID_OPTION' })
      expect(requests()).toEqual([])
      expect((await run(() => narrow.get(view, keyOf('a/x'))))?.data).toEqual({ n: '1' })
      expect(await run(() => narrow.get(view, keyOf('a/y')))).toBeUndefined()
    }))

  it('N2: an object that leaves the selector is absent, and there again when it comes back', () =>
    withNarrow(async ({ narrow, run, write, writer, simulation }) => {
      await write('+a/x app=x')
      const view = configMaps.within({ labels: { app: 'x' } })
      const get = () => run(() => narrow.get(view, keyOf('a/x')))
      expect(await get()).toBeDefined()
      await run(() => writer.patch(configMaps, keyOf('a/x'), { metadata: { labels: { app: 'y' } } }))
      await simulation.advance(100)
      expect(await get()).toBeUndefined()
      await run(() => writer.patch(configMaps, keyOf('a/x'), { metadata: { labels: { app: 'x' } } }))
      await simulation.advance(100)
      expect(await get()).toBeDefined()
    }))

  it('N2: an object that leaves the selector and comes back is there in both of its forms', () =>
    withNarrow(async ({ narrow, run, write, writer, simulation }) => {
      await write('+a/x app=x')
      const view = configMaps.within({ labels: { app: 'x' } })
      const both = () => run(() => Promise.all([view, view.metadata()].map(one => narrow.get(one, keyOf('a/x')))))
      expect((await both()).map(object => object === undefined)).toEqual([false, false])
      for (const app of ['y', 'x']) {
        await run(() => writer.patch(configMaps, keyOf('a/x'), { metadata: { labels: { app } } }))
        await simulation.advance(100)
        expect((await both()).map(object => object === undefined)).toEqual(app === 'y' ? [true, true] : [false, false])
      }
    }))

  it('N3, N4: absence is cached and watched; creation, deletion and recreation are seen', () =>
    withNarrow(async ({ get, write, requests }) => {
      expect(await get('a/x')).toBeUndefined()
      expect(await get('no-such-namespace/x')).toBeUndefined()
      requests()
      await write('+a/x')
      expect((await get('a/x'))?.data).toEqual({ n: '1' })
      await write('-a/x')
      expect(await get('a/x')).toBeUndefined()
      await write('+a/x')
      expect((await get('a/x'))?.data).toEqual({ n: '3' })
      expect(requests()).toEqual([])
    }))

  it('N5: the watch ends, breaks, or is too old: subscribers receive the difference and nothing twice', () =>
    withNarrow(async ({ narrow, run, get, write, server, transport, simulation, watches, breakAll }) => {
      const log: string[] = []
      await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
      await write('+a/x')
      await run(() => server.endWatches('configmaps'))
      await write('~a/x')
      breakAll()
      await simulation.advance(10_000)
      await write('~a/x')
      transport.controls.refuse(true)
      breakAll()
      await write('~a/x', '-a/x', '+a/x')
      await run(() => server.expireWatchCaches())
      transport.controls.refuse(false)
      await simulation.advance(60_000)
      expect(log).toEqual(['0a/x', '+a/x 1', '~a/x 1→2', '~a/x 2→3', '-a/x ?', '+a/x 6'])
      expect((await get('a/x'))?.data).toEqual({ n: '6' })
      expect(await watches()).toBe(1)
    }))

  it.each([1, 10])('N5: reports no watch that is too old (escalateAt %i)', escalateAt =>
    withNarrow(
      async ({ narrow, run, get, server, write, simulation }) => {
        const log: string[] = []
        await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
        await get('a/y')
        await write('+a/other')
        const effect = { kind: 'expired' } as const
        await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, times: 2, effect }))
        await run(() => server.endWatches('configmaps'))
        await simulation.advance(10_000)
        await write('+a/x')
        expect(log).toEqual(['0a/x', '+a/x 2'])
        expect(simulation.environment.errors).toEqual([])
      },
      { escalateAt },
    ),
  )

  it('N14: a server that is going away: the watch moves to a new connection, and subscribers receive nothing', () =>
    withNarrow(async ({ narrow, run, write, transport, simulation, watches }) => {
      const log: string[] = []
      await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
      await write('+a/x')
      transport.controls.goawayAll()
      await write('~a/x')
      await simulation.advance(10_000)
      await write('~a/x')
      expect(log).toEqual(['0a/x', '+a/x 1', '~a/x 1→2', '~a/x 2→3'])
      expect(await watches()).toBe(1)
    }))

  it('N8: the projection is built once of each version, whichever way it came', () =>
    withNarrow(
      async ({ narrow, run, write, server, transport, simulation, breakAll }) => {
        const seen: string[] = []
        const counted = configMaps.project('counted', ({ data }) => {
          seen.push(`${data?.n}`)
          return { n: data?.n }
        })
        const get = () => run(() => narrow.get(counted, keyOf('a/x')))
        await write('+a/x')
        expect(await get()).toEqual({ n: '1' })
        await write('~a/x')
        transport.controls.refuse(true)
        breakAll()
        await write('~a/x')
        await run(() => server.expireWatchCaches())
        transport.controls.refuse(false)
        await simulation.advance(60_000)
        expect(await get()).toEqual({ n: '3' })
        // escalated: fetched when it changed
        await run(() => narrow.get(counted, keyOf('a/y')))
        await simulation.advance(1000)
        expect(narrow.report().escalated).toHaveLength(1)
        await write('~a/x')
        expect(await get()).toEqual({ n: '4' })
        expect(seen).toEqual(['1', '2', '3', '4'])
      },
      { escalateAt: 1 },
    ))

  it('N8: an object that the projection throws for is an error, and not absent', () =>
    withNarrow(async ({ narrow, run, write, simulation }) => {
      const strict = configMaps.project('strict', ({ data }) => {
        if (data?.n === '1') throw new Error('one')
        return { n: data?.n }
      })
      await write('+a/x')
      const log: string[] = []
      await expect(run(() => narrow.get(strict, keyOf('a/x')))).rejects.toMatchObject({ code: 'TRANSFORM_FAILED' })
      await run(() =>
        narrow.watch(strict, keyOf('a/x'), {
          absent: () => log.push('absent'),
          add: ({ n }) => log.push(`+${n}`),
        }),
      )
      await write('~a/x')
      expect(await run(() => narrow.get(strict, keyOf('a/x')))).toEqual({ n: '2' })
      expect(log).toEqual(['+2'])
      expect(simulation.environment.errors.map(({ error }) => (error as { code?: string }).code)).toEqual([
        'TRANSFORM_FAILED',
      ])
    }))

  it('N6: an object that the projection throws for, and that goes, is absent then; subscribers that had a value receive both', () =>
    withNarrow(async ({ narrow, run, write }) => {
      const never = configMaps.project('never', () => {
        throw new Error('never')
      })
      const log: string[] = []
      const watch = (name: string): Promise<unknown> =>
        run(() =>
          narrow.watch(never, keyOf('a/x'), {
            absent: ({ key }) => log.push(`${name}: ${key} is absent`),
            onTransformFailed: ({ key, isThere }) => log.push(`${name}: ${key} is ${isThere ? 'there' : 'gone'}`),
          }),
        )
      await watch('early')
      await write('+a/x')
      await watch('late')
      expect(log.splice(0)).toEqual(['early: a/x is absent', 'early: a/x is there', 'late: a/x is there'])
      await write('-a/x')
      expect(log.splice(0)).toEqual(['early: a/x is gone', 'late: a/x is absent'])
      await write('+a/x')
      expect(log.splice(0)).toEqual(['early: a/x is there', 'late: a/x is there'])
      await write('-a/x')
      expect(log).toEqual(['early: a/x is gone', 'late: a/x is gone'])
    }))

  it('N6: a subscriber that received an object with a value receives the next one without', () =>
    withNarrow(async ({ narrow, run, write }) => {
      const strict = configMaps.project('strict', ({ data }) => {
        if (data?.n !== '1') throw new Error('not one')
        return data.n
      })
      await write('+a/x')
      const log: string[] = []
      await run(() =>
        narrow.watch(strict, keyOf('a/x'), {
          absent: () => log.push('absent'),
          add: n => log.push(`+${n}`),
          delete: n => log.push(`-${n}`),
          onTransformFailed: ({ isThere }) => log.push(isThere ? 'there' : 'gone'),
        }),
      )
      await write('-a/x')
      await write('+a/x')
      await write('-a/x')
      expect(log).toEqual(['+1', '-1', 'there', 'gone'])
    }))

  it('N10: objects of any resource, custom and cluster-scoped ones too, are cached', () =>
    withNarrow(async ({ narrow, run, writer, simulation, requests }) => {
      const games = defineResource<KubernetesObject>({
        group: 'arcade.example.com',
        version: 'v1',
        kind: 'Game',
        plural: 'games',
        namespaced: false,
      })
      expect((await run(() => narrow.get(namespaces, { name: 'a' })))?.metadata?.name).toBe('a')
      await expect(run(() => narrow.get(games, { name: 'chess' }))).rejects.toMatchObject({
        name: 'ResourceNotFoundError',
      })
      const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as never }
      await run(() =>
        writer.create(customResourceDefinitions, {
          metadata: { name: 'games.arcade.example.com' },
          spec: {
            group: 'arcade.example.com',
            scope: 'Cluster',
            names: { plural: 'games', kind: 'Game' },
            versions: [{ name: 'v1', served: true, storage: true, schema }],
          },
        }),
      )
      await simulation.advance(1000)
      await run(() => writer.create(games, { metadata: { name: 'chess' } }))
      expect((await run(() => narrow.get(games, { name: 'chess' })))?.metadata?.name).toBe('chess')
      await simulation.advance(60_000)
      requests()
      expect((await run(() => narrow.get(games, { name: 'chess' })))?.metadata?.name).toBe('chess')
      expect(requests()).toEqual([])
      await run(() => writer.delete(customResourceDefinitions, { name: 'games.arcade.example.com' }))
      await simulation.advance(5000)
      await expect(run(() => narrow.get(games, { name: 'chess' }))).rejects.toMatchObject({
        name: 'ResourceNotFoundError',
      })
      expect(resourceName(games.resource)).toBe('arcade.example.com/v1/games')
    }))

  it('N12: a list is an error that names the way out, and no request', () =>
    withNarrow(async ({ narrow, requests }) => {
      await expect(narrow.list(configMaps)).rejects.toMatchObject({ code: 'NARROW_LIST', view: '/v1/configmaps' })
      await expect(narrow.list(configMaps)).rejects.toThrow(/DynamicCache/)
      expect(requests()).toEqual([])
    }))

  it('N13: no watch of one object asks for compression: what undoes it would stay as long as the watch does', () =>
    withNarrow(
      async ({ get, client, simulation }) => {
        const asked = vi.spyOn(client.raw.requester, 'request')
        await get('a/x')
        await get('a/y')
        await simulation.advance(1000)
        const encodings = asked.mock.calls.map(([{ lane, headers }]) => `${lane} ${headers['accept-encoding']}`)
        // The one watch of many has a list to bring, which is worth it.
        expect(encodings.filter(one => one !== 'stream undefined')).toEqual(['stream gzip'])
      },
      { escalateAt: 1, cluster: { client: { gzip: true } } },
    ))

  it('X1: a key without its namespace is an error, also where its name is the text of a cached key', () =>
    withNarrow(async ({ narrow, run, write, get }) => {
      await write('+a/x')
      await get('a/x')
      await expect(run(() => narrow.get(configMaps, { name: 'a/x' } as never))).rejects.toThrow(
        /^the name of configmaps /,
      )
    }))

  it('X1: names that can be in no path are refused before any request, and so is a namespace too many or too few', () =>
    withNarrow(async ({ narrow, run, requests, get }) => {
      await get('a/b')
      requests()
      const invalid = { code: 'INVALID_NAME' }
      const refused = async (given: unknown, key: unknown, as: object = invalid): Promise<void> => {
        const view = given as View<unknown, 'namespaced'>
        await expect(run(() => narrow.get(view, key as never))).rejects.toMatchObject(as)
        await expect(run(() => narrow.watch(view, key as never, { add() {} }))).rejects.toMatchObject(as)
        expect(() => narrow.peek(view, key as never)).toThrow(expect.objectContaining(as))
        expect(() => narrow.forget(view, key as never)).toThrow(expect.objectContaining(as))
      }
      for (const name of ['', '.', '..', 'a/b', 'a%2fb', 1, undefined])
        await refused(configMaps, { namespace: 'a', name })
      for (const namespace of ['', '..', 'a/b', undefined]) await refused(configMaps, { namespace, name: 'x' })
      await refused(configMaps, {})
      for (const key of [null, undefined, 'a/x']) await refused(configMaps, key, { code: 'INVALID_OPTION' })
      await refused(namespaces, { namespace: 'a', name: 'x' })
      expect(requests()).toEqual([])
      expect(narrow.report()).toMatchObject({ entries: 1, views: [{ view: '/v1/configmaps' }] })
    }))

  it('X6: options are checked when given', () =>
    withNarrow(async ({ client, narrow, run }) => {
      const refused = { code: 'INVALID_OPTION' }
      for (const options of [
        ...[undefined, {}, { client: {} }, { client, idleMs: -1 }, { client, max: 0 }, { client, maxOpening: 0.5 }],
        ...[
          { client, escalateAt: 0 },
          { client, escalateAllAt: 0.5 },
          { client, escalateAllAt: '1' },
          { client, timeoutMs: Number.NaN },
          { client, freeze: 'yes' },
          { client, a: 1 },
        ],
        { client, maxObjectBytes: 0 },
      ]) {
        expect(() => new NarrowCache(options as never)).toThrow(expect.objectContaining(refused))
      }
      const { within: _, ...part } = configMaps as unknown as Record<string, unknown>
      for (const view of [undefined, null, 'v1', {}, { key: 'v' }, { resource: configMaps.resource }, part]) {
        await expect(run(() => narrow.get(view as never, keyOf('a/x')))).rejects.toMatchObject(refused)
        expect(() => narrow.peek(view as never, keyOf('a/x'))).toThrow(expect.objectContaining(refused))
        await expect(narrow.list(view as never)).rejects.toMatchObject(refused)
      }
      for (const options of [{ signal: 1 }, { a: 1 }] as never[]) {
        const calls = [
          () => narrow.get(configMaps, keyOf('a/x'), options),
          () => narrow.watch(configMaps, keyOf('a/x'), { add() {} }, options),
          async () => narrow.changes(configMaps, options),
        ]
        for (const call of calls) await expect(run<unknown>(call)).rejects.toMatchObject(refused)
      }
      expect(() => narrow.wrote(configMaps, undefined as never)).toThrow(expect.objectContaining(refused))
      for (const handler of [undefined, null, {}, { add: 1 }, () => {}]) {
        await expect(run(() => narrow.watch(configMaps, keyOf('a/x'), handler as never))).rejects.toMatchObject(refused)
      }
      expect(narrow.report().entries).toBe(0)
    }))

  it('X6: those of a get are checked where it is answered from memory, too', () =>
    withNarrow(async ({ narrow, run, get, write, requests }) => {
      await write('+a/x')
      await get('a/x')
      requests()
      const read = (options: object) => run(() => narrow.get(configMaps, keyOf('a/x'), options))
      await expect(read({ sigal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
      for (const options of [{}, { signal: undefined }]) expect((await read(options))?.data).toEqual({ n: '1' })
      expect(requests()).toEqual([])
    }))

  it('is a conflict where two projections of one name are different functions', () =>
    withNarrow(async ({ narrow, run }) => {
      await run(() => narrow.get(size, keyOf('a/x')))
      const other = configMaps.project('size', () => 0)
      const conflict = { code: 'VIEW_CONFLICT' }
      await expect(run(() => narrow.get(other, keyOf('a/x')))).rejects.toMatchObject(conflict)
      await expect(run(() => narrow.get(other, keyOf('a/y')))).rejects.toMatchObject(conflict)
      expect(() => narrow.peek(other, keyOf('a/x'))).toThrow(expect.objectContaining(conflict))
    }))

  it('ends a wait with the signal or in time, and opens it all the same', () =>
    withNarrow(
      async ({ narrow, run, get, write, server, simulation }) => {
        await write('+a/x')
        const hang = await run(() => server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'hang' } }))
        const stop = new AbortController()
        const aborted = run(() => {
          const waiting = narrow.get(configMaps, keyOf('a/x'), { signal: stop.signal })
          stop.abort(new Error('enough'))
          return waiting
        })
        await expect(aborted).rejects.toThrow('enough')
        await expect(run(() => narrow.get(configMaps, keyOf('a/x'), { signal: stop.signal }))).rejects.toThrow('enough')
        const late = { code: 'NARROW_TIMEOUT', view: '/v1/configmaps', key: 'a/x', cause: undefined }
        await expect(get('a/x')).rejects.toMatchObject(late)
        await run(() => hang.remove())
        await simulation.advance(60_000)
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
      },
      { timeoutMs: 3000 },
    ))

  it('ends a wait in time where timers fire a little early, as those of Node do', () =>
    withNarrow(
      async ({ narrow, get, write, run, server, simulation }) => {
        await write('+a/x')
        const held = await get('a/x')
        const { clock } = simulation
        const timer = clock.timer.bind(clock)
        clock.timer = (ms, fn) => timer(Math.max(0, ms - 0.5), fn)
        const resourceVersion = `${held?.metadata?.resourceVersion}0`
        narrow.wrote(configMaps, { ...held, metadata: { ...held?.metadata, resourceVersion } })
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        await run(() => server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'hang' } }))
        await expect(get('a/y')).rejects.toMatchObject({ code: 'NARROW_TIMEOUT', key: 'a/y' })
      },
      { timeoutMs: 3000 },
    ))

  it.each([1, 10])('says why no answer came where the first state does not come in time (escalateAt %i)', escalateAt =>
    withNarrow(
      async ({ get, run, server, simulation }) => {
        const effect = { kind: 'drop' } as const
        const fails = await run(() => server.faults.add({ match: { resource: 'configmaps' }, effect }))
        const late = { code: 'NARROW_TIMEOUT', cause: { name: 'ConnectionError' } }
        const both = Promise.allSettled([get('a/x'), get('a/y')])
        expect(await both).toMatchObject([{ reason: late }, { reason: late }])
        const reported = simulation.environment.errors.map(({ context }) => [context.phase, context.key])
        expect(reported).toContainEqual(escalateAt === 1 ? ['escalated', undefined] : ['watch', 'a/x'])
        await run(() => fails.remove())
        await simulation.advance(60_000)
        expect(await get('a/x')).toBeUndefined()
      },
      { escalateAt, timeoutMs: 5000 },
    ),
  )
})
