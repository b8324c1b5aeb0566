import { type Simulation, simulate } from '@wherry/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { ResetPacer } from './reset-pacer.ts'

let simulation: Simulation
let pacer: ResetPacer
let passed: string[]

beforeEach(() => {
  simulation = simulate(1)
  pacer = new ResetPacer(simulation.clock, 3, 10)
  passed = []
})

/** Asks for a reset that writes down its name and when it passed. */
function ask(name: string): () => void {
  const reset = (): void => {
    passed.push(`${name} ${simulation.clock.monotonic()}`)
  }
  pacer.pass(reset)
  return reset
}

describe('resets', () => {
  it('pass at once up to the burst, then one by one in their order', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) ask(name)
    expect(passed).toEqual(['a 0', 'b 0', 'c 0'])
    await simulation.advance(100)
    expect(passed).toEqual(['a 0', 'b 0', 'c 0', 'd 10', 'e 20'])
    expect(simulation.pending()).toEqual([])
  })

  it('do not overtake one that waits', async () => {
    for (const name of ['a', 'b', 'c', 'd']) ask(name)
    await simulation.advance(5)
    ask('e')
    await simulation.advance(50)
    expect(passed.slice(3)).toEqual(['d 10', 'e 20'])
  })

  it('earn the burst again with time, and no more than it', async () => {
    for (const name of ['a', 'b', 'c']) ask(name)
    await simulation.advance(20)
    for (const name of ['d', 'e', 'f']) ask(name)
    expect(passed.slice(3)).toEqual(['d 20', 'e 20'])
    await simulation.advance(10_000)
    const before = passed.length
    for (const name of ['g', 'h', 'i', 'j']) ask(name)
    expect(passed.length - before).toBe(3)
  })

  it('keep the part of an interval that has passed', async () => {
    for (const name of ['a', 'b', 'c']) ask(name)
    await simulation.advance(15)
    ask('d')
    await simulation.advance(5)
    ask('e')
    expect(passed.slice(3)).toEqual(['d 15', 'e 20'])
  })

  it('that are taken back do not pass, and leave no timer', async () => {
    for (const name of ['a', 'b', 'c']) ask(name)
    const [d, e] = [ask('d'), ask('e')]
    pacer.takeBack(d)
    expect(simulation.pending()).toHaveLength(1)
    pacer.takeBack(e)
    pacer.takeBack(e)
    expect(simulation.pending()).toEqual([])
    await simulation.advance(100)
    expect(passed).toHaveLength(3)
  })

  it('are forgotten by stop()', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) ask(name)
    pacer.stop()
    expect(simulation.pending()).toEqual([])
    await simulation.advance(100)
    expect(passed).toHaveLength(3)
  })
})
