import { defineResource, isForbidden, isResourceNotFound, type KubernetesObject } from '@wherry/client'
import { isInvalidOption } from '@wherry/client/internal'
import { configMaps, pods, secrets } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { DynamicCache } from './dynamic-cache.ts'
import { listen, withCache } from './testkit/kit.ts'

const games = defineResource<KubernetesObject>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})
const key = (namespace: string, name: string) => ({ namespace, name })

describe('informers on demand', () => {
  it('D2: an informer is there at once, and reads wait until it has synced', () =>
    withCache(async ({ cache, write, run, watches }) => {
      await write('+a/one', '+b/two')
      const informer = cache.informer(configMaps)
      expect(informer.hasSynced).toBe(false)
      expect(informer.state).toBe('idle')
      expect(informer.size).toBe(0)
      const read = await run(() => cache.get(configMaps, key('a', 'one')))
      expect(read?.metadata?.name).toBe('one')
      expect(informer.hasSynced).toBe(true)
      expect(await run(() => cache.list(configMaps, { namespace: 'b' }))).toHaveLength(1)
      expect(await run(() => cache.get(configMaps, key('a', 'none')))).toBeUndefined()
      expect(informer.state).toBe('watching')
      expect(cache.informer(configMaps)).toBe(informer)
      expect(await watches()).toBe(1)
      await run(() => cache.synced())
    }))

  it('B4: a resource that is held back is not read in any view, and others are; a relist reads its views again', () =>
    withCache(async ({ cache, write, run, simulation }) => {
      await write('+a/one')
      let release = Promise.withResolvers<void>()
      let isHeld = true
      const end = cache.holdReads(configMaps.resource, () => (isHeld ? release.promise : undefined))
      const informer = cache.informer(configMaps.metadata())
      await run(() => cache.informer(secrets).whenSynced())
      await simulation.advance(60_000)
      expect([informer.state, informer.size]).toEqual(['waiting', 0])
      isHeld = false
      release.resolve()
      await run(() => informer.whenSynced())
      expect(informer.size).toBe(1)
      isHeld = true
      release = Promise.withResolvers()
      cache.relist(secrets.resource)
      await simulation.advance(1000)
      expect(informer.state).toBe('watching')
      cache.relist(configMaps.resource)
      await simulation.advance(1000)
      // The state of before can be read meanwhile.
      expect([informer.state, informer.size]).toEqual(['waiting', 1])
      end()
      release.resolve()
      await simulation.advance(1000)
      expect(informer.state).toBe('watching')
    }))

  it('D2: a read that waits in vain says for what', () =>
    withCache(async ({ cache, run, server, simulation }) => {
      await run(() => server.faults.add({ match: { resource: 'configmaps' }, effect: { kind: 'hang' } }))
      cache.informer(configMaps)
      const stop = new AbortController()
      const reason = new Error('enough')
      const read = cache.get(configMaps, key('a', 'one'), { signal: stop.signal })
      const caught = read.catch(error => error)
      await simulation.advance(10)
      stop.abort(reason)
      expect(await run(() => caught)).toMatchObject({
        code: 'NOT_SYNCED',
        view: configMaps.key,
        message: expect.stringContaining('/v1/configmaps'),
        cause: reason,
      })
      const waiting = cache.informer(configMaps).whenSynced({ signal: AbortSignal.abort(reason) })
      await expect(waiting).rejects.toMatchObject({ code: 'NOT_SYNCED', cause: reason })
    }))

  it('R36: rejects waits for a forbidden view at once, and goes on trying', () => {
    let allowed = false
    const authorization = ({ resource }: { readonly resource?: string | undefined }): boolean =>
      allowed || resource !== 'secrets'
    return withCache(
      async ({ cache, run, simulation }) => {
        const informer = cache.informer(secrets)
        const error = await run(() => cache.get(secrets, key('a', 'one')).catch(error => error))
        expect(isForbidden(error)).toBe(true)
        expect(error.message).toContain('secrets')
        await expect(run(() => informer.whenSynced())).rejects.toSatisfy(isForbidden)
        await simulation.advance(120_000)
        allowed = true
        await simulation.advance(1000)
        const begun = simulation.clock.monotonic()
        expect(await run(() => cache.get(secrets, key('a', 'one')))).toBeUndefined()
        expect(simulation.clock.monotonic() - begun).toBeLessThan(100)
      },
      { cluster: { authorization } },
    )
  })

  it('D3: a read does not load a view that is not cached', () =>
    withCache(async ({ cache, run, watches, server }) => {
      await expect(run(() => cache.get(configMaps, key('a', 'one')))).rejects.toMatchObject({
        code: 'NOT_CACHED',
        view: configMaps.key,
        message: expect.stringContaining('informer(view)'),
      })
      await expect(run(() => cache.list(configMaps))).rejects.toMatchObject({ code: 'NOT_CACHED' })
      expect(await watches()).toBe(0)
      expect((await run(() => server.stats())).byVerb.list).toBeUndefined()
    }))

  it('D3: or it is started, or asked for live, as was chosen for the resource', () =>
    withCache(
      async ({ cache, run, write, watches, server }) => {
        await write('+a/one app=x', '+b/two')
        expect((await run(() => cache.get(configMaps, key('a', 'one'))))?.metadata?.name).toBe('one')
        const names = async (options?: object): Promise<unknown[]> =>
          (await run(() => cache.list(configMaps, options))).map(({ metadata }) => metadata?.name)
        expect(await names()).toEqual(['one', 'two'])
        expect(await names({ namespace: 'a' })).toEqual(['one'])
        expect(await names({ labels: 'app' })).toEqual(['one'])
        await expect(names({ index: { name: 'i', value: 'v' } })).rejects.toMatchObject({ code: 'NOT_CACHED' })
        expect(await watches()).toBe(0)
        expect(await run(() => cache.list(secrets))).toEqual([])
        expect(await watches('secrets')).toBe(1)
        expect((await run(() => server.stats())).byVerb.get?.configmaps?.requests).toBe(1)
        await expect(run(() => cache.list(pods))).rejects.toMatchObject({ code: 'NOT_CACHED' })
      },
      {
        onMissing: 'live',
        resources: [
          { resource: secrets, onMissing: 'start' },
          { resource: pods, onMissing: 'error' },
        ],
      },
    ))

  it('D3, R30: what the projection throws for when it is read live is the error that a cache would give', () =>
    withCache(
      async ({ cache, run, write }) => {
        await write('+a/one', '+a/two')
        const cause = new Error('two')
        const view = configMaps.project('strict', ({ metadata }) => {
          if (metadata?.name === 'two') throw cause
          return metadata?.name
        })
        expect(await run(() => cache.get(view, key('a', 'one')))).toBe('one')
        const error = { code: 'TRANSFORM_FAILED', view: view.key, key: 'a/two', cause }
        await expect(run(() => cache.get(view, key('a', 'two')))).rejects.toMatchObject(error)
        await expect(run(() => cache.list(view))).rejects.toMatchObject(error)
        expect(await run(() => cache.list(configMaps.metadata()))).toHaveLength(2)
      },
      { onMissing: 'live' },
    ))

  it('D3: or it is read through a narrow reader', () => {
    const asked: unknown[] = []
    return withCache(
      async ({ cache, run }) => {
        const signal = new AbortController().signal
        expect(await run(() => cache.get(secrets, key('a', 's'), { signal }))).toBe('narrowly')
        expect(asked).toEqual([[secrets.key, key('a', 's'), { signal }]])
        await expect(run(() => cache.list(secrets))).rejects.toMatchObject({
          code: 'NOT_CACHED',
          message: expect.stringContaining('narrow cache'),
        })
      },
      {
        onMissing: 'narrow',
        narrow: {
          async get(view, name, options) {
            asked.push([view.key, name, options])
            return 'narrowly' as never
          },
        },
      },
    )
  })

  it('D13: what a cached view covers is read from it, and nothing more is loaded', () =>
    withCache(async ({ cache, run, write, watches }) => {
      await write('+a/one app=x', '+b/two')
      cache.informer(configMaps)
      const names = async (view: typeof configMaps, options?: object): Promise<unknown[]> =>
        (await run(() => cache.list(view, options))).map(({ metadata }) => metadata?.name)
      expect(await names(configMaps.within({ namespaces: ['a'] }))).toEqual(['one'])
      expect(await names(configMaps.within({ labels: '!app' }))).toEqual(['two'])
      expect(await run(() => cache.get(configMaps.metadata(), key('a', 'one')))).not.toHaveProperty('data')
      await expect(run(() => cache.list(configMaps.full()))).rejects.toMatchObject({ code: 'NOT_CACHED' })
      expect(await watches()).toBe(1)
    }))

  it('D13: says which view reads of another are served from, once that has its first state', () =>
    withCache(async ({ cache, run, watches }) => {
      const within = configMaps.within({ namespaces: ['a'] })
      expect(cache.covering(within)).toBeUndefined()
      cache.informer(configMaps)
      expect(cache.covering(configMaps)).toBeUndefined()
      await run(() => cache.synced())
      expect([cache.covering(configMaps)?.key, cache.covering(within)?.key]).toEqual([configMaps.key, configMaps.key])
      expect(cache.covering(configMaps.full())).toBeUndefined()
      expect(await watches()).toBe(1)
    }))

  it('D1: another function of the same name is a conflict, that says what to do', () =>
    withCache(async ({ cache, run }) => {
      const once = configMaps.project('size', ({ data }) => Object.keys(data ?? {}).length)
      const twice = configMaps.project('size', ({ data }) => Object.keys(data ?? {}).length)
      cache.informer(once)
      const conflict = expect.objectContaining({
        code: 'VIEW_CONFLICT',
        view: once.key,
        message: expect.stringContaining('module level'),
      })
      expect(() => cache.informer(twice)).toThrow(conflict)
      await expect(run(() => cache.get(twice, key('a', 'b')))).rejects.toEqual(conflict)
      await expect(run(() => cache.remove(twice))).rejects.toEqual(conflict)
      expect(() => cache.hold(twice, 'me')).toThrow(conflict)
      expect(() => cache.covering(twice)).toThrow(conflict)
    }))

  it('D10: two caches know nothing of each other', () =>
    withCache(async ({ cache, client, run, watches }) => {
      const other = new DynamicCache({ client })
      cache.informer(configMaps)
      await expect(run(() => other.list(configMaps))).rejects.toMatchObject({ code: 'NOT_CACHED' })
      other.informer(configMaps)
      await run(() => Promise.all([cache.synced(), other.synced()]))
      expect(await watches()).toBe(2)
      await run(() => other.close())
      expect(await watches()).toBe(1)
    }))
})

describe('removing', () => {
  it('D4: closes the watch and lets go of everything', () =>
    withCache(async ({ cache, run, write, watches }) => {
      await write('+a/one')
      const informer = cache.informer(configMaps)
      const log = listen(informer)
      await run(() => cache.synced())
      const cursor = informer.cursor()
      await write('+a/two')
      expect(log).toEqual(['+a/one', '+a/two'])
      await run(() => cache.remove(configMaps))
      expect(await watches()).toBe(0)
      await write('+a/three')
      expect(log).toEqual(['+a/one', '+a/two'])
      expect(cursor.closed).toBe(true)
      expect(informer.state).toBe('stopped')
      expect(informer.view.key).toBe(configMaps.key)
      expect(informer.lastError).toBeUndefined()
      for (const use of [() => informer.list(), () => informer.size, () => informer.cursor(), () => informer.stats()]) {
        expect(use).toThrow(expect.objectContaining({ code: 'INFORMER_REMOVED', view: configMaps.key }))
      }
      await expect(informer.whenSynced()).rejects.toMatchObject({ code: 'INFORMER_REMOVED' })
      await expect(run(() => cache.list(configMaps))).rejects.toMatchObject({ code: 'NOT_CACHED' })
    }))

  it('D4: rejects pending waits', () =>
    withCache(async ({ cache, run, server }) => {
      await run(() => server.faults.add({ match: { resource: 'configmaps' }, effect: { kind: 'hang' } }))
      const informer = cache.informer(configMaps)
      const waits = [
        cache.get(configMaps, key('a', 'one')),
        cache.list(configMaps),
        informer.whenSynced(),
        cache.synced(),
      ].map(wait => wait.catch(error => error.code))
      await run(() => cache.remove(configMaps))
      expect(await run(() => Promise.all(waits))).toEqual(Array.from({ length: 4 }, () => 'INFORMER_REMOVED'))
    }))

  it('D4: a held view is not removed from under its holders, and the error names them', () =>
    withCache(async ({ cache, run, watches }) => {
      const hold = cache.hold(configMaps, 'registrar x')
      const second = cache.hold(configMaps, 'registrar y')
      await run(() => hold.informer.whenSynced())
      await expect(run(() => cache.remove(configMaps))).rejects.toMatchObject({
        code: 'VIEW_HELD',
        holders: ['registrar x', 'registrar y'],
        message: expect.stringContaining('registrar x, registrar y'),
      })
      expect(second.informer).toBe(hold.informer)
      await run(() => hold.release())
      await run(() => hold.release())
      expect(await watches()).toBe(1)
      await run(() => second.release())
      expect(await watches()).toBe(0)
      expect(cache.report().informers).toEqual([])
    }))

  it('the last hold does not remove what was asked for as well', () =>
    withCache(async ({ cache, run, watches }) => {
      const hold = cache.hold(configMaps, 'x')
      cache.informer(configMaps)
      await run(() => cache.synced())
      await run(() => hold.release())
      expect(await watches()).toBe(1)
      await run(() => cache.remove(configMaps))
      expect(await watches()).toBe(0)
    }))

  it('D5: asking again gives a fresh informer, and old handlers receive nothing of it', () =>
    withCache(async ({ cache, run, write, watches, asked }) => {
      await write('+a/one')
      const old = cache.informer(configMaps)
      const log = listen(old)
      await run(() => cache.synced())
      await run(() => cache.remove(configMaps))
      const fresh = cache.informer(configMaps)
      expect(fresh).not.toBe(old)
      const freshLog = listen(fresh)
      await run(() => cache.synced())
      await write('+a/two')
      expect(log).toEqual(['+a/one'])
      expect(freshLog).toEqual(['+a/one', '+a/two'])
      // Each has read all of it, and the old one's watch is over.
      expect(asked).toEqual(['stream', 'stream'])
      expect(await watches()).toBe(1)
    }))

  it('D5: asking again while the old one is still being read gives a full list, and delivers each object once', () =>
    withCache(async ({ cache, run, write, watches, server, simulation, asked }) => {
      await write('+a/one')
      await server.faults.add({
        match: { resource: 'configmaps', verb: 'watch' },
        nth: 1,
        effect: { kind: 'delay', ms: 3000 },
      })
      const old = cache.informer(configMaps)
      const log = listen(old)
      await simulation.advance(1000)
      const removed = cache.remove(configMaps)
      const fresh = cache.informer(configMaps)
      const freshLog = listen(fresh)
      await run(() => removed)
      await run(() => cache.synced())
      await write('+a/two', '~a/one')
      await simulation.advance(5000)
      expect([log, freshLog]).toEqual([[], ['+a/one', '+a/two', '~a/one']])
      expect(asked).toEqual(['stream', 'stream'])
      expect(() => old.size).toThrow(expect.objectContaining({ code: 'INFORMER_REMOVED' }))
      expect(await watches()).toBe(1)
    }))

  it('D6: removing a view that is not cached, or twice at once, is no error; asking meanwhile gives a new one, whole', () =>
    withCache(async ({ cache, run, write, watches }) => {
      await write('+a/one')
      await run(() => cache.remove(configMaps))
      cache.informer(configMaps)
      await run(() => cache.synced())
      const removing = [cache.remove(configMaps), cache.remove(configMaps)]
      const again = cache.informer(configMaps)
      await run(() => Promise.all(removing))
      await run(() => again.whenSynced())
      expect(again.size).toBe(1)
      expect(await watches()).toBe(1)
    }))

  it('closing ends all, held ones too, and nothing can be asked for afterwards', () =>
    withCache(async ({ cache, run, watches }) => {
      const hold = cache.hold(configMaps, 'x')
      await run(() => hold.informer.whenSynced())
      const waiting = cache
        .informer(secrets)
        .whenSynced()
        .catch(error => error.code)
      const closing = [cache.close(), cache.close()]
      await run(() => Promise.all(closing))
      expect(await watches()).toBe(0)
      expect(await run(() => waiting)).toBe('CACHE_CLOSED')
      expect(() => cache.informer(configMaps)).toThrow(expect.objectContaining({ code: 'CACHE_CLOSED' }))
      await expect(cache.list(configMaps)).rejects.toMatchObject({ code: 'CACHE_CLOSED' })
      await run(() => hold.release())
    }))
})

describe('a report', () => {
  it('reports of each informer its state, objects, cost and holders', () =>
    withCache(async ({ cache, run, write, simulation }) => {
      await write('+a/one', '+b/two')
      const informer = cache.informer(configMaps)
      const hold = cache.hold(configMaps.within({ namespaces: ['a', 'b'] }), 'registrar x')
      listen(informer)
      informer.cursor()
      await run(() => cache.synced())
      await simulation.advance(65_000)
      const { informers, watches } = cache.report()
      expect(watches).toBe(3)
      expect(informers).toMatchObject([
        {
          view: configMaps.key,
          state: 'watching',
          synced: true,
          objects: 2,
          failed: 0,
          registrations: 1,
          cursors: 1,
          holders: [],
          asked: true,
          lastError: undefined,
        },
        {
          view: `${configMaps.key}?namespaces=a,b`,
          objects: 2,
          registrations: 0,
          holders: ['registrar x'],
          asked: false,
        },
      ])
      expect(informers[0]?.receivedBytes).toBeGreaterThan(200)
      expect(informers[0]?.ageMs).toBeGreaterThanOrEqual(65_000)
      const [head, first, second, last] = `${cache.report()}`.split('\n')
      expect(head).toMatch(/^VIEW +STATE +OBJECTS +RECEIVED +HANDLERS +CURSORS +AGE +HELD BY$/)
      expect(first).toMatch(/^\/v1\/configmaps +watching +2 +0.0 MB +1 +1 +6\d s$/)
      expect(second).toMatch(/registrar x$/)
      expect(last).toBe('2 informers, 3 watches')
      await run(() => hold.release())
    }))

  it('names what could not be transformed, and why one has nothing', () =>
    withCache(
      async ({ cache, run, write }) => {
        await write('+a/good', '+b/bad')
        const picky = configMaps.project('picky', ({ metadata }) => {
          if (metadata?.name === 'bad') throw new Error('no')
          return metadata?.name
        })
        cache.informer(picky)
        const hold = cache.hold(secrets, 'me')
        await run(() => hold.informer.whenSynced().catch(() => {}))
        await run(() => cache.informer(picky).whenSynced())
        const report = cache.report()
        expect(report.informers).toMatchObject([
          { synced: true, objects: 2, failed: 1, lastError: undefined },
          { synced: false, objects: 0, failed: 0, lastError: hold.informer.lastError },
        ])
        const [, first, second] = `${report}`.split('\n')
        expect(first).toMatch(/ watching +2 \(1 failed\) /)
        expect(second).toMatch(/ waiting, not synced +0 .* me, ! .*Forbidden/)
        await run(() => hold.release())
      },
      { cluster: { authorization: ({ resource }) => resource !== 'secrets' } },
    ))
})

describe('unknown resources', () => {
  it('D7: rejects waits for one, unless the view was chosen to wait', () =>
    withCache(
      async ({ cache, run, simulation }) => {
        cache.informer(games)
        const error = await run(() => cache.list(games).catch(error => error))
        expect(isResourceNotFound(error)).toBe(true)
        await simulation.runUntil(() => cache.informer(games).state === 'missing')
        const worlds = defineResource<KubernetesObject>({
          ...games.resource,
          plural: 'worlds',
          kind: 'World',
          namespaced: true,
        })
        let settled = false
        const waiting = cache.informer(worlds).whenSynced()
        waiting.then(
          () => (settled = true),
          () => (settled = true),
        )
        await simulation.advance(600_000)
        expect(settled).toBe(false)
        waiting.catch(() => {})
      },
      {
        resources: [
          {
            resource: defineResource<KubernetesObject>({ ...games.resource, plural: 'worlds', namespaced: true }),
            whenUnknown: 'wait',
          },
        ],
      },
    ))
})

describe('bad input', () => {
  it.each<[string, object]>([
    ['an unknown option', { informers: 1 }],
    ['an unknown policy', { onMissing: 'load' }],
    ['another policy', { whenUnknown: 'hope' }],
    ['a policy without a resource', { resources: [{ onMissing: 'live' }] }],
    ['a policy for an object that is no view', { resources: [{ resource: { within() {} }, onMissing: 'live' }] }],
    [
      'a second policy for a resource, in any version and scope',
      {
        resources: [
          { resource: pods, onMissing: 'live' },
          { resource: pods.within({ namespaces: ['a'] }), whenUnknown: 'wait' },
        ],
      },
    ],
    ['policies that are no list', { resources: {} }],
    ['narrow reads without a narrow reader', { onMissing: 'narrow' }],
    ['narrow reads of one resource without a narrow reader', { resources: [{ resource: pods, onMissing: 'narrow' }] }],
    ['a page of none', { pageSize: 0 }],
    ['no client', { client: undefined }],
    ['another client', { client: {} }],
  ])('X6: %s is refused', (_, options) =>
    withCache(async ({ client }) => {
      let error: unknown
      try {
        new DynamicCache({ client, ...options })
      } catch (thrown) {
        error = thrown
      }
      expect(isInvalidOption(error)).toBe(true)
    }),
  )

  it.each(['configmaps', undefined, configMaps.resource])(
    'X6: a view that is none is refused, and a key that is none (%s)',
    none =>
      withCache(async ({ cache, run }) => {
        const view = none as never
        const calls: readonly (() => unknown)[] = [
          () => cache.informer(view),
          () => cache.covering(view),
          () => cache.get(view, key('a', 'b')),
          () => cache.list(view),
          () => cache.remove(view),
          () => cache.rescope(view, configMaps),
          () => cache.rescope(configMaps, view),
          () => cache.hold(view, 'me'),
        ]
        const informer = cache.informer(configMaps)
        for (const call of calls) {
          const thrown = await run(async () => call()).catch((error: unknown) => error)
          expect(String(thrown)).toContain('view takes a resource or a view of one, got ')
        }
        await run(() => informer.whenSynced())
        for (const text of ['a/b', undefined]) {
          await expect(run(() => cache.get(configMaps, text as never))).rejects.toThrow(
            'key takes { name, namespace }, got',
          )
        }
      }),
  )

  it('X6: a hold without a name, and options of reads that are none, are refused', () =>
    withCache(async ({ cache, run }) => {
      expect(() => cache.hold(configMaps, '')).toThrow(TypeError)
      await expect(run(() => cache.get(configMaps, key('a', 'b'), { timeout: 1 } as never))).rejects.toThrow(TypeError)
      await expect(run(() => cache.synced({ signal: 1 } as never))).rejects.toThrow(TypeError)
    }))
})
