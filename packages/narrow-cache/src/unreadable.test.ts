import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { type Kit, keyOf, noting, withNarrow } from './testkit/kit.ts'

type Effect = Parameters<Kit['server']['faults']['add']>[0]['effect']

const failing = ({ run, server }: Kit, effect: Effect) =>
  run(() => server.faults.add({ match: { resource: 'configmaps' }, effect }))

/** How long something takes, and what it rejects with. */
async function refused({ simulation, run }: Kit, ask: () => Promise<unknown>): Promise<readonly [number, unknown]> {
  const begun = simulation.clock.monotonic()
  const error = await run(() =>
    ask().then(
      () => 'was answered',
      (reason: unknown) => reason,
    ),
  )
  return [simulation.clock.monotonic() - begun, error]
}

/** The first backoff, a streaming list and a list. */
const retryMs = 2000
const soonMs = 5500

describe('a narrow cache where a kind can’t be read', () => {
  it.each([
    [500, 1],
    [500, 10],
    [503, 1],
    [503, 10],
    [429, 10],
  ])('N15: rejects a first read soon, with what the server says (%i, escalateAt %i)', (code, escalateAt) =>
    withNarrow(
      async kit => {
        const { narrow } = kit
        const fault = await failing(kit, { kind: 'status', code, message: 'etcd is not well' })
        for (const ask of [
          () => narrow.get(configMaps, keyOf('a/x')),
          () => narrow.watch(configMaps, keyOf('a/y'), noting([])),
        ]) {
          const [tookMs, error] = await refused(kit, ask)
          expect(error).toMatchObject({ status: code, message: expect.stringContaining('etcd is not well') })
          expect(tookMs).toBeLessThan(retryMs)
        }
        await kit.run(() => fault.remove())
      },
      { escalateAt },
    ),
  )

  it('N15: waits for one more try, which may do better', () =>
    withNarrow(async kit => {
      await kit.write('+a/x')
      const effect = { kind: 'status', code: 500 } as const
      await kit.run(() => kit.server.faults.add({ match: { resource: 'configmaps' }, nth: 1, effect }))
      expect((await kit.get('a/x'))?.data).toEqual({ n: '1' })
    }))

  it('N15: waits some 5 s for it, however long the server asks for', () =>
    withNarrow(async kit => {
      const fault = await failing(kit, { kind: 'status', code: 503, retryAfterSeconds: 40 })
      const [tookMs, error] = await refused(kit, () => kit.narrow.get(configMaps, keyOf('a/x')))
      expect(error).toMatchObject({ status: 503 })
      expect([tookMs >= 5000, tookMs < soonMs]).toEqual([true, true])
      await kit.run(() => fault.remove())
    }))

  it('N15: rejects later reads at once, and asks no more often for them', () =>
    withNarrow(async kit => {
      const { narrow, simulation, requests, run, get } = kit
      const fault = await failing(kit, { kind: 'status', code: 500 })
      await refused(kit, () => narrow.get(configMaps, keyOf('a/x')))
      requests()
      for (let i = 0; i < 20; i++) {
        const [tookMs, error] = await refused(kit, () => narrow.get(configMaps, keyOf('a/x')))
        expect([tookMs, error]).toMatchObject([0, { status: 500 }])
      }
      expect(requests()).toEqual([])
      // Others of the view are asked for once.
      for (const path of ['a/y', 'b/z']) {
        const [tookMs, error] = await refused(kit, () => narrow.get(configMaps, keyOf(path)))
        expect(error).toMatchObject({ status: 500 })
        expect(tookMs).toBeLessThan(500)
      }
      expect(requests()).toHaveLength(2)
      await run(() => fault.remove())
      await simulation.advance(60_000)
      expect(await get('a/x')).toBeUndefined()
    }))

  it('N15: does not take it for refused any more once an object of it was read', () =>
    withNarrow(async kit => {
      const { narrow, run, get, write, server } = kit
      await write('+a/x')
      const fault = await failing(kit, { kind: 'status', code: 500 })
      await refused(kit, () => narrow.get(configMaps, keyOf('a/y')))
      await run(() => fault.remove())
      expect((await get('a/x'))?.data).toEqual({ n: '1' })
      const effect = { kind: 'status', code: 500 } as const
      await run(() => server.faults.add({ match: { resource: 'configmaps', name: 'z' }, nth: 1, effect }))
      expect(await get('a/z')).toBeUndefined()
    }))

  it('N15: waits for another try after each state that came', () =>
    withNarrow(async kit => {
      const { narrow, run, write, get, server, simulation } = kit
      await write('+a/x')
      const fault = await failing(kit, { kind: 'status', code: 500 })
      await refused(kit, () => narrow.get(configMaps, keyOf('a/x')))
      await run(() => fault.remove())
      await simulation.advance(60_000)
      await get('a/x')
      const effect = { kind: 'status', code: 500 } as const
      await run(() => server.faults.add({ match: { resource: 'configmaps' }, nth: 1, effect }))
      narrow.deleted(configMaps, keyOf('a/x'), 'another-uid')
      const log: string[] = []
      await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
      expect(log).toEqual(['+a/x 1 first'])
    }))

  it('N15: rejects a subscription for which a known object has to be listed again, too', () =>
    withNarrow(async kit => {
      const { narrow, run, write, get, server } = kit
      await write('+a/x')
      await get('a/x')
      const fault = await failing(kit, { kind: 'status', code: 500 })
      await run(() => server.endWatches('configmaps'))
      narrow.deleted(configMaps, keyOf('a/x'), 'another-uid')
      const [tookMs, error] = await refused(kit, () => narrow.watch(configMaps, keyOf('a/x'), noting([])))
      expect(error).toMatchObject({ status: 500 })
      expect(tookMs).toBeLessThan(soonMs)
      await run(() => fault.remove())
    }))

  it('N15: counts no refusal of a watch that goes on from a state', () =>
    withNarrow(async kit => {
      const { run, write, get, server, simulation } = kit
      await write('+a/x')
      await get('a/x')
      const fault = await failing(kit, { kind: 'status', code: 500 })
      await run(() => server.endWatches('configmaps'))
      await simulation.advance(20_000)
      expect((await get('a/x'))?.data).toEqual({ n: '1' })
      await run(() => fault.remove())
      const effect = { kind: 'status', code: 500 } as const
      await run(() => server.faults.add({ match: { resource: 'configmaps', name: 'z' }, nth: 1, effect }))
      expect(await get('a/z')).toBeUndefined()
    }))

  it('N15: waits on where nothing answers, as for a server that restarts', () =>
    withNarrow(async kit => {
      const { run, get, write, simulation } = kit
      await write('+a/x')
      // A server that stops refuses first.
      const stopping = await failing(kit, { kind: 'status', code: 503 })
      const reading = get('a/x')
      await simulation.advance(500)
      await run(() => stopping.remove())
      const reset = await failing(kit, { kind: 'break' })
      await simulation.advance(20_000)
      await run(() => reset.remove())
      expect((await reading)?.data).toEqual({ n: '1' })
    }))
})
