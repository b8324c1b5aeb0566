import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'

const x = keyOf('a/x')
const metadata = configMaps.metadata()

describe('an entry that comes to be fed otherwise', () => {
  it('N2, N11: who waits for more of an object gets it when one watch of many takes over meanwhile', () =>
    withNarrow(
      async ({ narrow, run, write, server, simulation }) => {
        await write('+a/x')
        await run(() => narrow.get(metadata, x))
        await run(() => server.faults.add({ match: { verb: 'watch', name: 'x' }, effect: { kind: 'hang' } }))
        const begun = simulation.clock.monotonic()
        const whole = await run(async () => {
          const waiting = narrow.get(configMaps, x)
          await narrow.get(configMaps, keyOf('a/y'))
          return waiting
        })
        expect(whole?.data).toEqual({ n: '1' })
        expect(simulation.clock.monotonic() - begun).toBeLessThan(5000)
        expect(narrow.report().escalated).toMatchObject([{ phase: 'wide' }])
      },
      { escalateAt: 1 },
    ))

  it('N11: the list of the one watch may be older than what came meanwhile: nobody goes back', () =>
    withNarrow(
      async ({ narrow, run, write, server, simulation }) => {
        const log: string[] = []
        await run(() => narrow.watch(configMaps, x, noting(log)))
        await run(() =>
          server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'slow', bytesPerSecond: 100 } }),
        )
        const rising = run(() => narrow.get(configMaps, keyOf('a/y')))
        await simulation.advance(500)
        await write('+a/x')
        expect(narrow.report().escalated).toMatchObject([{ phase: 'rising' }])
        expect(log).toEqual(['0a/x', '+a/x 1'])
        await rising
        await simulation.advance(60_000)
        expect(narrow.report().escalated).toMatchObject([{ phase: 'wide' }])
        expect(log).toEqual(['0a/x', '+a/x 1'])
      },
      { escalateAt: 1 },
    ))

  it('N2, N11: metadata that was fetched is not taken for the whole object that is needed since', () =>
    withNarrow(
      async ({ narrow, run, write, get, server, simulation }) => {
        await write('+a/x')
        await get('a/y')
        await get('a/z')
        await simulation.advance(1000)
        expect(narrow.report().escalated).toMatchObject([{ phase: 'wide' }])
        await run(() => server.faults.add({ match: { verb: 'list' }, nth: 1, effect: { kind: 'delay', ms: 3000 } }))
        const begun = simulation.clock.monotonic()
        const [part, whole] = await run(async () => {
          const waiting = narrow.get(metadata, x)
          await simulation.advance(1000)
          return Promise.all([waiting, narrow.get(configMaps, x)])
        })
        expect(part).not.toHaveProperty('data')
        expect(whole?.data).toEqual({ n: '1' })
        expect(simulation.clock.monotonic() - begun).toBeLessThan(10_000)
      },
      { escalateAt: 1 },
    ))

  it('N2: a view that needs more than what comes is told nothing before more comes, not even that there is no object', () =>
    withNarrow(async ({ narrow, run, write, server, simulation }) => {
      const log: string[] = []
      expect(await run(() => narrow.get(metadata, x))).toBeUndefined()
      // What is to bring more takes its time.
      const hang = await run(() =>
        server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'status', code: 503 } }),
      )
      const rest = await run(() =>
        server.faults.add({ match: { verb: 'list' }, effect: { kind: 'status', code: 503 } }),
      )
      const whole = run(() => narrow.get(configMaps.full(), x))
      const following = run(() => narrow.watch(configMaps, x, noting(log)))
      await simulation.advance(1000)
      await write('+a/x')
      expect(narrow.peek(metadata, x)?.object).toBeDefined()
      expect(log).toEqual([])
      await run(() => hang.remove())
      await run(() => rest.remove())
      await simulation.advance(60_000)
      expect((await whole)?.data).toEqual({ n: '1' })
      await following
      expect(log).toEqual(['+a/x 1 first'])
    }))

  it('N2: of watches that are to bring more, only that which brings most goes on', () =>
    withNarrow(async ({ narrow, run, write, watches, server }) => {
      await write('+a/x')
      await run(() => narrow.get(metadata, x))
      const hang = await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'hang' } }))
      const [part, whole] = await run(() => Promise.all([narrow.get(configMaps, x), narrow.get(configMaps.full(), x)]))
      expect([part?.data, whole?.data]).toEqual([{ n: '1' }, { n: '1' }])
      expect(whole?.metadata).toHaveProperty('managedFields')
      await run(() => hang.remove())
      expect(narrow.report().streams).toBe(1)
      expect(await watches()).toBe(1)
    }))

  it('N2, N11: a watch that brings less than was told meanwhile does not take over from one watch of many', () =>
    withNarrow(
      async ({ narrow, run, write, get, server, simulation }) => {
        const names = ['x', 'y', 'z', 'w']
        await write('+a/x')
        for (const name of names) await run(() => narrow.get(metadata, keyOf(`a/${name}`)))
        await simulation.advance(1000)
        expect(narrow.report().escalated).toMatchObject([{ phase: 'wide' }])
        for (const [name, ms] of Object.entries({ x: 3000, p: 9000, q: 9000 })) {
          await run(() => server.faults.add({ match: { verb: 'watch', name }, nth: 1, effect: { kind: 'delay', ms } }))
        }
        for (const name of names.slice(1)) narrow.forget(metadata, keyOf(`a/${name}`))
        for (const name of ['p', 'q']) run(() => narrow.get(metadata, keyOf(`b/${name}`))).catch(() => {})
        await simulation.advance(100)
        expect(narrow.report()).toMatchObject({ escalated: [{ phase: 'falling' }], streams: 3, waiting: 1 })
        const log: string[] = []
        // It is read from the server: the watch that brings as much waits for its turn.
        await run(() => narrow.watch(configMaps, x, noting(log)))
        await simulation.advance(4000)
        expect(narrow.report()).toMatchObject({ escalated: [{ phase: 'falling' }], waiting: 1 })
        await write('~a/x')
        expect((await get('a/x'))?.data).toEqual({ n: '2' })
        await simulation.advance(20_000)
        expect(narrow.report()).toMatchObject({ escalated: [], streams: 3, waiting: 0 })
        await write('~a/x')
        expect(log).toEqual(['+a/x 1 first', '~a/x 1→2', '~a/x 2→3'])
      },
      { escalateAt: 3, maxOpening: 2, timeoutMs: 1000 },
    ))

  it('N9, N11: nor does it pass for what this process has written', () =>
    withNarrow(
      async ({ narrow, client, run, write, server, simulation }) => {
        const writes = client.notifying(narrow)
        const names = ['x', 'y', 'z', 'w']
        await write('+a/x')
        for (const name of names) await run(() => narrow.get(metadata, keyOf(`a/${name}`)))
        await simulation.advance(1000)
        expect(narrow.report().escalated).toMatchObject([{ phase: 'wide' }])
        // It does not tell any more.
        const effect = { kind: 'status', code: 503 } as const
        await run(() => server.faults.add({ match: { verb: 'watch', name: '' }, effect }))
        await run(() => server.endWatches('configmaps'))
        await simulation.advance(1000)
        await run(() => writes.patch(configMaps, x, { data: { n: 'own' } }))
        const delay = { kind: 'delay', ms: 3000 } as const
        await run(() => server.faults.add({ match: { verb: 'watch', name: 'x' }, nth: 1, times: 2, effect: delay }))
        for (const name of names.slice(1)) narrow.forget(metadata, keyOf(`a/${name}`))
        await simulation.advance(100)
        // It waits for its turn.
        const whole = run(() => narrow.get(configMaps, x))
        await simulation.advance(4000)
        expect(narrow.report()).toMatchObject({ escalated: [{ phase: 'falling' }], streams: 2 })
        expect(narrow.peek(metadata, x)).toBeUndefined()
        expect((await whole)?.data).toEqual({ n: 'own' })
      },
      { escalateAt: 3, maxOpening: 1 },
    ))

  it('N2, N4: what the wider watch lists may have gone meanwhile', () =>
    withNarrow(async ({ narrow, run, write, writer, server, simulation }) => {
      await write('+a/x')
      const log: string[] = []
      await run(() =>
        narrow.watch(metadata, x, { add: () => void log.push('add'), delete: () => void log.push('delete') }),
      )
      const effect = { kind: 'slow', bytesPerSecond: 300 } as const
      await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect }))
      const whole = await run(async () => {
        const waiting = narrow.get(configMaps, x)
        await simulation.advance(100)
        await writer.delete(configMaps, x)
        return waiting
      })
      expect(whole).toBeUndefined()
      expect(log).toEqual(['add', 'delete'])
    }))

  it('N10, N11: one that may be watched in no way any more is live and refused, until it may again', () => {
    let mayRead = true
    return withNarrow(
      async ({ narrow, run, write, get, server, simulation, breakAll, client }) => {
        await write('+a/x')
        await get('a/x')
        await get('a/y')
        await simulation.advance(1000)
        expect(narrow.report().escalated).toMatchObject([{ phase: 'wide' }])
        mayRead = false
        breakAll()
        await run(() => server.endWatches('configmaps'))
        await simulation.advance(30_000)
        expect(narrow.report()).toMatchObject({ entries: 2, refused: 2, escalated: [] })
        const begun = simulation.clock.monotonic()
        await expect(get('a/x')).rejects.toMatchObject({ status: 403 })
        await expect(run(() => narrow.watch(configMaps, x, noting([])))).rejects.toMatchObject({
          code: 'NARROW_WATCH_REFUSED',
          key: 'a/x',
        })
        expect(simulation.clock.monotonic() - begun).toBeLessThan(2000)
        mayRead = true
        await simulation.advance(120_000)
        expect(narrow.report().refused).toBe(0)
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        expect((await run(() => client.get(configMaps, x)))?.data).toEqual({ n: '1' })
      },
      {
        escalateAt: 1,
        cluster: {
          tokens: { u: { name: 'u', groups: [] } },
          token: 'u',
          authorization: ({ user: { name } }) => name !== 'u' || mayRead,
        },
      },
    )
  })
})
