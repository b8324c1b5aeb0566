import { simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { RequestPacer } from './request-pacer.ts'

describe('a pacer of requests', () => {
  it('N14: lets one through at once, then one each 10 ms, those without a state first', async () => {
    const simulation = simulate(1)
    const { clock } = simulation
    const pacer = new RequestPacer(clock, 10)
    const passed: string[] = []
    const begun = clock.monotonic()
    const enter = (name: string, isFirst = false) =>
      pacer.enter(() => passed.push(`${name} ${clock.monotonic() - begun}`), isFirst)
    expect(enter('a')).toBeUndefined()
    enter('b')
    const leaveC = enter('c')
    enter('d')
    enter('e', true)
    leaveC?.()
    await simulation.advance(100)
    expect(passed).toEqual(['e 10', 'b 20', 'd 30'])
    expect(enter('f')).toBeUndefined()
    await simulation.advance(4)
    const leaveG = enter('g')
    leaveG?.()
    await simulation.advance(4)
    enter('h')
    await simulation.advance(100)
    expect(passed.slice(3)).toEqual(['h 110'])
    expect(simulation.pending()).toEqual([])
  })
})
