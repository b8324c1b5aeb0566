import { Client, type View } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { NarrowCache } from './narrow-cache.ts'
import { holding } from './testkit/holding.ts'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'
import { late } from './testkit/late.ts'

const x = keyOf('a/x')
const metadata = configMaps.metadata()
const both = configMaps.within({ namespaces: ['a', 'b'] }) as unknown as View<ConfigMap, 'namespaced'>

describe('several views of one object', () => {
  it('N2, R25: all have a state before any handler hears of it', () =>
    withNarrow(async ({ narrow, run, write, get }) => {
      await write('+a/x')
      const seen: unknown[] = []
      const peek = (): void => void seen.push(narrow.peek(configMaps, x)?.object?.data?.n)
      await run(() => narrow.watch(both, x, { add() {}, update: peek, delete: peek }))
      await get('a/x')
      await write('~a/x', '-a/x')
      expect(seen).toEqual(['2', undefined])
    }))

  it('N2: one that a handler asks for is filled with what the handler was told', () =>
    withNarrow(async ({ narrow, run, write, get }) => {
      await write('+a/x')
      const seen: unknown[] = []
      const read = (): void => void narrow.get(both, x).then(object => seen.push(object?.data?.n))
      await run(() => narrow.watch(configMaps, x, { update: read }))
      await get('a/x')
      await write('~a/x')
      expect(seen).toEqual(['2'])
      expect((await get('a/x', both))?.data).toEqual({ n: '2' })
    }))

  it('N2, N11: the entry of a second form waits for a turn, as any other', () =>
    withNarrow(
      async ({ narrow, run, write, get, simulation, server }) => {
        const names = ['p', 'q', 'r', 's', 't', 'u']
        await write('+a/p', '+a/u')
        for (const name of names) await run(() => narrow.get(metadata, keyOf(`a/${name}`)))
        await run(() => server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'delay', ms: 3000 } }))
        const reads = Promise.all(names.map(name => get(`a/${name}`)))
        await simulation.advance(500)
        expect(narrow.report()).toMatchObject({ streams: 8, waiting: 4 })
        expect((await reads).map(object => object?.data?.n)).toEqual(['1', ...names.slice(2).map(() => undefined), '2'])
        await simulation.advance(1000)
        expect(narrow.report()).toMatchObject({ entries: 12, streams: 12, waiting: 0 })
      },
      { maxOpening: 2 },
    ))

  it('N2, N11: a turn is not over before what was opened in it has come, whatever else comes', () =>
    withNarrow(
      async ({ narrow, run, write, get, simulation, server }) => {
        const names = ['p', 'q', 'r', 's']
        for (const name of names) {
          await write(`+a/${name}`)
          await run(() => narrow.get(metadata, keyOf(`a/${name}`)))
        }
        await run(() => server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'delay', ms: 3000 } }))
        const reads = Promise.all(names.map(name => get(`a/${name}`)))
        await simulation.advance(500)
        await write(...names.map(name => `~a/${name}`))
        expect(narrow.report()).toMatchObject({ streams: 5, waiting: 3 })
        expect((await reads).map(object => object?.data?.n)).toEqual(['5', '6', '7', '8'])
        await simulation.advance(1000)
        expect(narrow.report()).toMatchObject({ entries: 8, streams: 8, waiting: 0 })
      },
      { maxOpening: 1 },
    ))

  it.each([2, 100])('N2, N9: less than what is needed by now is not taken for as new (escalateAt %i)', escalateAt =>
    withNarrow(async kit => {
      const { run, write, writer, simulation, server } = kit
      const { environment } = simulation
      const { url, token } = server
      const { transport, hold, release } = holding(server.transport({ random: simulation.random.fork('held') }))
      const client = new Client({ url, token, transport, environment })
      const narrow = new NarrowCache({ client, escalateAt })
      await write('+a/x')
      for (const name of escalateAt === 2 ? ['x', 'y', 'z'] : ['x']) {
        await run(() => narrow.get(metadata, keyOf(`a/${name}`)))
      }
      await simulation.advance(1000)
      const log: string[] = []
      await run(async () => {
        narrow.deleted(configMaps, x, 'another-uid')
        hold()
        const asking = narrow.get(metadata, x)
        await simulation.advance(10)
        await narrow.watch(configMaps, x, noting(log))
        const inTime = await late(kit)
        await writer.patch(configMaps, x, { data: { n: '2' } })
        release()
        const seen = (await asking)?.metadata.resourceVersion
        expect((await narrow.get(configMaps, x))?.metadata?.resourceVersion).toBe(seen)
        await inTime()
        await simulation.advance(60_000)
        expect((await narrow.get(configMaps, x))?.data).toEqual({ n: '2' })
        await narrow.close()
        await client.close()
      })
      expect(log).toEqual(['+a/x 1 first', '~a/x 1→2'])
    }),
  )
})
