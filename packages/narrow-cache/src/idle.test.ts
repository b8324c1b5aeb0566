import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'

describe('entries that nobody needs', () => {
  it('N6: go when they were idle for so long, those read since later', () =>
    withNarrow(
      async ({ narrow, run, get, simulation }) => {
        const known = (): string[] => ['x', 'y', 'z'].filter(name => narrow.peek(configMaps, keyOf(`a/${name}`)))
        for (const name of ['x', 'y', 'z']) await get(`a/${name}`)
        await simulation.advance(6000)
        await get('a/x')
        const { close } = await run(() => narrow.watch(configMaps, keyOf('a/z'), noting([])))
        await simulation.advance(3500)
        expect([known(), narrow.report().idle]).toEqual([['x', 'y', 'z'], 2])
        await simulation.advance(1000)
        expect([known(), narrow.report().idle]).toEqual([['x', 'z'], 1])
        await simulation.advance(6000)
        expect(known()).toEqual(['z'])
        await run(close)
        await simulation.advance(9000)
        expect(known()).toEqual(['z'])
        await simulation.advance(2000)
        expect(narrow.report()).toMatchObject({ entries: 0, idle: 0, streams: 0 })
      },
      { idleMs: 10_000 },
    ))

  it('N6: go at once with idleMs 0, and never with Infinity', async () => {
    await withNarrow(
      async ({ narrow, get }) => {
        await get('a/x')
        expect(narrow.report().entries).toBe(0)
      },
      { idleMs: 0 },
    )
    await withNarrow(
      async ({ narrow, get, simulation }) => {
        await get('a/x')
        await simulation.advance(100_000_000)
        expect(narrow.report()).toMatchObject({ entries: 1, idle: 1 })
      },
      { idleMs: Number.POSITIVE_INFINITY },
    )
  })
})
