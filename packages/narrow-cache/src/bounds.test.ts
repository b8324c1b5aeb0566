import { configMaps } from '@wherry/client/resources/core'
import { alikeSignal } from '@wherry/client/testkit/alike-signal'
import { describe, expect, it } from 'vitest'
import { denying } from './testkit/denials.ts'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'

const labels = { resource: 'v1/configmaps' }
const user = { tokens: { u: { name: 'u', groups: [] } }, token: 'u' }

describe('the bound on entries', () => {
  it('N6: past max the entry that was read longest ago goes, and its object with it', () =>
    withNarrow(
      async ({ narrow, get, write, watches, simulation }) => {
        await write('+a/x', '+a/y', '+a/z')
        await get('a/x')
        await get('a/y')
        await get('a/x')
        await get('a/z')
        expect(narrow.peek(configMaps, keyOf('a/y'))).toBeUndefined()
        expect(narrow.peek(configMaps, keyOf('a/x'))).toBeDefined()
        expect(narrow.peek(configMaps, keyOf('a/z'))).toBeDefined()
        expect(await watches()).toBe(2)
        expect(narrow.report()).toMatchObject({ entries: 2, views: [{ entries: 2, objects: 2 }] })
        expect(simulation.environment.metric('wherry_narrow_evictions_total', labels)).toBe(1)
        expect(simulation.environment.metric('wherry_narrow_entries')).toBe(2)
      },
      { max: 2 },
    ))

  it('N7: an entry with a subscription is never evicted', () =>
    withNarrow(
      async ({ narrow, run, get, write }) => {
        const log: string[] = []
        await get('a/x')
        await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
        for (const name of ['p', 'q', 'r']) await get(`a/${name}`)
        await write('+a/x')
        expect(log).toEqual(['0a/x', '+a/x 1'])
        expect(narrow.report()).toMatchObject({ entries: 1, idle: 0 })
      },
      { max: 2, idleMs: 10 },
    ))

  it('N7: past max with all pinned a get is live, a subscription shares one watch, and one warning names the view', () =>
    withNarrow(
      async ({ narrow, run, get, write, simulation, requests, watches }) => {
        const log: string[] = []
        const subscribe = (path: string) => run(() => narrow.watch(configMaps, keyOf(path), noting(log)))
        await write('+a/y', '+b/z')
        await subscribe('a/x')
        requests()
        expect((await get('a/y'))?.data).toEqual({ n: '1' })
        expect((await get('a/y'))?.data).toEqual({ n: '1' })
        expect(requests()).toEqual(['list', 'list'])
        expect(narrow.report().entries).toBe(1)
        expect(simulation.environment.metric('wherry_narrow_live_gets_total', labels)).toBe(2)
        const later = [await subscribe('a/y'), await subscribe('b/z')]
        expect(simulation.environment.warnings).toEqual([
          {
            message: expect.stringContaining('.caches(view)'),
            context: { resource: 'v1/configmaps', view: configMaps.key },
          },
        ])
        expect(await watches()).toBe(1)
        expect(narrow.report()).toMatchObject({
          entries: 3,
          streams: 1,
          escalated: [{ phase: 'escalated', entries: 3 }],
        })
        expect(narrow.part(configMaps)).toBe(3 / 2)
        await write('+a/x', '~a/y', '-b/z')
        expect(log.slice(3).toSorted()).toEqual(['+a/x 3', '-b/z ?', '~a/y 1→4'])
        for (const one of later) await run(() => one.close())
        expect(await watches()).toBe(1)
        expect(narrow.report()).toMatchObject({ entries: 1, streams: 1, escalated: [] })
      },
      { max: 1, escalateAt: Number.POSITIVE_INFINITY, escalateAllAt: Number.POSITIVE_INFINITY },
    ))

  it('N7: a read past max takes any object with the interface of a signal', () =>
    withNarrow(
      async ({ narrow, run, write }) => {
        await write('+a/y')
        await run(() => narrow.watch(configMaps, keyOf('a/x'), noting([])))
        const stop = new AbortController()
        const read = () => narrow.get(configMaps, keyOf('a/y'), { signal: alikeSignal(stop.signal) })
        expect((await run(read))?.data).toEqual({ n: '1' })
        const reads = run(() => expect(read()).rejects.toThrow('enough'))
        stop.abort(new Error('enough'))
        await reads
      },
      { max: 1 },
    ))

  it('N7: a read past max that is given up leaves nothing behind', () =>
    withNarrow(
      async ({ narrow, run, simulation }) => {
        const [one] = await run(() =>
          Promise.all(['x', 'y'].map(name => narrow.watch(configMaps, keyOf(`a/${name}`), noting([])))),
        )
        const giveUp = new AbortController()
        const read = run(() => narrow.get(configMaps, keyOf('a/z'), { signal: giveUp.signal }))
        giveUp.abort(new Error('enough'))
        await expect(read).rejects.toThrow('enough')
        await simulation.advance(1000)
        await run(() => one?.close())
        narrow.forget(configMaps, keyOf('a/x'))
        const log: string[] = []
        await run(() => narrow.watch(configMaps, keyOf('a/z'), noting(log)))
        expect(log).toEqual(['0a/z'])
        expect(narrow.report()).toMatchObject({ entries: 2, streams: 2 })
      },
      { max: 2, cluster: denying(({ name }) => name === '') },
    ))

  it.each([1, 100])('N6: nothing is kept of a read that stops waiting for its turn (escalateAt %i)', escalateAt =>
    withNarrow(
      async ({ narrow, run, get, server, simulation }) => {
        await get('a/x')
        await get('a/y')
        await simulation.advance(1000)
        for (const verb of ['list', 'watch']) {
          await run(() => server.faults.add({ match: { verb }, effect: { kind: 'hang' } }))
        }
        const giveUp = new AbortController()
        const names = ['p', 'q', 'r', 's']
        const reads = names.map(name =>
          run(() => narrow.get(configMaps, keyOf(`a/${name}`), { signal: giveUp.signal })),
        )
        for (const one of reads) one.catch(() => {})
        await simulation.advance(1000)
        expect(narrow.report()).toMatchObject({ entries: 6, waiting: 3 })
        giveUp.abort(new Error('enough'))
        await Promise.allSettled(reads)
        for (const name of names.slice(1)) narrow.forget(configMaps, keyOf(`a/${name}`))
        expect(narrow.report()).toMatchObject({ entries: 3, waiting: 0 })
      },
      { escalateAt, maxOpening: 1 },
    ),
  )

  it('N7, N8: a live get of an object that the projection throws for is the error that a cached one is', () =>
    withNarrow(
      async ({ narrow, run, write }) => {
        const cause = new Error('never')
        const never = configMaps.project('never', () => {
          throw cause
        })
        await write('+a/x')
        await run(() => narrow.watch(configMaps, keyOf('a/y'), { add() {} }))
        const error = { code: 'TRANSFORM_FAILED', view: never.key, key: 'a/x', cause }
        await expect(run(() => narrow.get(never, keyOf('a/x')))).rejects.toMatchObject(error)
        expect(narrow.report().entries).toBe(1)
      },
      { max: 1, escalateAt: Number.POSITIVE_INFINITY, escalateAllAt: Number.POSITIVE_INFINITY },
    ))

  it('N7: where the one watch is refused, a subscription past max has a watch of its own', () =>
    withNarrow(
      async ({ narrow, run, get, write }) => {
        await write('+a/y')
        await run(() => narrow.watch(configMaps, keyOf('a/x'), noting([])))
        expect((await get('a/y'))?.data).toEqual({ n: '1' })
        const log: string[] = []
        await run(() => narrow.watch(configMaps, keyOf('a/y'), noting(log)))
        expect(log).toEqual(['+a/y 1 first'])
        expect(narrow.report()).toMatchObject({ entries: 2, streams: 2, escalated: [] })
      },
      {
        max: 1,
        cluster: { ...user, authorization: ({ user: { name }, name: object }) => name !== 'u' || object !== '' },
      },
    ))
})

describe('refusals', () => {
  const onlyX = ({ user: { name }, name: object }: { user: { name: string }; name: string }): boolean =>
    name !== 'u' || object === 'x'

  it('N10: leave for one name suffices; a refusal of another touches that entry alone', () =>
    withNarrow(
      async ({ narrow, run, get, write, simulation }) => {
        await write('+a/x', '+a/y')
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        await expect(get('a/y')).rejects.toMatchObject({ status: 403 })
        await expect(run(() => narrow.watch(configMaps, keyOf('a/y'), noting([])))).rejects.toMatchObject({
          code: 'NARROW_WATCH_REFUSED',
          key: 'a/y',
        })
        await write('~a/x')
        expect((await get('a/x'))?.data).toEqual({ n: '3' })
        const codes = simulation.environment.errors.map(({ error, context }) => [
          (error as never as { code: string }).code,
          context.key,
        ])
        expect(codes).toEqual([['NARROW_WATCH_REFUSED', 'a/y']])
      },
      { cluster: { ...user, authorization: onlyX } },
    ))

  it('N10: where a list is allowed and a watch is not: a clear error once, a metric, live gets, no subscription', () => {
    let allowed = false
    return withNarrow(
      async ({ narrow, run, get, write, simulation, requests, watches, server }) => {
        await write('+a/x')
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        await simulation.advance(100_000)
        await write('~a/x')
        expect((await get('a/x'))?.data).toEqual({ n: '2' })
        expect(narrow.peek(configMaps, keyOf('a/x'))).toBeUndefined()
        await expect(run(() => narrow.watch(configMaps, keyOf('a/x'), noting([])))).rejects.toMatchObject({
          code: 'NARROW_WATCH_REFUSED',
          cause: { status: 403 },
        })
        const { errors } = simulation.environment
        expect(errors.map(({ error }) => error.name)).toEqual(['NarrowWatchRefusedError'])
        expect(simulation.environment.metric('wherry_narrow_refused_total', labels)).toBe(1)
        expect(simulation.environment.metric('wherry_narrow_live_gets_total', labels)).toBe(2)
        expect(narrow.report()).toMatchObject({ entries: 1, refused: 1 })
        allowed = true
        await simulation.advance(120_000)
        expect(await watches()).toBe(1)
        requests()
        expect((await get('a/x'))?.data).toEqual({ n: '2' })
        expect(requests()).toEqual([])
        expect(simulation.environment.metric('wherry_narrow_live_gets_total', labels)).toBe(2)
        // After another change, it is reported again.
        await write('~a/x')
        allowed = false
        await run(() => server.endWatches('configmaps'))
        await simulation.advance(120_000)
        expect(errors.map(({ context }) => [context.phase, context.key])).toEqual([
          ['watch', 'a/x'],
          ['watch', 'a/x'],
        ])
      },
      {
        cluster: {
          ...user,
          authorization: ({ user: { name }, verb }) => name !== 'u' || verb !== 'watch' || allowed,
        },
      },
    )
  })

  it('N10: where only gets are allowed, one gives what its view makes of the object, or of none, and ends with its signal', () =>
    withNarrow(
      async ({ narrow, run, write, server, simulation }) => {
        await write('+a/x')
        const letter = configMaps.project('n', ({ data }) => `n${data?.n}`)
        const read = (name: string, signal?: AbortSignal): Promise<string | undefined> =>
          run(() => narrow.get(letter, keyOf(`a/${name}`), { signal }))
        expect([await read('x'), await read('none')]).toEqual(['n1', undefined])
        expect(simulation.environment.metric('wherry_narrow_live_gets_total', labels)).toBe(2)
        await write('~a/x')
        expect(await read('x')).toBe('n2')
        await run(() => server.faults.add({ match: { verb: 'get' }, effect: { kind: 'hang' } }))
        const giveUp = new AbortController()
        const late = read('x', giveUp.signal)
        await simulation.advance(1000)
        giveUp.abort(new Error('enough'))
        await expect(late).rejects.toThrow('enough')
      },
      { cluster: { ...user, authorization: ({ user: { name }, verb }) => name !== 'u' || verb === 'get' } },
    ))

  it('N6, N10: a view that needs more than may be watched is refused, and receives no absence', () => {
    const access = { mayWatch: true }
    return withNarrow(
      async ({ narrow, run, write, get }) => {
        await write('+a/x')
        const metadata = await run(() => narrow.get(configMaps.metadata(), keyOf('a/x')))
        expect(metadata?.metadata.name).toBe('x')
        access.mayWatch = false
        const log: string[] = []
        const watch = narrow.watch(configMaps.full(), keyOf('a/x'), noting(log))
        await expect(run(() => watch)).rejects.toMatchObject({ code: 'NARROW_WATCH_REFUSED' })
        expect(log).toEqual([])
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
      },
      {
        cluster: {
          tokens: { u: { name: 'u', groups: [] } },
          token: 'u',
          authorization: ({ user: { name }, verb }: { user: { name: string }; verb: string }) =>
            name !== 'u' || verb !== 'watch' || access.mayWatch,
        },
      },
    )
  })

  it('N10: a server that refuses the field selector: gets are live, a subscription is refused', () =>
    withNarrow(async ({ narrow, run, get, write, server, client }) => {
      await write('+a/x')
      const effect = { kind: 'status', code: 400, reason: 'BadRequest' } as const
      await run(() => server.faults.add({ match: { verb: 'watch' }, effect }))
      await run(() => server.faults.add({ match: { verb: 'list' }, effect }))
      expect((await get('a/x'))?.data).toEqual({ n: '1' })
      await expect(run(() => narrow.watch(configMaps, keyOf('a/x'), noting([])))).rejects.toMatchObject({
        code: 'NARROW_WATCH_REFUSED',
      })
      expect((await run(() => client.get(configMaps, keyOf('a/x'))))?.data).toEqual({ n: '1' })
    }))
})
