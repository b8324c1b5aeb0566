import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { keyOf, withNarrow } from './testkit/kit.ts'
import { late } from './testkit/late.ts'

const x = keyOf('a/x')

describe('what the server answers to several reads', () => {
  it('N9: a removed finalizer, answered while another read asks, is not forgotten', () =>
    withNarrow(async kit => {
      const { narrow, client, run, writer, get, server, simulation } = kit
      const writes = client.withWriteListeners(narrow)
      await run(() => writer.create(configMaps, { metadata: { ...x, finalizers: ['example.com/x'] } }))
      await get('a/x')
      await late(kit)
      await run(() => writes.delete(configMaps, x))
      await run(() => server.faults.add({ match: { verb: 'list' }, nth: 1, effect: { kind: 'delay', ms: 2000 } }))
      // Waits for the watch for 65 s, then asks.
      const first = run(() => narrow.get(configMaps, x))
      await simulation.advance(66_000)
      // It goes with this.
      await run(() => writes.patch(configMaps, x, { metadata: { finalizers: null } }))
      await first
      expect(await get('a/x')).toBeUndefined()
    }))

  it('N9: a deletion reported while an absent object is read live is not forgotten', () =>
    withNarrow(async kit => {
      const { narrow, run, write, get, server, simulation } = kit
      await get('a/x')
      const again = await late(kit)
      narrow.deleted(configMaps, x)
      await write('+a/x')
      await run(() => server.faults.add({ match: { verb: 'list' }, nth: 1, effect: { kind: 'status', code: 500 } }))
      await run(() => server.faults.add({ match: { verb: 'get' }, nth: 1, effect: { kind: 'delay', ms: 1500 } }))
      const reading = get('a/x')
      await simulation.advance(300)
      await write('-a/x')
      narrow.deleted(configMaps, x)
      await reading
      await run(() => server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'slow', bytesPerSecond: 200 } }))
      await again()
      expect(await get('a/x')).toBeUndefined()
    }))

  it('N9: an absence that a live read was answered late does not hold up reads of what was made since then', () =>
    withNarrow(async kit => {
      const { narrow, run, write, get, server, simulation } = kit
      await get('a/x')
      narrow.deleted(configMaps, x)
      await run(() => server.faults.add({ match: { verb: 'list' }, nth: 1, effect: { kind: 'status', code: 500 } }))
      await run(() => server.faults.add({ match: { verb: 'get' }, nth: 1, effect: { kind: 'delay', ms: 3000 } }))
      const first = get('a/x')
      await simulation.advance(300)
      await write('+a/x')
      expect((await get('a/x'))?.data).toEqual({ n: '1' })
      expect(await first).toBeUndefined()
      const took: number[] = []
      for (let i = 0; i < 3; i++) {
        const begun = simulation.clock.monotonic()
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        took.push(Math.round(simulation.clock.monotonic() - begun))
      }
      expect(Math.max(...took), `${took}`).toBeLessThan(5000)
    }))
})
