import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareResourceVersions, isAtLeast } from './resource-version.ts'

describe('comparing resourceVersions', () => {
  it('R13: orders decimal integers of any length', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 200n }), fc.bigInt({ min: 1n, max: 2n ** 200n }), (a, b) => {
        expect(compareResourceVersions(`${a}`, `${b}`)).toBe(a === b ? 'same' : a < b ? 'older' : 'newer')
        expect(isAtLeast(`${a}`, `${b}`)).toBe(a >= b)
      }),
    )
    expect(compareResourceVersions('9', '10')).toBe('older')
    expect(compareResourceVersions('9007199254740993', '9007199254740992')).toBe('newer')
  })

  it.each(['', '0', '01', '-1', '1.5', ' 1', '1\n', 'abc', '１', undefined])('R13: assumes nothing of %j', other => {
    expect(compareResourceVersions(other, '5')).toBe('unknown')
    expect(compareResourceVersions('5', other)).toBe('unknown')
    expect(compareResourceVersions(other, other)).toBe('unknown')
    expect(isAtLeast(other, other)).toBe(false)
  })
})
