import { describe, expect, it } from 'vitest'
import { configMap, type ReflectorBench, reflectorBenches } from '../testkit/bench.ts'

const bench = reflectorBenches(({ server }) => server.fill(['a', 'b', 'c'].map(name => configMap(name))))

const metricsOf = ({ simulation }: ReflectorBench) => {
  const of = (name: string): number =>
    simulation.environment.metric(`reflector_${name}`, { name: 'v1/configmaps' }) ?? 0
  return {
    lists: of('lists_total'),
    watches: of('watches_total'),
    shortWatches: of('short_watches_total'),
    items: of('items_per_list'),
    listSeconds: Math.round(of('list_duration_seconds')),
    watchedItems: of('items_per_watch'),
    watchSeconds: Math.round(of('watch_duration_seconds')),
  }
}

describe('the metrics of a reflector', () => {
  it.each([
    ['stream', 1],
    ['whole', 2],
  ] as const)('count and time what it reads, and what each watch brings (%s)', async (initial, requests) => {
    const b = await bench(1, { initial })
    const { server, simulation, recording, asked, watch, write } = b
    await server.faults.add({ nth: 1, effect: { kind: 'delay', ms: 20_000 } })
    await watch()
    await simulation.runUntil(() => asked.length === requests)
    expect(metricsOf(b)).toMatchObject({ lists: 1, watches: 1, items: 3, listSeconds: 20, watchSeconds: 0 })
    await write('+d', '~a')
    await simulation.runUntil(() => recording.log.length === 3)
    await simulation.advance(40_000)
    await server.endWatches()
    await simulation.runUntil(() => asked.length === requests + 1)
    expect(metricsOf(b)).toEqual({
      lists: 1,
      watches: 2,
      shortWatches: 0,
      items: 3,
      listSeconds: 20,
      watchedItems: 2,
      watchSeconds: initial === 'stream' ? 60 : 40,
    })
  })

  it('count watches that end at once apart from those that bring something', async () => {
    const b = await bench(2)
    const { server, simulation, recording, asked, watch, write } = b
    await watch()
    await simulation.advance(1100)
    await server.endWatches()
    await simulation.runUntil(() => asked.length === 2)
    await simulation.advance(10)
    await server.endWatches()
    await simulation.runUntil(() => asked.length === 3)
    expect(metricsOf(b)).toMatchObject({ shortWatches: 1, watchedItems: 0 })
    await write('+d')
    await simulation.runUntil(() => recording.log.length === 2)
    await server.endWatches()
    await simulation.runUntil(() => asked.length === 4)
    expect(metricsOf(b)).toMatchObject({ shortWatches: 1, watchedItems: 1 })
  })
})
