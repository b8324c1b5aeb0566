import type { Json } from '@wherry/cel/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atomic, deduced, fieldType } from './field-type.ts'
import { merge } from './merge.ts'
import { removeFields, withNamedFields } from './remove.ts'

const text = fieldType({ kind: 'string' })
const set = fieldType({ kind: 'list', items: text })
const item = fieldType({ kind: 'map', fields: new Map([['name', text]]), others: deduced })
const list = fieldType({ kind: 'list', items: item, keys: [{ name: 'name', default: undefined }] })

const merged = (live: string, applied: string): string =>
  ((merge([...live], [...applied], set) ?? []) as string[]).join('')

describe('an applied value is merged', () => {
  it('F1: lists keep the applied order; items of the live list alone stay where they were', () => {
    expect(merged('', 'ab')).toBe('ab')
    expect(merged('ab', '')).toBe('ab')
    expect(merged('ab', 'ba')).toBe('ba')
    expect(merged('abc', 'cx')).toBe('abcx')
    expect(merged('xay', 'a')).toBe('xay')
    expect(merged('axb', 'ba')).toBe('xba')
    expect(merged('xaybz', 'bca')).toBe('xybzca')
    expect(merged('ab', 'cd')).toBe('abcd')
    expect(merged('abcd', 'dxb')).toBe('acdxb')
  })

  it('F1: no item is lost or there twice, and the applied ones are in their order', () => {
    const letters = fc.uniqueArray(fc.constantFrom(...'abcdef')).map(each => each.join(''))
    fc.assert(
      fc.property(letters, letters, (live, applied) => {
        const result = merged(live, applied)
        expect([...result].sort()).toEqual([...new Set(live + applied)].sort())
        expect([...result].filter(one => applied.includes(one)).join('')).toBe(applied)
        const others = (of: string): string => [...of].filter(one => !applied.includes(one)).join('')
        expect(others(result)).toBe(others(live))
      }),
    )
  })

  it('F1: items by their keys; one that was there twice is replaced', () => {
    expect(merge([{ name: 'a', x: 1 }, { name: 'b' }], [{ name: 'a', y: 2 }], list)).toEqual([
      { name: 'a', x: 1, y: 2 },
      { name: 'b' },
    ])
    expect(
      merge(
        [
          { name: 'a', x: 1 },
          { name: 'a', x: 2 },
        ],
        [{ name: 'a', y: 2 }],
        list,
      ),
    ).toEqual([{ name: 'a', y: 2 }])
  })

  it('F1: maps field by field, all else as it is applied', () => {
    const both = (live: Json, applied: Json): Json => merge(live, applied, deduced)
    expect(both({ a: 1, b: { c: 1 } }, { b: { d: 2 }, e: [1] })).toEqual({ a: 1, b: { c: 1, d: 2 }, e: [1] })
    expect(both({ a: [1, 2], b: { c: 1 } }, { a: [3], b: 'x' })).toEqual({ a: [3], b: 'x' })
    expect(both({ a: 'x', b: 1, c: [1] }, { a: { y: 1 }, b: null, c: { z: 1 } })).toEqual({
      a: { y: 1 },
      b: null,
      c: { z: 1 },
    })
    expect([both({ a: { b: 1 } }, { a: null }), both({ a: {} }, { a: null }), both({ a: null }, { a: {} })]).toEqual([
      { a: { b: 1 } },
      { a: null },
      { a: {} },
    ])
    expect([merge({ a: 1 }, { b: 1 }, atomic), merge([], null, set), merge(['a'], null, set)]).toEqual([
      { b: 1 },
      null,
      ['a'],
    ])
    expect([merge('x', ['a'], set), merge(['a'], 'x', set), merge(null, ['a'], set)]).toEqual([['a'], 'x', ['a']])
  })
})

describe('a field that is not applied any more', () => {
  const type = fieldType({
    kind: 'map',
    fields: new Map([
      ['list', list],
      ['set', set],
      ['in', fieldType({ kind: 'map', fields: new Map([['a', text]]) })],
      ['whole', { ...deduced, atomic: true }],
    ]),
    others: deduced,
  })

  it('F1: is removed, and a map or a list that loses all its fields is null', () => {
    const value = { list: [{ name: 'a', n: 1 }, { name: 'b' }], set: ['x', 'y'], in: { a: '1' }, z: 1 }
    expect(
      removeFields(
        value,
        { 'f:list': { 'k:{"name":"a"}': { 'f:n': {} }, 'k:{"name":"b"}': {} }, 'f:set': { 'v:"x"': {} }, 'f:z': {} },
        type,
      ),
    ).toEqual({ list: [{ name: 'a' }], set: ['y'], in: { a: '1' } })
    expect(removeFields(value, { 'f:in': { 'f:a': {} }, 'f:set': { 'v:"x"': {}, 'v:"y"': {} } }, type)).toEqual({
      ...value,
      in: null,
      set: null,
    })
    expect(removeFields({ z: 1 }, { 'f:z': {} }, type)).toBe(null)
    expect(
      removeFields({ whole: { a: 1 }, other: [1] }, { 'f:whole': { 'f:a': {} }, 'f:other': { 'v:1': {} } }, type),
    ).toEqual({
      whole: null,
      other: null,
    })
    expect([removeFields('x', { 'f:a': {} }, type), removeFields(value, undefined, type)]).toEqual(['x', value])
  })

  it('F1: takes along the fields that a type names, and no entries of a map', () => {
    expect(
      withNamedFields(
        {
          'f:list': { 'k:{"name":"a"}': { 'f:name': {}, 'f:more': { 'f:x': {} } } },
          'f:in': { 'f:a': {} },
          'f:free': { 'f:x': { 'f:y': {} } },
          'f:set': { 'v:"x"': {} },
        },
        type,
      ),
    ).toEqual({
      'f:list': { '.': {}, 'k:{"name":"a"}': { 'f:name': {}, 'f:more': { 'f:x': {} } } },
      'f:in': { '.': {}, 'f:a': {} },
      'f:free': { 'f:x': { 'f:y': {} } },
      'f:set': { '.': {}, 'v:"x"': {} },
    })
    expect(withNamedFields(undefined, type)).toBe(undefined)
    expect(withNamedFields({ 'f:a': { 'f:b': {} } }, undefined)).toEqual({ 'f:a': { 'f:b': {} } })
  })
})
