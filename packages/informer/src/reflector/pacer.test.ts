import type { FaultEffect } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { configMap, type ReflectorBench, reflectorBenches } from '../testkit/bench.ts'
import type { Pacer } from './pacer.ts'

/** A pacer that is opened by hand, and notes each arrival. */
class ManualPacer implements Pacer {
  readonly came: string[] = []
  readonly passes: (() => void)[] = []
  isOpen = false
  left = 0

  enter(pass: () => void, isFirst: boolean): (() => void) | undefined {
    this.came.push(isFirst ? 'first' : 'again')
    if (this.isOpen) return undefined
    this.passes.push(pass)
    return () => {
      this.left += 1
    }
  }
}

const benches = reflectorBenches(({ server }) => server.fill([configMap('a')]))
const bench = (pacer: Pacer): Promise<ReflectorBench> => benches(1, { pacer })

describe('the pacer of a reflector', () => {
  it('N14: is passed by each request but the first', async () => {
    const pacer = new ManualPacer()
    const { server, simulation, reflector, asked, write, recording, watch } = await bench(pacer)
    await watch()
    await simulation.advance(1100)
    expect(pacer.came).toEqual([])
    await server.endWatches()
    await simulation.advance(60_000)
    expect(pacer.came).toEqual(['again'])
    expect(reflector.state).toBe('waiting')
    expect(asked).toHaveLength(1)
    await write('+b')
    pacer.isOpen = true
    pacer.passes[0]?.()
    await simulation.runUntil(() => recording.log.at(-1) === 'ADDED b')
    expect(reflector.state).toBe('watching')
    expect(asked).toHaveLength(2)
    await server.endWatches()
    await simulation.runUntil(() => asked.length === 3)
    expect(pacer.came).toEqual(['again', 'again'])
    await simulation.run(() => reflector.stop())
    expect(pacer.left).toBe(0)
  })

  it('N14: is passed by a relist, and not again by the watch that this becomes', async () => {
    const pacer = new ManualPacer()
    pacer.isOpen = true
    const { server, simulation, reflector, asked, watch } = await bench(pacer)
    await watch()
    await simulation.advance(1100)
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'expired' } })
    await server.endWatches()
    await simulation.runUntil(() => reflector.stats.relists === 1 && reflector.state === 'watching')
    expect(asked.map(line => line.split(' ')[0])).toEqual(['stream', 'watch', 'stream'])
    expect(pacer.came).toEqual(['again', 'again'])
  })

  it('N14: is passed by each look for a resource that is missing, and by nothing in between', async () => {
    const pacer = new ManualPacer()
    pacer.isOpen = true
    const { server, simulation, reflector, asked } = await bench(pacer)
    const missing = await server.faults.add({ effect: { kind: 'status', code: 404, plain: true } })
    reflector.start()
    await simulation.runUntil(() => asked.length === 3)
    expect(pacer.came).toEqual(['first', 'first'])
    await missing.remove()
    await simulation.runUntil(() => reflector.state === 'watching')
    expect(pacer.came).toHaveLength(asked.length - 1)
  })

  it('N14: lets a waiting reflector go at once when it is asked to try again', async () => {
    const pacer = new ManualPacer()
    const { server, simulation, reflector, asked, watch } = await bench(pacer)
    await watch()
    await simulation.advance(1100)
    await server.endWatches()
    await simulation.runUntil(() => pacer.passes.length === 1)
    reflector.retryNow()
    await simulation.runUntil(() => asked.length === 2)
    expect(pacer.left).toBe(1)
  })

  it.each<[string, FaultEffect]>([
    ['that failed', { kind: 'status', code: 503 }],
    ['that was closed before its end', { kind: 'truncate', afterBytes: 0 }],
  ])('N14: is passed by a first state %s, ahead of others', async (_, effect) => {
    const pacer = new ManualPacer()
    const { server, simulation, reflector, asked } = await bench(pacer)
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect })
    reflector.start()
    await simulation.advance(10_000)
    expect(pacer.came).toEqual(['first'])
    expect(asked).toHaveLength(1)
    pacer.isOpen = true
    pacer.passes[0]?.()
    await simulation.runUntil(() => reflector.state === 'watching')
  })

  it('N14: is passed by the watch that is to follow one that is going away, which goes on meanwhile', async () => {
    const pacer = new ManualPacer()
    const { simulation, asked, write, recording, watch, transport } = await bench(pacer)
    await watch()
    await simulation.advance(1100)
    transport.controls.goawayAll()
    await simulation.advance(30_000)
    expect(pacer.came).toEqual(['again'])
    await write('+b')
    await simulation.runUntil(() => recording.log.at(-1) === 'ADDED b')
    expect(asked).toHaveLength(1)
    pacer.passes[0]?.()
    await simulation.advance(1000)
    expect(asked).toHaveLength(2)
    await write('+c')
    await simulation.runUntil(() => recording.log.at(-1) === 'ADDED c')
    expect(recording.log.slice(1)).toEqual(['ADDED b', 'ADDED c'])
  })

  it.each(['ended', 'going away'] as const)(
    'R23: a reflector stopped while it waits there leaves it (%s)',
    async how => {
      const pacer = new ManualPacer()
      const { server, simulation, reflector, asked, watch, transport } = await bench(pacer)
      await watch()
      await simulation.advance(1100)
      if (how === 'ended') await server.endWatches()
      else transport.controls.goawayAll()
      await simulation.advance(30_000)
      await simulation.run(() => reflector.stop())
      expect(pacer.left).toBe(1)
      expect(asked).toHaveLength(1)
      expect(reflector.state).toBe('stopped')
    },
  )

  it('R23: is not come to by one that is stopped while it waits before that', async () => {
    const pacer = new ManualPacer()
    const { server, simulation, reflector } = await bench(pacer)
    await server.faults.add({ effect: { kind: 'status', code: 503 } })
    reflector.start()
    await simulation.runUntil(() => reflector.state === 'waiting')
    await simulation.run(() => reflector.stop())
    expect(pacer.came).toEqual([])
  })
})
