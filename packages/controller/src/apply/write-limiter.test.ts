import { type Simulation, simulate } from '@wherry/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { WriteLimiter } from './write-limiter.ts'

let simulation: Simulation
let limiter: WriteLimiter
beforeEach(() => {
  simulation = simulate(1)
  limiter = new WriteLimiter(simulation.clock)
})

const write = (digest = 'd', key = 'k', object = 'o', owned: string | undefined = undefined) => ({
  ...{ key, object, digest, owned },
  manager: 'op/c',
})

/** How long each write waited before the one after it was sent. */
async function delays(times: number, between?: (index: number) => void): Promise<number[]> {
  const waits: number[] = []
  for (let i = 0; i < times; i++) {
    let waitedMs = 0
    for (let ms = limiter.admit(write()); ms > 0; ms = limiter.admit(write())) {
      waitedMs += ms
      await simulation.advance(ms)
    }
    waits.push(waitedMs)
    between?.(i)
  }
  return waits
}

describe('the limiter of writes', () => {
  it('A6: sends the same write three times at once, then after 1 s, doubling to 60 s', async () => {
    expect(await delays(12)).toEqual([0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
  })

  it('A6: counts no write that left the object of somebody else alone', async () => {
    expect(await delays(12, () => limiter.leftAlone('k', 'o'))).toEqual(Array.from({ length: 12 }, () => 0))
  })

  it('A6: counts from zero once the object was as desired for 10 s, and not before', async () => {
    await delays(3)
    limiter.asDesired('k', 'o')
    await simulation.advance(9000)
    expect(limiter.admit(write())).toBe(0)
    limiter.asDesired('k', 'o')
    expect(limiter.admit(write())).toBe(2000)
    await simulation.advance(2000)
    expect(limiter.admit(write())).toBe(0)
    limiter.asDesired('k', 'o')
    await simulation.advance(10_000)
    expect(await delays(3)).toEqual([0, 0, 0])
  })

  it('A6: counts from zero after the last delay, if that was longer than 10 s', async () => {
    await delays(9)
    limiter.asDesired('k', 'o')
    await simulation.advance(20_000)
    expect(limiter.admit(write())).toBeGreaterThan(0)
    await simulation.advance(40_000)
    expect(limiter.admit(write())).toBe(0)
    limiter.asDesired('k', 'o')
    await simulation.advance(60_000)
    expect(await delays(3)).toEqual([0, 0, 0])
  })

  it('A6: an object that was undone while its write waits was not at peace', async () => {
    await delays(4)
    limiter.asDesired('k', 'o')
    expect(limiter.admit(write())).toBe(2000)
    await simulation.advance(30_000)
    expect(limiter.admit(write())).toBe(0)
    expect(limiter.admit(write())).toBe(4000)
  })

  it('A6: another write is another count, and other keys and objects have their own', async () => {
    await delays(3)
    expect(limiter.admit(write())).toBe(1000)
    expect(limiter.admit(write('e'))).toBe(0)
    expect(limiter.admit(write('d', 'k2'))).toBe(0)
    expect(limiter.admit(write('d', 'k', 'o2'))).toBe(0)
    expect(limiter.rivals('k', 'o')).toEqual(['k2'])
  })

  it('A6: an object gets thirty writes that bring back a value at once, whoever wants them, then two a second', async () => {
    const admit = (i: number): number => limiter.admit(write(`d${i % 14}`, `k${i % 7}`))
    expect(Array.from({ length: 14 + 30 }, (_, i) => admit(i))).toEqual(Array(44).fill(0))
    expect(admit(44)).toBe(500)
    expect(limiter.delayed(write('d2', 'k2'))).toEqual({ isNews: true, refusal: undefined })
    let sent = 0
    for (let ms = 0; ms < 60_000; ms += 100) {
      await simulation.advance(100)
      if (admit(44 + sent) === 0) sent += 1
    }
    expect(sent).toBe(120)
  })

  it('A6: an object gets a hundred new values at once, then twenty a second, and nothing is wrong with that', async () => {
    const admit = (i: number): number => limiter.admit(write(`d${i}`))
    expect(Array.from({ length: 100 }, (_, i) => admit(i))).toEqual(Array(100).fill(0))
    expect(admit(100)).toBe(50)
    expect(limiter.delayed(write('d100')).isNews).toBe(false)
    let sent = 0
    for (let ms = 0; ms < 10_000; ms += 10) {
      await simulation.advance(10)
      if (admit(100 + sent) === 0) sent += 1
    }
    expect(sent).toBe(200)
  })

  it('A6: a key that goes back to a value of its own brings nothing back, unless somebody has changed it since', () => {
    const turn = (i: number, owned: string | undefined): number => {
      const digest = `d${i % 2}`
      const waitMs = limiter.admit(write(digest, 'k', 'o', owned))
      limiter.written('o', 'op/c', `after ${digest}`)
      return waitMs
    }
    for (let i = 0; i < 100; i++) expect(turn(i, i === 0 ? undefined : `after d${(i + 1) % 2}`)).toBe(0)
    expect(limiter.delayed(write('d0', 'k', 'o', 'after d1')).isNews).toBe(false)
    // The manager is left with something else than it wrote.
    for (let i = 0; i < 30; i++) expect(turn(i, 'less')).toBe(0)
    expect(limiter.admit(write('d0', 'k', 'o', 'less'))).toBe(500)
    expect(limiter.delayed(write('d0', 'k', 'o', 'less')).isNews).toBe(true)
  })

  it('A6: forgets an object to which nothing happened for ten minutes', async () => {
    await delays(8)
    await simulation.advance(600_000)
    expect(await delays(4)).toEqual([0, 0, 0, 1000])
    expect(limiter.rivals('other', 'o')).toEqual(['k'])
  })
})
