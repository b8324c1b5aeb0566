import { createHash } from 'node:crypto'
import { readJson } from '@wherry/testing/testkit/read-json'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InexactIntegerError, NotJsonError } from '../errors.ts'
import { hash } from './hash.ts'
import { json, reordered, simplyCanonical } from './plain.fixture.ts'

/** What the digest is, said another way. */
const expected = (text: string): string =>
  `v1:${createHash('sha256').update(text, 'utf8').digest().subarray(0, 18).toString('base64url')}`

describe('hash', () => {
  it('H1: is a tag and 144 bits of the SHA-256 of the canonical JSON', () => {
    fc.assert(fc.property(json, value => hash(value) === expected(simplyCanonical(value))))
    expect(hash({})).toMatch(/^v1:[A-Za-z0-9_-]{24}$/)
  })

  it('H1: is the same in whatever order members come, and of a copy through JSON', () => {
    fc.assert(
      fc.property(json, fc.infiniteStream(fc.nat(1000)), (value, numbers) => {
        const other = reordered(value, () => numbers.next().value)
        expect(hash(other)).toBe(hash(value))
        expect(hash(readJson(JSON.stringify(value)))).toBe(hash(value))
      }),
    )
  })

  it('H1: is of all of a large object, wherever the buffer ends', () => {
    const sizes = [36_000, 36_958, 36_959, 36_960, 36_961, 40_000, 65_535, 65_536, 65_537, 200_000, 1_000_000]
    for (const size of sizes) {
      const value = { a: 'x'.repeat(size), b: '€'.repeat(size), c: Array.from({ length: size / 10 }, (_, i) => i) }
      expect(hash(value), `${size}`).toBe(expected(JSON.stringify(value)))
    }
  })

  it('H1: distinguishes values that are no neighbours in JSON', () => {
    const values = [
      0,
      '0',
      [0],
      { 0: 0 },
      null,
      'null',
      '',
      [],
      {},
      [[]],
      [{}],
      false,
      { a: null },
      { a: [] },
      1.5,
      '1.5',
    ]
    expect(new Set(values.map(value => hash(value))).size).toBe(values.length)
    expect(hash({ a: undefined, b: -0, c: 1.0 })).toBe(hash({ c: 1, b: 0 }))
  })

  it('H1, X11: refuses what can not be hashed, and hashes on', () => {
    expect(() => hash({ spec: { size: 2 ** 60 } })).toThrow(InexactIntegerError)
    expect(() => hash({ spec: { size: 2n ** 60n } })).toThrow(NotJsonError)
    expect(() => hash({ a: 'x'.repeat(100_000), b: Number.NaN })).toThrow(NotJsonError)
    expect(hash({ spec: { size: 2n ** 60n } }, { integers: 'bigint' })).toBe(
      expected('{"spec":{"size":1152921504606846976}}'),
    )
    expect(() => hash(1, { integers: 1 as never })).toThrow(expect.objectContaining({ option: 'hash.integers' }))
  })
})
