import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { forEachSeed, SeedError } from './seeds.ts'

beforeEach(() => vi.stubEnv('WHERRY_SEED_SHARE', ''))
afterEach(() => vi.unstubAllEnvs())

describe('forEachSeed', () => {
  it('runs as many seeds as are asked for, one after the other', async () => {
    const seeds: number[] = []
    vi.stubEnv('WHERRY_SEEDS', '')
    vi.stubEnv('WHERRY_FIRST_SEED', '')
    expect(await forEachSeed(seed => void seeds.push(seed), { seeds: 3 })).toBe(3)
    await forEachSeed(async seed => void seeds.push(seed), { seeds: 2, first: 10 })
    expect(seeds).toEqual([1, 2, 3, 10, 11])
  })

  it('takes their number and the first from the environment', async () => {
    const seeds: number[] = []
    vi.stubEnv('WHERRY_SEEDS', '2')
    vi.stubEnv('WHERRY_FIRST_SEED', '500')
    await forEachSeed(seed => void seeds.push(seed), { seeds: 3, first: 1 })
    expect(seeds).toEqual([500, 501])
    vi.stubEnv('WHERRY_SEEDS', 'many')
    await expect(forEachSeed(() => {}, { seeds: 1 })).rejects.toThrow('WHERRY_SEEDS takes an integer')
  })

  it('runs the share of them that the environment says, one at least, unless it says how many', async () => {
    vi.stubEnv('WHERRY_SEEDS', '')
    vi.stubEnv('WHERRY_SEED_SHARE', '0.1')
    expect(await forEachSeed(() => {}, { seeds: 300 })).toBe(30)
    expect(await forEachSeed(() => {}, { seeds: 3 })).toBe(1)
    vi.stubEnv('WHERRY_SEEDS', '7')
    expect(await forEachSeed(() => {}, { seeds: 300 })).toBe(7)
    vi.stubEnv('WHERRY_SEEDS', '')
    vi.stubEnv('WHERRY_SEED_SHARE', 'half')
    await expect(forEachSeed(() => {}, { seeds: 1 })).rejects.toThrow(
      'WHERRY_SEED_SHARE takes a number above 0, not half',
    )
  })

  it.each([undefined, {}, { seeds: 0 }, { seeds: Number.NaN }, { seeds: 2.5 }, { seeds: 3, first: -1 }])(
    'refuses %o, with which no seed would run, or none that can be run again',
    async options => {
      vi.stubEnv('WHERRY_SEEDS', '')
      await expect(forEachSeed(() => {}, options as { seeds: number })).rejects.toMatchObject({
        code: 'ERR_WHERRY_OPTION',
        message: expect.stringContaining('forEachSeed: '),
      })
    },
  )

  it('stops at the first that fails and says how to run exactly it', async () => {
    vi.stubEnv('WHERRY_SEEDS', '')
    vi.stubEnv('WHERRY_FIRST_SEED', '')
    const seeds: number[] = []
    const cause = new Error('lost an event')
    const error = await forEachSeed(
      seed => {
        seeds.push(seed)
        if (seed === 2) throw cause
      },
      { seeds: 5 },
    ).catch((reason: unknown) => reason)
    expect(seeds).toEqual([1, 2])
    expect(error).toBeInstanceOf(SeedError)
    expect(error).toMatchObject({ seed: 2, cause })
    expect((error as SeedError).message).toMatch(
      /^seed 2 fails: lost an event\nreplay: WHERRY_SEEDS=1 WHERRY_FIRST_SEED=2 npx vitest run (packages\/testing\/)?src\/simulate\/seeds\.test\.ts$/,
    )
  })
})
