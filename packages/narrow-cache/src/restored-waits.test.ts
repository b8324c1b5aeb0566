import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { Subscription } from './handler.ts'
import { type Kit, keyOf, noting, withNarrow } from './testkit/kit.ts'
import { listsFirst, phases } from './testkit/rising.ts'

const unavailable = { kind: 'status', code: 503 } as const
const x = keyOf('a/x')
/** a/x, three of b, nine of c: fed by one watch of all, which is about to be let go of: that of `b` is to take over. */
async function fallen(kit: Kit, log: string[], before: () => Promise<unknown>): Promise<void> {
  const { narrow, run, simulation } = kit
  const watch = (path: string, to: string[] = []): Promise<Subscription> =>
    run(() => narrow.watch(configMaps, keyOf(path), noting(to)))
  await watch('a/x')
  for (const n of ['x', 'y', 'z']) await watch(`b/${n}`, log)
  const others: Subscription[] = []
  for (let i = 0; i < 9; i++) others.push(await watch(`c/n${i}`))
  await simulation.advance(2000)
  expect(phases(kit)).toEqual(['escalated 13'])
  await before()
  for (const one of others) await run(() => one.close())
}

describe('of all namespaces, that are to be fed by each', () => {
  it('R5, N11: no read is held up by a watch of one that the server refuses for now', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, server, simulation, get } = kit
        await write('+a/x', '+b/x', '+b/y', '+b/z')
        const early = await run(() => server.revision())
        await fallen(kit, [], () =>
          run(() => server.faults.add({ match: { name: '', namespace: 'b' }, effect: unavailable })),
        )
        await simulation.advance(2000)
        await write('~a/x', '~b/x', '~b/y', '~a/x')
        await run(() => server.restoreEtcd(early))
        await simulation.advance(2000)
        narrow.deleted(configMaps, x)
        await get('a/x')
        await simulation.advance(3000)
        const took: number[] = []
        for (const path of ['b/x', 'b/y', 'b/x']) {
          const begun = simulation.clock.monotonic()
          await get(path)
          took.push(simulation.clock.monotonic() - begun)
        }
        expect(Math.max(...took)).toBeLessThan(10_000)
      },
      { escalateAt: 2, escalateAllAt: 12, idleMs: 0 },
    ))

  it('R5, N5: what one of them has listed before a restore is not delivered after that was shown', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, server, simulation, get } = kit
        await listsFirst(kit)
        await write('+a/x', '+b/y')
        const early = await run(() => server.revision())
        await write('~a/x', '-b/y', '~a/x', '~a/x')
        const log: string[] = []
        const faults: { remove(): unknown }[] = []
        await fallen(kit, log, async () => {
          const match = { verb: 'watch', name: '', namespace: 'b' } as const
          faults.push(await run(() => server.faults.add({ match, effect: unavailable })))
          const all = { name: '', namespace: '' } as const
          await run(() => server.faults.add({ match: all, effect: unavailable }))
          for (const name of ['x', 'y', 'z'])
            faults.push(await run(() => server.faults.add({ match: { name, namespace: 'b' }, effect: unavailable })))
        })
        await simulation.advance(2000)
        kit.requests()
        await run(() => server.restoreEtcd(early))
        await simulation.advance(300)
        narrow.deleted(configMaps, x)
        await get('a/x')
        await simulation.advance(3000)
        await run(() => faults.shift()?.remove())
        await simulation.runUntil(() => phases(kit)[0]?.startsWith('escalated') === true)
        for (const one of faults) await run(() => one.remove())
        await simulation.advance(60_000)
        for (let i = 0; i < 10; i++) {
          await simulation.advance(60_000)
          expect((await get('b/y'))?.data).toEqual({ n: '2' })
        }
      },
      { escalateAt: 2, escalateAllAt: 12, idleMs: 0 },
    ))
})
