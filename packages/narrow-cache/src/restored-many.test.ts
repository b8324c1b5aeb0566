import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type Kit, keyOf, noting, withNarrow } from './testkit/kit.ts'
import { late } from './testkit/late.ts'
import { phases } from './testkit/rising.ts'

const x = keyOf('a/x')
const y = keyOf('a/y')

/** `a/x` and `a/y` are fed by one watch of many, which is lost as the server is restored to where both were first made. */
async function restored(kit: Kit, options: { readonly isWatched: boolean } = { isWatched: false }): Promise<string[]> {
  const { narrow, run, write, get, server, simulation } = kit
  await write('+a/x', '+a/y')
  const early = await run(() => server.revision())
  const log: string[] = []
  await get('a/x')
  if (options.isWatched) await run(() => narrow.watch(configMaps, y, noting(log)))
  else await get('a/y')
  await simulation.advance(1000)
  expect(phases(kit)).toEqual(['escalated 2'])
  await write('~a/x', '~a/y', '~a/x', '~a/y')
  await late(kit)
  await run(() => server.restoreEtcd(early))
  await simulation.advance(1000)
  log.splice(0)
  return log
}

/** An answer about `a/x` shows it. */
async function noticed(kit: Kit): Promise<void> {
  kit.narrow.deleted(configMaps, x)
  await kit.get('a/x')
  await kit.simulation.advance(1000)
  expect(phases(kit)).toEqual(['escalating 2'])
}

describe('a watch of many that is opened again, since one of its objects has shown a restore', () => {
  it('N9: an earlier wait then lasts no longer than a new one', () =>
    withNarrow(
      async kit => {
        const { narrow, client, run, write, get, server, simulation } = kit
        const writes = client.withWriteListeners(narrow)
        await write('+a/x', '+a/y')
        const early = await run(() => server.revision())
        await get('a/x')
        await get('a/y')
        await simulation.advance(1000)
        await write('~a/x', '~a/y', '~a/x', '~a/y')
        await late(kit)
        await run(() => writes.patch(configMaps, y, { data: { n: 'own' } }))
        let isRead = false
        void get('a/y').then(() => {
          isRead = true
        })
        await simulation.advance(1000)
        await run(() => server.restoreEtcd(early))
        await simulation.advance(1000)
        expect(isRead).toBe(false)
        await noticed(kit)
        expect(isRead).toBe(true)
      },
      { escalateAt: 1 },
    ))

  it('N9, R5: what the server answers another read then is kept, and delivered to new subscriptions', () =>
    withNarrow(
      async kit => {
        const { narrow, get, requests } = kit
        const log = await restored(kit, { isWatched: true })
        await noticed(kit)
        requests()
        const asked: number[] = []
        for (let i = 0; i < 5; i++) {
          narrow.deleted(configMaps, y)
          expect((await get('a/y'))?.data).toEqual({ n: '2' })
          asked.push(requests().filter(one => one.includes('name=y')).length)
        }
        // A list, and a watch that the server does not accept yet.
        expect([log, asked]).toEqual([['~a/y 6→2'], [2, 2, 2, 2, 2]])
      },
      { escalateAt: 1 },
    ))

  it('N6, N9, R5: a new subscription then receives the server’s answer', () =>
    withNarrow(
      async kit => {
        const { narrow, run } = kit
        await restored(kit)
        await noticed(kit)
        narrow.deleted(configMaps, y)
        const log: string[] = []
        await run(() => narrow.watch(configMaps, y, noting(log)))
        expect(log).toEqual(['+a/y 2 first'])
      },
      { escalateAt: 1 },
    ))

  it('R5, N11: holds up no read while the server refuses it for now', () =>
    withNarrow(
      async kit => {
        const { run, server, simulation, get } = kit
        await restored(kit)
        const effect = { kind: 'status', code: 429, retryAfterSeconds: 1 } as const
        const busy = await run(() => server.faults.add({ match: { name: '' }, effect }))
        await noticed(kit)
        await simulation.advance(5000)
        for (const path of ['a/x', 'a/y', 'a/x', 'a/y']) {
          const begun = simulation.clock.monotonic()
          expect((await get(path))?.data).toEqual({ n: path === 'a/x' ? '1' : '2' })
          expect(simulation.clock.monotonic() - begun).toBeLessThan(1000)
        }
        expect(phases(kit)).toEqual(['escalating 2'])
        await run(() => busy.remove())
      },
      { escalateAt: 1 },
    ))

  it('R5, N11: nor a read that waits for it by then', () =>
    withNarrow(
      async kit => {
        const { narrow, run, server, simulation, get } = kit
        await restored(kit)
        const effect = { kind: 'status', code: 429, retryAfterSeconds: 1 } as const
        await run(() => server.faults.add({ match: { name: '' }, effect: { kind: 'delay', ms: 3000 }, nth: 1 }))
        await run(() => server.faults.add({ match: { name: '' }, effect }))
        narrow.deleted(configMaps, x)
        await get('a/x')
        expect(phases(kit)).toEqual(['escalating 2'])
        const begun = simulation.clock.monotonic()
        expect((await get('a/y'))?.data).toEqual({ n: '2' })
        expect(simulation.clock.monotonic() - begun).toBeLessThan(10_000)
      },
      { escalateAt: 1 },
    ))

  it('N5, R5: fetches another state with the same number, and not the object that has shown it', () =>
    withNarrow(
      async kit => {
        const { narrow, run, write, writer, get, server, simulation, requests } = kit
        await write('+a/x', '+a/y')
        const early = await run(() => server.revision())
        await get('a/x')
        const log: string[] = []
        await run(() => narrow.watch(configMaps, y, noting(log)))
        await simulation.advance(1000)
        expect(phases(kit)).toEqual(['escalated 2'])
        await write('~a/y', '~a/x', '~a/x')
        await run(() => server.restoreEtcd(early))
        await simulation.advance(1000)
        await run(() => writer.patch(configMaps, y, { data: { n: 'another' } }))
        const { resourceVersion } = (await run(() => writer.get(configMaps, y)))?.metadata ?? {}
        expect(narrow.peek(configMaps, y)?.object?.metadata?.resourceVersion).toBe(resourceVersion)
        narrow.deleted(configMaps, x)
        await get('a/x')
        requests()
        await simulation.advance(5000)
        expect(phases(kit)).toEqual(['escalated 2'])
        expect(log.slice(1)).toEqual(['~a/y 2→3', '~a/y 3→another'])
      },
      { escalateAt: 1 },
    ))
})
