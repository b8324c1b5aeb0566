import { describe, expect, it } from 'vitest'
import { canonicalQuantity, isLess } from './quantity.ts'

describe('quantities', () => {
  it.for([
    ['1000m', '1'],
    ['1.5', '1500m'],
    ['0.1m', '1m'],
    ['100u', '1m'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Gi', '512Mi'],
    ['1000Ki', '1000Ki'],
    ['1e3', '1e3'],
    ['12000', '12k'],
    ['-1024Ki', '-1Mi'],
    ['0.0', '0'],
    ['+1', '+1'],
    ['.5', '500m'],
  ] as const)('F1: %s is printed as %s', ([given, printed]) => {
    expect(canonicalQuantity(given, true)).toBe(printed)
  })

  it('F1: one that is no amount of a resource keeps less than a thousandth', () => {
    expect(canonicalQuantity('100u', false)).toBe('100u')
  })

  it.for(['', 'x', '1x', '1 Gi', '1KiB', '.'])('F1: %j is refused', text => {
    expect(() => canonicalQuantity(text, true)).toThrow(/^quantities must match the regular expression/)
  })

  it('F1: are compared by their amounts', () => {
    expect(isLess('1000Mi', '1Gi')).toBe(true)
    expect(isLess('1024Mi', '1Gi')).toBe(false)
  })
})
