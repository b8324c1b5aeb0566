import { forEachSeed, integer, seededRandom } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { configMaps } from '../resources/core.ts'
import { Shard } from './shard.ts'

/** The hash by its definition. */
function fnv1a(text: string): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) % (1n << 64n)
  return hash
}

function name(random: () => number): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789-'
  return Array.from({ length: integer(random, 0, 63) }, () => letters[integer(random, 0, letters.length - 1)]).join('')
}

const all = (of: number): Shard[] => Array.from({ length: of }, (_, index) => Shard.of({ index, of }, 'shard'))

describe('a shard', () => {
  it('has the uids with a hash in its range: no two shards have a uid in common, and none is left out', async () => {
    expect([fnv1a(''), fnv1a('a'), fnv1a('foobar')]).toEqual([
      0xcbf29ce484222325n,
      0xaf63dc4c8601ec8cn,
      0x85944171f73967e8n,
    ])
    await forEachSeed(
      async seed => {
        const random = seededRandom(seed)
        const of = integer(random, 1, 12)
        const shards = all(of)
        const ranges = shards.map(({ selector }) =>
          (/'(0x\w+)', '(0x\w+)'/.exec(selector)?.slice(1) ?? []).map(one => BigInt(one)),
        )
        for (let i = 0; i < 50; i += 1) {
          const uid = name(random)
          const hash = fnv1a(uid)
          const mine = ranges.map(([start = 0n, end = 0n]) => hash >= start && hash < end)
          expect(shards.map(shard => shard.has(uid))).toEqual(mine)
          expect(mine.filter(Boolean).length).toBe(1)
        }
      },
      { seeds: 20 },
    )
  })

  it('is written as servers take it', () => {
    expect(all(2).map(({ selector }) => selector)).toEqual([
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')",
      "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')",
    ])
  })

  it('shares many uids evenly', () => {
    const random = seededRandom(1)
    const hex = (length: number): string => Array.from({ length }, () => integer(random, 0, 15).toString(16)).join('')
    const uids = Array.from({ length: 4000 }, () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`)
    for (const shard of all(4)) expect(uids.filter(uid => shard.has(uid)).length).toBeGreaterThan(900)
  })

  it('is part of the key of a view, and stays with its other forms', () => {
    const view = configMaps.within({ shard: { index: 1, of: 3 } })
    expect(view.key).toBe('/v1/configmaps?shard=1-of-3')
    expect(view.metadata().within({ labels: 'a=b' }).key).toBe('/v1/configmaps?shard=1-of-3&labels=a=b&as=metadata')
    expect(view.within({ shard: { index: 1, of: 3 } }).key).toBe(view.key)
  })

  it.each([
    [() => configMaps.within({ shard: { index: 3, of: 3 } }), 'within.shard.index'],
    [() => configMaps.within({ shard: { index: -1, of: 3 } }), 'within.shard.index'],
    [() => configMaps.within({ shard: { index: 0, of: 1025 } }), 'within.shard.of'],
    [() => configMaps.within({ shard: { index: 0 } as never }), 'within.shard.of'],
    [() => configMaps.within({ shard: { index: 0, of: 2 } }).within({ shard: { index: 1, of: 2 } }), 'within.shard'],
  ] as const)('X6: refuses all else: %#', (make, option) => {
    expect(make).toThrow(expect.objectContaining({ option }))
  })
})
