import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalize } from './canonicalize.ts'
import { nameHash } from './name-hash.ts'

describe('H1: a hash for names', () => {
  it('is the same for ever: these were written down', () => {
    expect([nameHash({}), nameHash({ a: '1', b: [2, null] }), nameHash('', { length: 40 })]).toEqual([
      '67dns75th6',
      '5645gwnr6n',
      'vn682m76dm4bjntfspg6qzm8d66dpchcxfnrmr4r',
    ])
  })

  it('is the same for equal values, in whatever order their keys are, and another one for others', () => {
    expect(nameHash({ a: 1, b: 2 })).toBe(nameHash({ b: 2, a: 1 }))
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
    const value = fc.dictionary(fc.string(), fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), { maxKeys: 3 })
    const property = fc.property(value, value, (a, b) => {
      expect(nameHash(a) === nameHash(b)).toBe(canonicalize(a) === canonicalize(b))
    })
    fc.assert(property)
  })

  it('can stand in a name and in the value of a label, at each length', () => {
    for (let length = 4; length <= 40; length++)
      expect(nameHash({ length }, { length })).toMatch(new RegExp(`^[a-z0-9]{${length}}$`))
    expect(nameHash({}, { length: 20 }).startsWith(nameHash({}))).toBe(true)
  })

  it('X6: has a length that it can have, and is of JSON', () => {
    for (const length of [3, 41, 4.5, '10']) expect(() => nameHash({}, { length } as never)).toThrow('nameHash.length')
    expect(() => nameHash(() => {})).toThrow()
  })
})
