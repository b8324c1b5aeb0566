import { expect, it } from 'vitest'
import { type SoakOptions, soak } from './rounds.ts'

/** A suite that takes `seedMs` a seed on a clock of its own and fails from `failsAt` on. */
function suite(seedMs: number, failsAt = Number.POSITIVE_INFINITY): { options: SoakOptions; rounds: number[][] } {
  let now = 0
  const rounds: number[][] = []
  const run: SoakOptions['run'] = async (firstSeed, seeds) => {
    rounds.push([firstSeed, seeds])
    now += 1_000 + seeds * seedMs
    return { failed: firstSeed + seeds > failsAt, output: 'the seed that failed' }
  }
  return { options: { firstSeed: 100, minutes: 1, run, say: () => undefined, monotonic: () => now }, rounds }
}

it('runs each seed once, from the first one on, until the time is up', async () => {
  const { options, rounds } = suite(100)
  const { seeds, failure } = await soak(options)
  expect(failure).toBeUndefined()
  expect(seeds).toBe(rounds.reduce((sum, [, count = 0]) => sum + count, 0))
  rounds.reduce((expected, [first, count = 0]) => {
    expect(first).toBe(expected)
    return expected + count
  }, 100)
})

it('takes more seeds a round while they are quick, and fewer when the end is near', async () => {
  const { options, rounds } = suite(100)
  await soak(options)
  expect(rounds.slice(0, 3).map(([, count]) => count)).toEqual([10, 40, 160])
  expect(rounds.at(-1)?.[1]).toBeLessThan(160)
})

it('stops at the first round that fails and says which seeds it was', async () => {
  const { seeds, failure } = await soak(suite(100, 130).options)
  expect(seeds).toBe(10)
  expect(failure).toBe('in seeds 110 to 149:\nthe seed that failed')
})

it('runs one round even when there is no time', async () => {
  const { options, rounds } = suite(100)
  await soak({ ...options, minutes: 0 })
  expect(rounds).toEqual([[100, 10]])
})
