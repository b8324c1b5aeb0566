import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { Subscription } from './handler.ts'
import { type Kit, keyOf, noting, withNarrow } from './testkit/kit.ts'
import { listsFirst, phases } from './testkit/rising.ts'

const unavailable = { kind: 'status', code: 503 } as const
const x = keyOf('a/x')
const rollbacks = ({ simulation }: Kit): number | undefined =>
  simulation.environment.metric('reflector_rollbacks_total', { name: 'v1/configmaps' })

describe('a way that rises on a list of before a restore', () => {
  it('R5, X8: does not have the watch of a namespace opened again and again', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, server, simulation, get, requests } = kit
        await listsFirst(kit)
        await write('+a/x', '+a/p', '+a/q', '+b/z')
        const early = await run(() => server.revision())
        for (const n of ['x', 'p', 'q']) await run(() => narrow.watch(configMaps, keyOf(`a/${n}`), noting([])))
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['escalated 3'])
        await write('~a/x', '~a/p', '~a/q', '~a/x')
        const slow = await run(() =>
          server.faults.add({ match: { verb: 'watch', name: '', namespace: '' }, effect: unavailable }),
        )
        await run(() => narrow.watch(configMaps, keyOf('b/z'), noting([])))
        await simulation.advance(2000)
        await run(() => server.restoreEtcd(early))
        await simulation.advance(1000)
        requests()
        narrow.deleted(configMaps, x)
        await get('a/x')
        for (let i = 0; i < 10; i++) {
          await simulation.advance(3000)
          requests()
        }
        await run(() => slow.remove())
        expect(rollbacks(kit)).toBeLessThanOrEqual(4)
      },
      { escalateAt: 2, escalateAllAt: 3 },
    ))
})

it('R5: one that is leaving the watch of many shows it once', () =>
  withNarrow(
    async kit => {
      const { narrow, run, write, server, simulation, get } = kit
      await listsFirst(kit)
      await write('+a/x')
      const early = await run(() => server.revision())
      const subs: Subscription[] = []
      for (const n of ['x', 'p', 'q', 'r', 's', 't'])
        subs.push(await run(() => narrow.watch(configMaps, keyOf(`a/${n}`), noting([]))))
      await simulation.advance(1000)
      expect(phases(kit)).toEqual(['escalated 6'])
      await write('~a/x', '~a/x', '~a/x')
      const slow = await run(() => server.faults.add({ match: { name: 'p' }, effect: unavailable }))
      for (const one of subs.slice(2)) await run(() => one.close())
      await simulation.advance(1000)
      const silent = await run(() => server.faults.add({ match: { verb: 'watch' }, effect: unavailable }))
      await run(() => server.restoreEtcd(early))
      await simulation.advance(50)
      narrow.deleted(configMaps, keyOf('a/x'))
      await get('a/x')
      await simulation.advance(2000)
      await run(() => slow.remove())
      await run(() => silent.remove())
      expect(rollbacks(kit)).toBe(1)
    },
    { escalateAt: 5, idleMs: 0 },
  ))
