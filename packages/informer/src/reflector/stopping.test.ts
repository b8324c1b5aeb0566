import { describe, expect, it } from 'vitest'
import { reflectorBench } from '../testkit/bench.ts'

describe('a reflector that is stopped', () => {
  it.each([0, 1, 2, 3, 4, 5, 8])('R23: leaves no watch open, %i microtasks after its first state', async turns => {
    const bench = await reflectorBench(1, {
      on: {
        synced: () => {
          let left = turns
          const stop = (): void => {
            if (left === 0) void bench.reflector.stop()
            else queueMicrotask(stop)
            left -= 1
          }
          stop()
        },
      },
    })
    bench.reflector.start()
    await bench.simulation.advance(5000)
    expect(bench.reflector.state).toBe('stopped')
    const { byVerb } = await bench.simulation.run(() => bench.server.stats())
    expect(byVerb.watch?.configmaps).toMatchObject({ requests: 1, openStreams: 0 })
    await bench.close()
  })
})
