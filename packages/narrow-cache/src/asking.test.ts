import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type Kit, keyOf, noting, withNarrow } from './testkit/kit.ts'
import { late } from './testkit/late.ts'

const x = keyOf('a/x')

/** So many read it again and again, until what this gives is called. */
function readAgain({ narrow, run, simulation }: Kit, readers: number): () => Promise<void> {
  const wait = (ms: number) => new Promise<void>(resolve => simulation.clock.timer(ms, resolve))
  let isOver = false
  const loops = Array.from({ length: readers }, (_, i) =>
    run(async () => {
      await wait(i * 13)
      while (!isOver) {
        await narrow.get(configMaps, x)
        await wait(20)
      }
    }),
  )
  return async () => {
    isOver = true
    await simulation.advance(5000)
    await Promise.all(loops)
  }
}

/** How many lists and gets the second minute from now takes. */
async function askedLater({ run, server, simulation }: Kit): Promise<number[]> {
  await simulation.advance(60_000)
  await run(() => server.resetStats())
  await simulation.advance(60_000)
  const { byVerb } = await run(() => server.stats())
  return [byVerb.list?.configmaps?.requests ?? 0, byVerb.get?.configmaps?.requests ?? 0]
}

describe('the server, asked by reads', () => {
  it('N9: a subscription gets its state within 5 s while this process goes on writing', () =>
    withNarrow(async ({ narrow, client, run, get, server, simulation }) => {
      const writes = client.withWriteListeners(narrow)
      await get('a/x')
      // There was none: the next state is asked for.
      await run(() => writes.delete(configMaps, x))
      await run(() => writes.create(configMaps, { metadata: x }))
      await run(() => server.faults.add({ match: { verb: 'list' }, effect: { kind: 'delay', ms: 100 } }))
      let isOver = false
      const writing = run(async () => {
        for (let i = 0; !isOver && i < 3000; i++) {
          await writes.patch(configMaps, x, { data: { n: `w${i}` } })
          await new Promise<void>(resolve => simulation.clock.timer(50, resolve))
        }
      })
      const begun = simulation.clock.monotonic()
      let result: unknown
      const watching = run(() => narrow.watch(configMaps, x, noting([]))).then(
        () => {
          result = 'state'
        },
        error => {
          result = error.code
        },
      )
      for (let i = 0; i < 150 && result === undefined; i++) await simulation.advance(1000)
      const took = simulation.clock.monotonic() - begun
      isOver = true
      await simulation.advance(1000)
      await writing
      await watching
      expect(result).toBe('state')
      expect(took).toBeLessThan(5000)
    }))

  it.each([
    [3, 50, 50],
    [5, 50, 200],
    [5, 200, 50],
    [20, 50, 50],
    [20, 200, 50],
    [10, 200, 50],
    [10, 200, 20],
    [20, 50, 200],
  ])(
    'N1, N9: %i reads of an absent object, again and again, are answered from memory in the end (list %i, get %i)',
    (readers, listMs, getMs) =>
      withNarrow(async kit => {
        const { narrow, client, run, get, server, simulation } = kit
        const writes = client.withWriteListeners(narrow)
        await get('a/x')
        await run(() => writes.delete(configMaps, x))
        const fails = await run(() =>
          server.faults.add({ match: { verb: 'list' }, effect: { kind: 'status', code: 500 } }),
        )
        await run(() => server.faults.add({ match: { verb: 'get' }, effect: { kind: 'delay', ms: getMs } }))
        const stop = readAgain(kit, readers)
        await simulation.advance(1000)
        await run(() => fails.remove())
        await run(() => server.faults.add({ match: { verb: 'list' }, effect: { kind: 'delay', ms: listMs } }))
        const asked = await askedLater(kit)
        await stop()
        expect(asked).toEqual([0, 0])
      }),
  )

  it('N5, N9: nor do reads ask for ever that run while a restore is noticed', () =>
    withNarrow(async kit => {
      const { narrow, client, run, write, get, server } = kit
      const writes = client.withWriteListeners(narrow)
      const early = await run(() => server.revision())
      await write('+b/x', '~b/x', '~b/x')
      await get('a/x')
      await run(() => server.restoreEtcd(early))
      await run(() => writes.delete(configMaps, x))
      await run(() => server.faults.add({ match: { verb: 'get' }, effect: { kind: 'delay', ms: 50 } }))
      await run(() => server.faults.add({ match: { verb: 'list' }, effect: { kind: 'delay', ms: 200 } }))
      const stop = readAgain(kit, 10)
      const asked = await askedLater(kit)
      await stop()
      expect(asked).toEqual([0, 0])
    }))

  it.each([1, 100])('N5: delivers no event twice if a restore is noticed twice (escalateAt %i)', escalateAt =>
    withNarrow(
      async ({ narrow, run, write, server, simulation, get, breakAll }) => {
        await write('+a/x', '+a/z')
        const early = await run(() => server.revision())
        const rollbacks = () => simulation.environment.metric('reflector_rollbacks_total', { name: 'v1/configmaps' })
        const log: string[] = []
        for (const name of ['x', 'y', 'z']) await run(() => narrow.watch(configMaps, keyOf(`a/${name}`), noting(log)))
        await write('~a/x', '~a/x', '~a/x', '~a/z')
        await simulation.advance(1000)
        log.splice(0)
        await run(() => server.restoreEtcd(early))
        // The connections that broke with it are made again.
        await simulation.advance(10_000)
        // First noticed by an answer, then by the watch.
        narrow.deleted(configMaps, x, undefined)
        await get('a/x')
        expect(rollbacks()).toBe(1)
        await simulation.advance(1000)
        await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'expired' } }))
        breakAll()
        await simulation.advance(120_000)
        await get('a/x')
        expect(log.filter(one => one.includes('a/x'))).toEqual(['~a/x 5→1'])
      },
      { escalateAt },
    ),
  )

  it('N9, C10: a delete that found nothing does not hold up reads of what was made since then', () =>
    withNarrow(async ({ narrow, client, run, write, get, simulation }) => {
      await get('a/x')
      // Carried out, and its answer on the way, when another one makes it.
      const answer = await run(() => client.delete(configMaps, x))
      expect(answer).toBeUndefined()
      await write('+a/x')
      narrow.deleted(configMaps, x)
      for (let i = 0; i < 3; i++) {
        const begun = simulation.clock.monotonic()
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        expect(simulation.clock.monotonic() - begun).toBeLessThan(5000)
      }
    }))

  it('N6: what a subscriber receives after a restore can be peeked at', () =>
    withNarrow(async ({ narrow, client, run, write, server, simulation, breakAll }) => {
      const writes = client.withWriteListeners(narrow)
      await write('+a/x')
      const early = await run(() => server.revision())
      const log: string[] = []
      await run(() => narrow.watch(configMaps, x, noting(log)))
      await run(() => writes.patch(configMaps, x, { data: { n: 'own' } }))
      await simulation.advance(60_000)
      await run(() => server.restoreEtcd(early))
      await run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'expired' } }))
      breakAll()
      await simulation.advance(60_000)
      expect(log).toEqual(['+a/x 1 first', '~a/x 1→own', '~a/x own→1'])
      await write('~a/x')
      await simulation.advance(60_000)
      expect(log.at(-1)).toBe('~a/x 1→2')
      expect(narrow.peek(configMaps, x)?.object?.data).toEqual({ n: '2' })
    }))

  it('N9: a deletion reported while it is read live is not forgotten', () =>
    withNarrow(async kit => {
      const { narrow, run, write, get, server, simulation } = kit
      await write('+a/x')
      await get('a/x')
      await late(kit)
      narrow.deleted(configMaps, x, 'other')
      narrow.deleted(configMaps, x)
      const effect = { kind: 'slow', bytesPerSecond: 300 } as const
      await run(() => server.faults.add({ match: { verb: 'list' }, nth: 1, effect: { kind: 'status', code: 500 } }))
      await run(() => server.faults.add({ match: { verb: 'get' }, nth: 1, effect }))
      const reading = get('a/x')
      await simulation.advance(300)
      await write('-a/x', '+a/x', '-a/x')
      narrow.deleted(configMaps, x)
      await reading
      expect(await get('a/x')).toBeUndefined()
    }))
})
