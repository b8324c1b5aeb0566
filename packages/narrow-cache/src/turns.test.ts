import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { keyOf, withNarrow } from './testkit/kit.ts'

const metadata = configMaps.metadata()

describe('entries that wait for their turn', () => {
  it('N2, N11: the entry of a second view waits for a turn, as any other', () =>
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
})
