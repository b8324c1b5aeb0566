import { describe, expect, it } from 'vitest'
import { configMap, reflectorBenches } from '../testkit/bench.ts'

const bench = reflectorBenches(({ server }) => server.fill([configMap('a')]))

const refused = { effect: { kind: 'status', code: 503 } } as const

describe('a reflector that waits', () => {
  it('R22: tries again at once on request, and its backoff starts from the first delay', async () => {
    const { server, simulation, reflector, asked } = await bench(1)
    await server.faults.add(refused)
    reflector.start()
    await simulation.advance(300_000)
    await simulation.runUntil(() => reflector.state === 'waiting')
    asked.length = 0
    let at = simulation.clock.monotonic()
    reflector.retryNow()
    await simulation.runUntil(() => asked.length === 1)
    expect(simulation.clock.monotonic() - at).toBeLessThan(100)
    for (const bound of [800, 1600, 3200, 6400, 12_800, 25_600, 30_000]) {
      const { length } = asked
      at = simulation.clock.monotonic()
      await simulation.runUntil(() => asked.length > length)
      const wait = simulation.clock.monotonic() - at
      expect([wait >= bound, wait <= 2 * bound + 10]).toEqual([true, true])
    }
  })

  it('ignores the request if it does not wait', async () => {
    const { simulation, reflector, asked, states, watch } = await bench(2)
    reflector.retryNow()
    expect([reflector.state, asked]).toEqual(['idle', []])
    await watch()
    reflector.retryNow()
    await simulation.advance(1000)
    expect([states, asked.length]).toEqual([['streaming', 'watching'], 1])
  })
})
