import { systemClock } from '@wherry/client/internal'
import { describe, expect, it } from 'vitest'
import { RepairDelays } from './repair-delays.ts'

describe('the delays of repairs', () => {
  it('start again for a copy after ten seconds of peace, even while another copy is fought over', () => {
    const time = { now: 0 }
    const clock = { ...systemClock(), monotonic: () => time.now }
    const delays = new RepairDelays()
    for (let waitMs = 0; waitMs < 60_000; waitMs = delays.admit('fought', clock)) time.now += waitMs
    const admitted = (): number[] => [1, 2, 3, 4].map(() => delays.admit('calm', clock))
    time.now += 1
    expect(admitted()).toEqual([0, 0, 0, 1000])
    expect([delays.isNews('calm'), delays.isNews('calm')]).toEqual([true, false])
    time.now += 10_000
    expect(admitted()).toEqual([0, 0, 0, 1000])
    expect([delays.isNews('calm'), delays.isNews('calm')]).toEqual([true, false])
  })
})
