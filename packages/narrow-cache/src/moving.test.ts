import { configMaps, namespaces } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { denying } from './testkit/denials.ts'
import { type Kit, keyOf, noting, withNarrow } from './testkit/kit.ts'

const count = 250
const names = Array.from({ length: count }, (_, i) => `n${i}`)
const apart = { escalateAt: Number.POSITIVE_INFINITY }

/** The most requests in any second from the last call of `requests` on, looked at each 100 ms. Calls `after` 300 ms later. */
async function mostInASecond(
  { simulation, requests }: Kit,
  ms: number,
  after: () => Promise<unknown>,
): Promise<number> {
  const counts: number[] = []
  for (let passed = 0; passed < ms; passed += 100) {
    if (passed === 300) await after()
    await simulation.advance(100)
    counts.push(requests().length)
  }
  return Math.max(...counts.map((_, i) => counts.slice(i, i + 10).reduce((a, b) => a + b, 0)))
}

const ends = {
  'are ended': (kit: Kit) => kit.run(() => kit.server.endWatches('configmaps')),
  'are broken': (kit: Kit) => kit.breakAll(),
  'are on a server that goes away': (kit: Kit) => kit.transport.controls.goawayAll(),
  'are too old': async (kit: Kit) => {
    kit.transport.controls.refuse(true)
    kit.breakAll()
    await kit.write('+a/other')
    await kit.run(() => kit.server.expireWatchCaches())
    kit.transport.controls.refuse(false)
  },
} as const

describe('watches that all end at once', () => {
  it.each(Object.entries(ends))(
    'N14: %s: they are opened again at 100 requests a second at most, and nothing is lost or delivered twice',
    async (_, end) =>
      withNarrow(async kit => {
        const { narrow, run, write, writer, watches, requests } = kit
        const log: string[] = []
        await run(() => Promise.all(names.map(name => narrow.watch(configMaps, keyOf(`a/${name}`), noting(log)))))
        expect(await watches()).toBe(count)
        requests()
        await end(kit)
        const change = (): Promise<unknown> =>
          run(async () => {
            await writer.create(configMaps, { metadata: keyOf('a/n7'), data: { n: 'x' } })
            await writer.patch(configMaps, keyOf('a/n7'), { data: { n: 'y' } })
          })
        const most = await mostInASecond(kit, 60_000, change)
        expect(most).toBeGreaterThan(40)
        expect(most).toBeLessThanOrEqual(101)
        expect(await watches()).toBe(count)
        await write('~a/n7', '+a/n8')
        const received = log.slice(count)
        expect(received.filter(line => line.startsWith('+'))).toHaveLength(2)
        expect(received.at(-1)).toMatch(/^\+a\/n8 /)
        expect(received.at(-2)).toMatch(/^~a\/n7 /)
        expect(narrow.report()).toMatchObject({ entries: count, streams: count, escalated: [] })
      }, apart),
  )

  it('N14: a first read does not wait for them, though it has to be tried again', () =>
    withNarrow(async kit => {
      const { narrow, run, server, simulation, get } = kit
      await run(() => Promise.all(names.map(name => narrow.get(configMaps, keyOf(`a/${name}`)))))
      await run(() => server.endWatches('configmaps'))
      await run(() =>
        server.faults.add({ match: { verb: 'watch', name: 'mine' }, nth: 1, effect: { kind: 'status', code: 503 } }),
      )
      const begun = simulation.clock.monotonic()
      await get('a/mine')
      expect(simulation.clock.monotonic() - begun).toBeLessThan(2000)
    }, apart))

  it('N14: one of many objects is opened again ahead of those of one', () =>
    withNarrow(
      async kit => {
        const { narrow, run, server, simulation, requests } = kit
        const all = ['a', 'b', 'c'].flatMap(namespace => names.slice(0, 90).map(name => `${namespace}/${name}`))
        await run(() => Promise.all([...all, 'c/more'].map(path => narrow.get(configMaps, keyOf(path)))))
        await simulation.advance(1000)
        expect(narrow.report()).toMatchObject({ streams: 181, escalated: [{ namespace: 'c', phase: 'escalated' }] })
        requests()
        await run(() => server.endWatches('configmaps'))
        await simulation.advance(10_000)
        const again = requests()
        expect(again).toHaveLength(181)
        expect(again.findIndex(one => !one.includes('fieldSelector'))).toBeLessThan(5)
      },
      { escalateAt: 90 },
    ))

  it('N11, N14: nor are the watches of many namespaces opened all at once, neither at first nor again', () => {
    let isDenied = false
    return withNarrow(
      async kit => {
        const { narrow, run, writer, watches, server, requests, simulation } = kit
        for (const name of names) await run(() => writer.create(namespaces, { metadata: { name } }))
        const log: string[] = []
        for (const namespace of names)
          for (const name of ['x', 'y']) await run(() => narrow.watch(configMaps, { namespace, name }, noting(log)))
        await simulation.advance(1000)
        expect([narrow.report().escalated.length, await watches()]).toEqual([1, 1])
        requests()
        // One watch of all may not be any more: one in each namespace takes its place.
        isDenied = true
        await run(() => server.endWatches('configmaps'))
        const none = (): Promise<void> => Promise.resolve()
        const first = await mostInASecond(kit, 10_000, none)
        expect([narrow.report().escalated.length, await watches()]).toEqual([count, count])
        await run(() => server.endWatches('configmaps'))
        const again = await mostInASecond(kit, 10_000, none)
        expect([narrow.report().escalated.length, await watches()]).toEqual([count, count])
        for (const most of [first, again]) {
          expect(most).toBeGreaterThan(90)
          expect(most).toBeLessThanOrEqual(102)
        }
        await run(() => writer.create(configMaps, { metadata: { namespace: 'n249', name: 'y' }, data: { n: '1' } }))
        await simulation.advance(1000)
        expect(log.slice(2 * count)).toEqual(['+n249/y 1'])
      },
      {
        escalateAllAt: 2 * count - 1,
        cluster: denying(
          ({ resource, name, namespace }) => isDenied && resource === 'configmaps' && `${namespace}${name}` === '',
        ),
      },
    )
  })

  it('N14, R23: one that waits for its turn is not opened where nobody needs it any more', () =>
    withNarrow(
      async ({ narrow, run, simulation, requests }) => {
        await run(async () => {
          const stop = new AbortController()
          const all = ['a', 'b', 'c'].flatMap(one => [`${one}/x`, `${one}/y`])
          const gets = all.map(path => narrow.get(configMaps, keyOf(path), { signal: stop.signal }))
          await simulation.settle()
          expect(narrow.report()).toMatchObject({ streams: 4, escalated: Array(3).fill({ phase: 'escalating' }) })
          stop.abort(new Error('enough'))
          await Promise.allSettled(gets)
        })
        expect(narrow.report()).toMatchObject({ entries: 6 })
        for (const name of ['x', 'y']) narrow.forget(configMaps, keyOf(`c/${name}`))
        await run(() => narrow.close())
        expect(narrow.report()).toMatchObject({ streams: 0, escalated: [] })
        requests()
        await simulation.advance(60_000)
        expect([requests(), narrow.report().streams]).toEqual([[], 0])
      },
      { escalateAt: 1 },
    ))
})
