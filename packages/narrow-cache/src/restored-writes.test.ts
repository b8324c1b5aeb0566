import type { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type Kit, keyOf, noting, withNarrow } from './testkit/kit.ts'

const x = keyOf('a/x')
const unsupported = { kind: 'status', code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden' } as const

/** Reads every half second, for half a minute, what this process did while the list that notices the restore was under way. */
async function readAfter(
  { narrow, client, run, write, get, server, simulation, breakAll }: Kit,
  madeAt: number,
  prepare: (write: Kit['write']) => Promise<void>,
  own: (writes: Client) => Promise<unknown>,
): Promise<string[]> {
  const writes = client.withWriteListeners(narrow)
  await prepare(async () => {})
  const early = await run(() => server.revision())
  await write('+b/x', '~b/x', '~b/x', '~b/x')
  await prepare(write)
  // A server that can't stream lists: a list, then a watch.
  await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: unsupported }))
  await get('a/x')
  await simulation.advance(1000)
  await run(() => server.restoreEtcd(early))
  await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'expired' } }))
  await run(() => server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'delay', ms: 3000 } }))
  await run(() => server.faults.add({ match: { verb: 'list' }, effect: { kind: 'delay', ms: 3000 } }))
  breakAll()
  const seen: string[] = []
  for (let i = 0; i < 60; i++) {
    await simulation.advance(500)
    if (i === madeAt) await run(() => own(writes))
    const isNoticed = simulation.environment.metric('reflector_rollbacks_total', { name: 'v1/configmaps' })
    if (i >= madeAt && isNoticed !== undefined) seen.push(`${i}: ${(await get('a/x'))?.data?.n}`)
  }
  return seen
}

describe('a restore that the watch notices', () => {
  it.each([18, 20, 23])('N9, R5: what was made while that list was on its way is read afterwards (%i)', madeAt =>
    withNarrow(async kit => {
      const seen = await readAfter(
        kit,
        madeAt,
        async () => {},
        writes => writes.create(configMaps, { metadata: x, data: { n: 'own' } }),
      )
      expect(new Set(seen.map(one => one.split(': ')[1]))).toEqual(new Set(['own']))
    }),
  )

  it.each([18, 20, 23])(
    'N9, R5: what was deleted while that list was on its way is not there afterwards (%i)',
    madeAt =>
      withNarrow(async kit => {
        let isMade = false
        const seen = await readAfter(
          kit,
          madeAt,
          async () => {
            if (isMade) await kit.write('-a/x')
            else await kit.write('+a/x')
            isMade = true
          },
          writes => writes.delete(configMaps, x),
        )
        expect(new Set(seen.map(one => one.split(': ')[1]))).toEqual(new Set(['undefined']))
      }),
  )

  it('N9: is not asked for with each read, once it was answered, while another watch is being opened', () =>
    withNarrow(async ({ narrow, client, run, write, get, server, simulation, requests, breakAll }) => {
      const writes = client.withWriteListeners(narrow)
      await write('+a/x')
      const early = await run(() => server.revision())
      await get('a/x')
      await run(() => writes.patch(configMaps, x, { data: { n: 'own' } }))
      await write('~a/x', '~a/x')
      await run(() => server.restoreEtcd(early))
      await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'expired' } }))
      breakAll()
      const isNoticed = () =>
        simulation.environment.metric('reflector_rollbacks_total', { name: 'v1/configmaps' }) === 1
      await simulation.runUntil(isNoticed)
      await run(() => server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'delay', ms: 25_000 } }))
      requests()
      for (let i = 0; i < 100; i++) {
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        await simulation.advance(100)
      }
      expect(requests()).toEqual([])
    }))

  it('N6, N9, N14: an object made meanwhile is delivered to readers that only follow it, and no other watch is opened for that', () =>
    withNarrow(async ({ narrow, client, run, write, get, server, simulation, requests, asked, breakAll }) => {
      const writes = client.withWriteListeners(narrow)
      const early = await run(() => server.revision())
      await write('+b/x', '~b/x', '~b/x')
      await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: unsupported }))
      const log: string[] = []
      await run(() => narrow.watch(configMaps, x, noting(log)))
      await run(() => server.restoreEtcd(early))
      await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'expired' } }))
      await run(() => server.faults.add({ match: { verb: 'list' }, effect: { kind: 'delay', ms: 3000 } }))
      breakAll()
      requests()
      await simulation.runUntil(() => asked.at(-1) === 'list fieldSelector=metadata.name=x')
      await simulation.advance(1000)
      await run(() => writes.create(configMaps, { metadata: x, data: { n: 'own' } }))
      requests()
      await simulation.advance(60_000)
      expect(log).toEqual(['0a/x', '+a/x own'])
      expect(requests()).toEqual([expect.stringMatching(/^watch .* rv=/)])
      expect((await get('a/x'))?.data).toEqual({ n: 'own' })
    }))
})

describe('a restore that an answer shows', () => {
  it.each([1, 100])('N9, R5: an object made after that is read at once (escalateAt %i)', escalateAt =>
    withNarrow(
      async ({ narrow, client, run, write, get, server, simulation }) => {
        const writes = client.withWriteListeners(narrow)
        const early = await run(() => server.revision())
        await write('+b/x', '~b/x', '~b/x', '~b/x', '~b/x', '~b/x')
        if (escalateAt === 1) await get('a/y')
        await get('a/x')
        await simulation.advance(1000)
        await run(() => server.restoreEtcd(early))
        await simulation.advance(10_000)
        // Nothing is found: the server is asked.
        await run(() => writes.delete(configMaps, x))
        await get('a/x')
        const isNoticed = simulation.environment.metric('reflector_rollbacks_total', { name: 'v1/configmaps' })
        expect(isNoticed).toBe(1)
        await run(() => writes.create(configMaps, { metadata: x, data: { n: 'own' } }))
        const seen: string[] = []
        for (let minute = 0; minute < 80; minute++) {
          seen.push(`${(await get('a/x'))?.data?.n}`)
          await simulation.advance(60_000)
        }
        expect(seen.filter(n => n !== 'own').length, 'minutes without it').toBe(0)
      },
      { escalateAt },
    ),
  )

  it('N6: what a subscriber receives after that can be peeked at', () =>
    withNarrow(async ({ narrow, run, write, server, simulation, get }) => {
      const x = keyOf('a/x')
      await write('+a/x')
      const early = await run(() => server.revision())
      const log: string[] = []
      await run(() => narrow.watch(configMaps, x, noting(log)))
      await write('~a/x', '~a/x')
      await simulation.advance(1000)
      await run(() => server.restoreEtcd(early))
      narrow.deleted(configMaps, x, undefined)
      await get('a/x')
      await get('a/x')
      await simulation.advance(120_000)
      await write('~a/x')
      await simulation.advance(1000)
      expect(log.at(-1)).toBe('~a/x 1→4')
      expect(narrow.peek(configMaps, x)?.object?.data).toEqual({ n: '4' })
    }))
})
