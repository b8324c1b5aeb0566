import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'

const x = keyOf('a/x')
const metadata = configMaps.metadata()

describe('an entry that comes to be fed otherwise', () => {
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
        expect(narrow.report().escalated).toMatchObject([{ phase: 'escalating' }])
        expect(log).toEqual(['0a/x', '+a/x 1'])
        await rising
        await simulation.advance(60_000)
        expect(narrow.report().escalated).toMatchObject([{ phase: 'escalated' }])
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
        expect(narrow.report().escalated).toMatchObject([{ phase: 'escalated' }])
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

  it('N2: a view that needs more than what comes receives nothing before more comes, not even an absence', () =>
    withNarrow(async ({ narrow, run, write, server, simulation }) => {
      const log: string[] = []
      expect(await run(() => narrow.get(metadata, x))).toBeUndefined()
      // The watch that is to bring more takes its time.
      const hang = await run(() => server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'rst' } }))
      const rest = await run(() => server.faults.add({ match: { verb: 'list' }, effect: { kind: 'rst' } }))
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

  it('N10, N11: one that may be watched in no way any more is live and refused, until it may again', () => {
    let mayRead = true
    return withNarrow(
      async ({ narrow, run, write, get, server, simulation, breakAll, client }) => {
        await write('+a/x')
        await get('a/x')
        await get('a/y')
        await simulation.advance(1000)
        expect(narrow.report().escalated).toMatchObject([{ phase: 'escalated' }])
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

it('N11: an entry leaves its own watch when that has come late to the version that the shared one has listed', () =>
  withNarrow(
    async ({ narrow, run, write, get, server, simulation, requests }) => {
      await write('+a/x')
      const effect = { kind: 'slow', bytesPerSecond: 200 } as const
      await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect }))
      await get('a/x')
      await write('~a/x', '+b/other')
      requests()
      await get('a/y')
      expect(narrow.report()).toMatchObject({ streams: 2, escalated: [{ phase: 'escalated' }] })
      await simulation.advance(10_000)
      expect(narrow.report()).toMatchObject({ streams: 1, escalated: [{ phase: 'escalated' }] })
      expect(narrow.peek(configMaps, keyOf('a/x'))).toMatchObject({ object: { data: { n: '2' } } })
      expect(requests()).toEqual(['stream'])
    },
    { escalateAt: 1 },
  ))
