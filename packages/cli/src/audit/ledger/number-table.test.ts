import { chance, choose, forEachSeed, integer, seededRandom } from '@wherry/testing'
import { expect, it } from 'vitest'
import { fingerprintOf } from './fingerprint.ts'
import { NumberTable } from './number-table.ts'

it('has the entries of a Map, whatever was set and deleted', async () => {
  await forEachSeed(
    seed => {
      const random = seededRandom(seed)
      const table = new NumberTable()
      const wanted = new Map<number, number>()
      // Fingerprints that begin at few slots, also at the last ones, after which the first follow.
      const starts = choose(random, [[0, 1], [14, 15], [15], Array.from({ length: 16 }, (_, slot) => slot)])
      const all = Array.from({ length: 60 }, () => choose(random, starts) + 2 ** integer(random, 4, 52)).filter(Boolean)
      const deleted = choose(random, [0.1, 0.5, 0.7])
      for (let step = 0; step < 400; step++) {
        const one = choose(random, all)
        if (chance(random, deleted)) {
          table.delete(one)
          wanted.delete(one)
        } else {
          table.set(one, step)
          wanted.set(one, step)
        }
        const wrong = all.filter(key => table.get(key) !== wanted.get(key) || table.has(key) !== wanted.has(key))
        expect([table.size, wrong]).toEqual([wanted.size, []])
      }
    },
    { seeds: 20 },
  )
})

it('holds a hundred thousand objects by their fingerprints, which differ', () => {
  const table = new NumberTable()
  for (let at = 0; at < 100_000; at++) table.set(fingerprintOf({ namespace: `n${at % 7}`, name: `game-${at}` }), at)
  expect(table.size).toBe(100_000)
  for (let at = 0; at < 100_000; at += 997)
    expect(table.get(fingerprintOf({ namespace: `n${at % 7}`, name: `game-${at}` }))).toBe(at)
})

it.each([
  [
    { namespace: 'a', name: 'bc' },
    { namespace: 'ab', name: 'c' },
  ],
  [
    { namespace: '', name: 'a' },
    { namespace: 'a', name: '' },
  ],
])('%j and %j have different fingerprints', (one, other) => {
  expect(fingerprintOf(one)).not.toBe(fingerprintOf(other))
})
