import { getEventListeners } from 'node:events'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { NarrowCache } from './narrow-cache.ts'
import { definition, games } from './testkit/games.ts'
import { ignoring } from './testkit/ignoring.ts'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'

const labels = { resource: 'v1/configmaps' }
const user = { tokens: { u: { name: 'u', groups: [] } }, token: 'u' }

describe('an entry that is fetched when it has changed', () => {
  it('N11: is tried again with backoff where that fails, and a read waits for it', () =>
    withNarrow(
      async ({ narrow, run, write, get, server, simulation, requests }) => {
        const log: string[] = []
        await write('+a/x')
        for (const name of ['x', 'y']) await run(() => narrow.watch(configMaps, keyOf(`a/${name}`), noting(log)))
        await simulation.advance(1000)
        const effect = { kind: 'status', code: 500 } as const
        const fails = await run(() => server.faults.add({ match: { verb: 'list' }, effect }))
        requests()
        await write('~a/x')
        expect(narrow.peek(configMaps, keyOf('a/x'))).toBeUndefined()
        const { errors } = simulation.environment
        expect(requests()).toEqual(['list fieldSelector=metadata.name=x'])
        await simulation.advance(1000)
        expect(errors.map(({ error, context }) => [(error as { status?: number }).status, context.key])).toEqual([
          [500, 'a/x'],
        ])
        await simulation.advance(3000)
        expect(requests().length).toBeGreaterThan(0)
        await run(() => fails.remove())
        expect((await get('a/x'))?.data).toEqual({ n: '2' })
        expect(log).toEqual(['+a/x 1 first', '0a/y', '~a/x 1→2'])
        requests()
        await simulation.advance(120_000)
        expect(requests()).toEqual([])
      },
      { escalateAt: 1 },
    ))

  it('N11: is fetched once where it changes again meanwhile', () =>
    withNarrow(
      async ({ narrow, run, write, get, server, simulation, requests }) => {
        await write('+a/x')
        await get('a/x')
        await get('a/y')
        await simulation.advance(1000)
        await run(() => server.faults.add({ match: { verb: 'list' }, nth: 1, effect: { kind: 'delay', ms: 5000 } }))
        requests()
        await write('~a/x', '~a/x', '~a/x')
        expect((await get('a/x'))?.data).toEqual({ n: '4' })
        expect(requests()).toEqual(['list fieldSelector=metadata.name=x'])
        expect(simulation.environment.metric('wherry_narrow_fetches_total', labels)).toBe(1)
        expect(narrow.report()).toMatchObject({ entries: 2, streams: 1, waiting: 0 })
      },
      { escalateAt: 1 },
    ))

  it('N11: is not fetched where it has gone, nor where nobody needs it any more when its turn comes', () =>
    withNarrow(
      async ({ narrow, run, write, get, server, simulation, requests }) => {
        await write('+a/x', '+a/y', '+a/z')
        const log: string[] = []
        for (const name of ['x', 'y', 'z']) await get(`a/${name}`)
        await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
        await simulation.advance(1000)
        requests()
        await write('-a/x')
        expect(log).toEqual(['+a/x 1 first', '-a/x ?'])
        expect(await get('a/x')).toBeUndefined()
        expect(requests()).toEqual([])
        await run(() => server.faults.add({ match: { verb: 'list' }, nth: 1, effect: { kind: 'delay', ms: 5000 } }))
        await write('~a/y', '~a/z')
        expect(narrow.forget(configMaps, keyOf('a/z'))).toBe(true)
        await simulation.advance(10_000)
        expect(requests()).toEqual(['list fieldSelector=metadata.name=y'])
        expect((await get('a/y'))?.data).toEqual({ n: '5' })
      },
      { escalateAt: 1, maxOpening: 1 },
    ))

  it('N11: is not fetched again when the watch brings what was fetched already', () =>
    withNarrow(
      async ({ narrow, run, write, get, server, simulation, requests }) => {
        const effect = { kind: 'slow', bytesPerSecond: 200 } as const
        await get('a/y')
        await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect }))
        await get('a/z')
        expect(narrow.report().escalated).toMatchObject([{ phase: 'escalated' }])
        await write('+a/x')
        requests()
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        await simulation.advance(60_000)
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        expect(requests()).toEqual(['list fieldSelector=metadata.name=x'])
      },
      { escalateAt: 1 },
    ))

  it('N10, N11: one that may not be read is live and refused, is reported once, and affects no other', () => {
    let mayRead = true
    return withNarrow(
      async ({ narrow, run, write, get, server, simulation }) => {
        await write('+a/x', '+a/y')
        await get('a/x')
        await get('a/y')
        await simulation.advance(1000)
        mayRead = false
        const match = { verb: 'list', name: 'x' }
        await run(() => server.faults.add({ match, nth: 1, effect: { kind: 'delay', ms: 2000 } }))
        await write('~a/x', '~a/y')
        const begun = simulation.clock.monotonic()
        await expect(get('a/x')).rejects.toMatchObject({ status: 403 })
        expect(simulation.clock.monotonic() - begun).toBeLessThan(5000)
        await expect(run(() => narrow.watch(configMaps, keyOf('a/x'), noting([])))).rejects.toMatchObject({
          code: 'NARROW_WATCH_REFUSED',
          key: 'a/x',
          cause: { status: 403 },
        })
        expect((await get('a/y'))?.data).toEqual({ n: '4' })
        const { environment } = simulation
        expect(environment.metric('wherry_narrow_refused_total', labels)).toBe(1)
        expect(environment.errors.map(({ error, context }) => [error.name, context.key])).toEqual([
          ['NarrowWatchRefusedError', 'a/x'],
        ])
        expect(narrow.report().refused).toBe(1)
        mayRead = true
        await simulation.advance(120_000)
        expect((await get('a/x'))?.data).toEqual({ n: '3' })
        expect(narrow.report().refused).toBe(0)
      },
      {
        escalateAt: 1,
        cluster: {
          ...user,
          authorization: ({ user: { name }, name: object }) => name !== 'u' || object !== 'x' || mayRead,
        },
      },
    )
  })
})

describe('a fetch', () => {
  it('N1, N11: takes no other object for it from a server that does not know the field selector', () =>
    withNarrow(async ({ run, write, server, simulation }) => {
      const { environment, random } = simulation
      const transport = ignoring(server.transport({ random: random.fork('ignoring') }))
      const client = new Client({ url: server.url, token: server.token, transport, environment })
      const narrow = new NarrowCache({ client, escalateAt: 1 })
      await write('+a/w', '+a/x', '+a/y')
      const log: string[] = []
      for (const name of ['w', 'x', 'gone']) {
        await run(() => narrow.watch(configMaps, keyOf(`a/${name}`), noting(log)))
      }
      await simulation.advance(1000)
      expect(narrow.report().escalated).toMatchObject([{ phase: 'escalated' }])
      await write('~a/x')
      expect((await run(() => narrow.get(configMaps, keyOf('a/x'))))?.data).toEqual({ n: '4' })
      expect(log).toEqual(['+a/w 1 first', '+a/x 2 first', '0a/gone', '~a/x 2→4'])
      await run(() => narrow.close())
      await run(() => client.close())
    }))

  const hang = { match: { verb: 'list' }, effect: { kind: 'hang' } } as const

  it('N11: is given up if it is not answered within 65 s, reported, and tried again', () =>
    withNarrow(
      async ({ run, write, get, server, simulation }) => {
        const { errors } = simulation.environment
        await write('+a/x')
        for (const name of ['x', 'y']) await get(`a/${name}`)
        await simulation.advance(1000)
        const hanging = await run(() => server.faults.add(hang))
        await write('~a/x')
        await simulation.advance(64_000)
        expect(errors).toEqual([])
        await simulation.advance(2000)
        expect(errors).toMatchObject([
          { error: { code: 'TIMEOUT', timeoutMs: 65_000, method: 'GET' }, context: { phase: 'watch', key: 'a/x' } },
        ])
        await run(() => hanging.remove())
        await simulation.advance(5000)
        expect((await get('a/x'))?.data).toEqual({ n: '2' })
      },
      { escalateAt: 1 },
    ))

  it.each([1000, 20_000])('N9, N11: is waited for no longer than timeoutMs (%i)', timeoutMs =>
    withNarrow(
      async ({ narrow, run, write, get, server, simulation }) => {
        await write('+a/x', '+a/y')
        for (const name of ['x', 'y']) await get(`a/${name}`)
        await simulation.advance(1000)
        await run(() => server.faults.add(hang))
        // The list of one hangs, and that of the other waits for its turn.
        await write('~a/x', '~a/y')
        const begun = simulation.clock.monotonic()
        expect((await Promise.all([get('a/x'), get('a/y')])).map(object => object?.data?.n)).toEqual(['3', '4'])
        await expect(run(() => narrow.watch(configMaps, keyOf('a/y'), noting([])))).rejects.toMatchObject({
          code: 'NARROW_TIMEOUT',
        })
        expect(simulation.clock.monotonic() - begun).toBeLessThan(2.1 * timeoutMs)
      },
      { escalateAt: 1, maxOpening: 1, timeoutMs },
    ),
  )

  it('N11: is begun at once for a read if its own watch is not opened after all, since the watch of many is coming', () =>
    withNarrow(
      async ({ narrow, run, write, get, server, simulation }) => {
        await write('+a/x')
        for (const name of ['x', 'p', 'q', 'r', 's']) await get(`a/${name}`)
        await simulation.advance(1000)
        expect(narrow.report().escalated).toMatchObject([{ phase: 'escalated' }])
        await run(() => server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'hang' } }))
        const stop = new AbortController()
        const { signal } = stop
        const hanging = run(() => narrow.get(configMaps, keyOf('b/h'), { signal })).catch(() => {})
        await simulation.advance(10)
        for (const name of ['p', 'q', 'r', 's']) narrow.forget(configMaps, keyOf(`a/${name}`))
        const begun = simulation.clock.monotonic()
        const read = get('a/x')
        read.catch(() => {})
        const rising = run(() =>
          Promise.allSettled(['p', 'q', 'r', 's'].map(name => narrow.get(configMaps, keyOf(`a/${name}`), { signal }))),
        )
        await simulation.advance(10)
        expect(narrow.report()).toMatchObject({ waiting: 4, escalated: [{ phase: 'escalating' }] })
        stop.abort()
        await Promise.all([hanging, rising])
        expect(narrow.forget(configMaps, keyOf('b/h'))).toBe(true)
        expect((await read)?.data).toEqual({ n: '1' })
        expect(simulation.clock.monotonic() - begun).toBeLessThan(2000)
      },
      { escalateAt: 4, maxOpening: 1 },
    ))

  it('R23: is broken off when the cache is closed, and none that waits for its turn is begun', () =>
    withNarrow(
      async ({ narrow, run, write, get, server, simulation, requests }) => {
        const lists = (): string[] => requests().filter(line => line.startsWith('list'))
        const asking = (): number => simulation.pending().filter(line => line.includes('GET')).length
        await write('+a/x', '+a/y', '+a/z')
        for (const name of ['x', 'y', 'z']) await get(`a/${name}`)
        await simulation.advance(1000)
        await run(() => server.faults.add(hang))
        lists()
        await write('~a/x', '~a/y', '~a/z')
        expect([lists().length, narrow.report().waiting, asking()]).toEqual([2, 1, 3])
        expect(simulation.environment.metric('wherry_narrow_streams')).toBe(3)
        const before = simulation.clock.monotonic()
        await run(() => narrow.close())
        expect(simulation.clock.monotonic() - before).toBeLessThan(1000)
        expect([narrow.report().waiting, asking()]).toEqual([0, 0])
        await simulation.advance(100_000)
        expect([lists(), simulation.environment.errors]).toEqual([[], []])
        expect(simulation.environment.metric('wherry_narrow_streams')).toBe(0)
      },
      { escalateAt: 1, maxOpening: 2 },
    ))

  it('N9: that a get waits for ends with its signal, and touches no other', () =>
    withNarrow(async ({ narrow, run, write, get, server, simulation, requests }) => {
      const key = keyOf('a/x')
      await write('+a/x')
      await get('a/x')
      // Only the server knows whether that is the object that is there.
      narrow.deleted(configMaps, key, 'another-uid')
      const slow = { match: { verb: 'list' }, effect: { kind: 'delay', ms: 5000 } } as const
      await run(() => server.faults.add(slow))
      requests()
      const asking = (): number => simulation.pending().filter(line => /GET(?!.*watch=)/.test(line)).length
      const [giveUp, calm] = [new AbortController(), new AbortController()]
      await run(async () => {
        const one = narrow.get(configMaps, key, giveUp)
        const ended = expect(one).rejects.toThrow('enough')
        const other = narrow.get(configMaps, key, calm)
        await simulation.advance(1000)
        // One request serves both.
        expect(requests()).toEqual(['list fieldSelector=metadata.name=x'])
        giveUp.abort(new Error('enough'))
        await ended
        expect(asking()).toBe(1)
        expect((await other)?.data).toEqual({ n: '1' })
      })
      expect([asking(), simulation.environment.metric('wherry_narrow_fetches_total', labels)]).toEqual([0, 1])
      // A signal may outlive very many gets.
      expect(getEventListeners(calm.signal, 'abort')).toEqual([])
    }))
})

it.each([1, 10])(
  'an object longer than `maxObjectBytes` is not taken, and is reported, until it is shorter (escalateAt %i)',
  escalateAt =>
    withNarrow(
      async ({ narrow, run, write, writer, get, simulation }) => {
        const log: string[] = []
        await write('+a/x')
        await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
        await get('a/y')
        await simulation.advance(1000)
        await run(() => writer.patch(configMaps, keyOf('a/x'), { data: { n: 'x'.repeat(2000) } }))
        await simulation.advance(1100)
        expect(simulation.environment.errors).toMatchObject([
          { error: { message: expect.stringContaining('longer than 1000 bytes') }, context: { key: 'a/x' } },
        ])
        expect(log).toEqual(['+a/x 1 first'])
        await write('~a/x')
        await simulation.advance(60_000)
        expect(log.slice(1)).toEqual(['~a/x 1→2'])
      },
      { escalateAt, maxObjectBytes: 1000 },
    ),
)

describe('a resource that goes', () => {
  it('N11: while its entries are escalated: what was there is deleted, and comes back with it', () =>
    withNarrow(
      async ({ narrow, run, writer, simulation }) => {
        const define = () => writer.create(customResourceDefinitions, definition)
        await run(define)
        await simulation.advance(1000)
        const chess = keyOf('a/chess')
        await run(() => writer.create(games, { metadata: chess }))
        const log: string[] = []
        const handler = {
          add: () => log.push('add'),
          delete: (_: unknown, { finalStateUnknown }: { readonly finalStateUnknown: boolean }) =>
            log.push(`delete ${finalStateUnknown}`),
        }
        await run(() => narrow.watch(games, chess, handler))
        await run(() => narrow.get(games, keyOf('a/go')))
        await simulation.advance(1000)
        expect(narrow.report().escalated).toMatchObject([{ phase: 'escalated', entries: 2 }])
        await run(() => writer.delete(customResourceDefinitions, { name: 'games.arcade.example.com' }))
        await simulation.advance(10_000)
        expect(log).toEqual(['add', 'delete true'])
        await expect(run(() => narrow.get(games, chess))).rejects.toMatchObject({ name: 'ResourceNotFoundError' })
        await run(define)
        await simulation.advance(1000)
        await run(() => writer.create(games, { metadata: chess }))
        await simulation.advance(120_000)
        expect(log).toEqual(['add', 'delete true', 'add'])
        expect((await run(() => narrow.get(games, chess)))?.metadata?.name).toBe('chess')
        expect(narrow.report().escalated).toMatchObject([{ phase: 'escalated', entries: 2 }])
      },
      { escalateAt: 1 },
    ))

  it('N11: while the watch of all namespaces is broken: has no objects any more', () =>
    withNarrow(
      async ({ narrow, run, writer, simulation, transport, breakAll }) => {
        await run(() => writer.create(customResourceDefinitions, definition))
        await simulation.advance(1000)
        for (const path of ['a/chess', 'b/go', 'b/checkers', 'b/reversi'])
          await run(() => writer.create(games, { metadata: keyOf(path) }))
        for (const path of ['a/chess', 'b/go']) await run(() => narrow.get(games, keyOf(path)))
        await simulation.advance(1000)
        expect(narrow.part(games)).toBe(2 / 4)
        transport.controls.refuse(true)
        breakAll()
        await run(() => writer.delete(customResourceDefinitions, definition.metadata))
        await simulation.advance(5000)
        transport.controls.refuse(false)
        await simulation.advance(60_000)
        expect(narrow.part(games)).toBe(2)
      },
      { escalateAllAt: 1 },
    ))

  it.each([1, 10])(
    'N4, N5: while the watch is broken: what was there is deleted, and comes back with it (escalateAt %i)',
    escalateAt =>
      withNarrow(
        async ({ narrow, run, writer, simulation, transport, breakAll }) => {
          await run(() => writer.create(customResourceDefinitions, definition))
          await simulation.advance(1000)
          const chess = keyOf('a/chess')
          await run(() => writer.create(games, { metadata: chess }))
          const log: string[] = []
          const handler = {
            add: () => log.push('add'),
            delete: (_: unknown, about: { readonly finalStateUnknown: boolean }) =>
              log.push(`delete ${about.finalStateUnknown}`),
          }
          await run(() => narrow.watch(games, chess, handler))
          await run(() => narrow.get(games, keyOf('a/go')))
          await simulation.advance(1000)
          transport.controls.refuse(true)
          breakAll()
          await run(() => writer.delete(customResourceDefinitions, definition.metadata))
          await simulation.advance(5000)
          transport.controls.refuse(false)
          await simulation.advance(60_000)
          expect(log).toEqual(['add', 'delete true'])
          expect(narrow.peek(games, chess)).toBeUndefined()
          await expect(run(() => narrow.get(games, chess))).rejects.toMatchObject({ name: 'ResourceNotFoundError' })
          await run(() => writer.create(customResourceDefinitions, definition))
          await simulation.advance(1000)
          await run(() => writer.create(games, { metadata: chess }))
          await simulation.advance(120_000)
          expect(log).toEqual(['add', 'delete true', 'add'])
          expect((await run(() => narrow.get(games, chess)))?.metadata?.name).toBe('chess')
        },
        { escalateAt },
      ),
  )
})

it('N11: reports a server that restarts once, with how many watches it ended', () =>
  withNarrow(
    async ({ narrow, run, server, simulation }) => {
      const names = Array.from({ length: 350 }, (_, i) => keyOf(`a/x${i}`))
      await run(() => Promise.all(names.map(key => narrow.get(configMaps, key))))
      await simulation.advance(2000)
      const { errors } = simulation.environment
      const reported = { context: { resource: 'v1/configmaps', phase: 'watch', count: 350 } }
      await run(() => server.restart())
      await simulation.advance(1500)
      expect(errors).toMatchObject([reported])
      // Gathered failures are reported when it is closed.
      await simulation.advance(30_000)
      await run(() => server.restart())
      await simulation.advance(100)
      expect(errors).toHaveLength(1)
      await run(() => narrow.close())
      expect(errors).toMatchObject([reported, reported])
    },
    { escalateAt: 1000, max: 1000 },
  ))
