import { afterEach, describe, expect, it } from 'vitest'
import { configMap, type ReflectorBench, reflectorBench } from '../testkit/bench.ts'
import type { Gate } from './gate.ts'

const open: ReflectorBench[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** A gate that is opened by hand, and notes who came. */
class HandGate implements Gate {
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

async function bench(gate: Gate): Promise<ReflectorBench> {
  const made = await reflectorBench(1, { gate })
  open.push(made)
  await made.server.fill([configMap('a')])
  return made
}

describe('the gate of a reflector', () => {
  it('N14: is passed by each request but the first', async () => {
    const gate = new HandGate()
    const { server, simulation, reflector, asked, write, intake, watch } = await bench(gate)
    await watch()
    await simulation.advance(1100)
    expect(gate.came).toEqual([])
    await server.endWatches()
    await simulation.advance(60_000)
    expect(gate.came).toEqual(['again'])
    expect(reflector.state).toBe('waiting')
    expect(asked).toHaveLength(1)
    await write('+b')
    gate.isOpen = true
    gate.passes[0]?.()
    await simulation.runUntil(() => intake.log.at(-1) === 'ADDED b')
    expect(reflector.state).toBe('watching')
    expect(asked).toHaveLength(2)
    await server.endWatches()
    await simulation.runUntil(() => asked.length === 3)
    expect(gate.came).toEqual(['again', 'again'])
  })

  it('N14: is passed by a first state that failed, ahead of others', async () => {
    const gate = new HandGate()
    const { server, simulation, reflector, asked } = await bench(gate)
    await server.faults.add({ match: { verb: 'watch' }, nth: 1, effect: { kind: 'status', code: 503 } })
    reflector.start()
    await simulation.advance(10_000)
    expect(gate.came).toEqual(['first'])
    expect(asked).toHaveLength(1)
    gate.isOpen = true
    gate.passes[0]?.()
    await simulation.runUntil(() => reflector.state === 'watching')
  })

  it('N14: is passed by the watch that is to follow one that is going away, which goes on meanwhile', async () => {
    const gate = new HandGate()
    const { simulation, asked, write, intake, watch, transport } = await bench(gate)
    await watch()
    await simulation.advance(1100)
    transport.controls.goawayAll()
    await simulation.advance(30_000)
    expect(gate.came).toEqual(['again'])
    await write('+b')
    await simulation.runUntil(() => intake.log.at(-1) === 'ADDED b')
    expect(asked).toHaveLength(1)
    gate.passes[0]?.()
    await simulation.advance(1000)
    expect(asked).toHaveLength(2)
    await write('+c')
    await simulation.runUntil(() => intake.log.at(-1) === 'ADDED c')
    expect(intake.log.slice(1)).toEqual(['ADDED b', 'ADDED c'])
  })

  it.each(['ended', 'going away'] as const)('R23: is left by who is stopped while it waits there (%s)', async how => {
    const gate = new HandGate()
    const { server, simulation, reflector, asked, watch, transport } = await bench(gate)
    await watch()
    await simulation.advance(1100)
    if (how === 'ended') await server.endWatches()
    else transport.controls.goawayAll()
    await simulation.advance(30_000)
    await simulation.run(() => reflector.stop())
    expect(gate.left).toBe(1)
    expect(asked).toHaveLength(1)
  })
})
