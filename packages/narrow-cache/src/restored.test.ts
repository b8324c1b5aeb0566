import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'

const x = keyOf('a/x')

describe('a server that was restored from a backup', () => {
  it.each([1, 100])('N5, R5: delivers what it has, and what changes from then on (escalateAt %i)', escalateAt =>
    withNarrow(
      async ({ narrow, run, write, server, simulation, get, breakAll, requests }) => {
        await write('+a/x')
        if (escalateAt === 1) await get('a/y')
        const log: string[] = []
        await run(() => narrow.watch(configMaps, x, noting(log)))
        await simulation.advance(1000)
        const early = await run(() => server.revision())
        await write('~a/x', '~a/x', '~a/x')
        await simulation.advance(1000)
        const before = log.length
        await run(() => server.restoreEtcd(early))
        await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'expired' } }))
        breakAll()
        requests()
        await simulation.advance(60_000)
        expect(requests().length).toBeLessThan(20)
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        await write('~a/x')
        expect((await get('a/x'))?.data).toEqual({ n: '5' })
        expect(log.slice(before)).toEqual(['~a/x 4→1', '~a/x 1→5'])
      },
      { escalateAt },
    ),
  )

  it.each([3, 100])('N5, N11: a read that waits for it to catch up holds up no other (escalateAt %i)', escalateAt =>
    withNarrow(
      async ({ narrow, run, write, server, simulation, get }) => {
        await write('+a/x')
        await run(() => narrow.watch(configMaps.metadata(), x, { add() {} }))
        const others = await run(() =>
          Promise.all(['p', 'q', 'r'].map(name => narrow.watch(configMaps, keyOf(`a/${name}`), noting([])))),
        )
        await simulation.advance(1000)
        const early = await run(() => server.revision())
        await write('~a/x', '~a/x')
        await run(() => server.restoreEtcd(early))
        await simulation.advance(100)
        // Where it was escalated it gets a watch of its own again, and else another one that asks for more.
        for (const one of others) await run(() => one.close())
        if (escalateAt === 100) run(() => get('a/x')).catch(() => {})
        await simulation.advance(100)
        const begun = simulation.clock.monotonic()
        expect(await get('b/x')).toBeUndefined()
        expect(simulation.clock.monotonic() - begun).toBeLessThan(5000)
      },
      { escalateAt, maxOpening: 1, idleMs: 0 },
    ),
  )

  it('N11: is not flooded with fetches by entries that do not know of that yet', () =>
    withNarrow(
      async ({ narrow, run, write, server, simulation, get, requests }) => {
        await write('+a/x')
        await get('a/y')
        const early = await run(() => server.revision())
        await run(() => narrow.watch(configMaps, x, noting([])))
        await write('~a/x', '~a/x', '~a/x')
        await simulation.advance(1000)
        await run(() => server.restoreEtcd(early))
        requests()
        run(() => narrow.get(configMaps.full(), x)).catch(() => {})
        await simulation.advance(10_000)
        expect(requests().length).toBeLessThan(20)
      },
      { escalateAt: 1 },
    ))

  it.each(['present', 'absent'])(
    'N5, N11: an entry that was escalated before its own watch noticed receives what the server has (%s)',
    was =>
      withNarrow(
        async ({ narrow, run, write, server, simulation, get, breakAll, requests }) => {
          const path = was === 'present' ? 'a/x' : 'a/none'
          await write('+a/x')
          const log: string[] = []
          await run(() => narrow.watch(configMaps, keyOf(path), noting(log)))
          const early = await run(() => server.revision())
          await write('~a/x', '~a/x', '~a/x')
          // Its watch comes as far as those.
          if (was === 'absent') await write('+a/none', '-a/none')
          await run(() => server.restoreEtcd(early))
          breakAll()
          await simulation.advance(5000)
          await get('a/y')
          requests()
          await get('a/z')
          await simulation.advance(5000)
          expect(narrow.report().escalated).toMatchObject([{ phase: 'escalated' }])
          expect(requests().length).toBeLessThan(10)
          expect((await get(path))?.data?.n).toBe(was === 'present' ? '1' : undefined)
          log.splice(0)
          await write(was === 'present' ? '~a/x' : '+a/none')
          await simulation.advance(5000)
          expect(log).toEqual([was === 'present' ? '~a/x 1→5' : '+a/none 7'])
        },
        { escalateAt: 2 },
      ),
  )

  it('N5, N9: reads the server’s answer to a request, and delivers what changes from then on', () =>
    withNarrow(async ({ narrow, run, write, server, simulation, get, client }) => {
      await write('+a/x')
      const early = await run(() => server.revision())
      const log: string[] = []
      await run(() => narrow.watch(configMaps, x, noting(log)))
      await write('~a/x', '~a/x')
      await run(() => server.restoreEtcd(early))
      await run(() => client.withWriteListeners(narrow).delete(configMaps, x))
      expect(await get('a/x')).toBeUndefined()
      expect(simulation.environment.metric('reflector_rollbacks_total', { name: 'v1/configmaps' })).toBe(1)
      log.splice(0)
      await write('+a/x')
      expect((await get('a/x'))?.data).toEqual({ n: '4' })
      expect(log).toEqual(['+a/x 4'])
      expect(narrow.report()).toMatchObject({ entries: 1, streams: 1, waiting: 0 })
    }))
})
