import { parseJson } from '@wherry/cel/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  below,
  difference,
  hasField,
  inOrder,
  intersection,
  pathsOf,
  readSet,
  sameSet,
  union,
  without,
} from './field-set.ts'
import { anySet, setOf, textsOf } from './testkit/sets.ts'

const two = (law: (a: ReturnType<typeof setOf>, b: ReturnType<typeof setOf>) => void): void =>
  fc.assert(fc.property(anySet, anySet, law))

describe('sets of fields', () => {
  it('F1: union, intersection and difference are those of the paths, taken as plain sets', () =>
    two((a, b) => {
      const [left, right] = [textsOf(a), textsOf(b)]
      expect(textsOf(union(a, b))).toEqual(new Set([...left, ...right]))
      expect(textsOf(intersection(a, b))).toEqual(new Set([...left].filter(path => right.has(path))))
      expect(textsOf(difference(a, b))).toEqual(new Set([...left].filter(path => !right.has(path))))
    }))

  it('F1: without removes each field with all below it, and nothing else', () =>
    two((a, b) => {
      const gone = [...pathsOf(b)]
      const left = [...pathsOf(a)].filter(
        path => !gone.some(prefix => prefix.every((element, i) => element === path[i])),
      )
      expect(textsOf(without(a, b))).toEqual(textsOf(setOf(left)))
    }))

  it('F1: no operation changes its operands, and an empty set is undefined', () =>
    two((a, b) => {
      const before = JSON.stringify([a, b])
      for (const operation of [union, intersection, difference, without]) {
        const result = operation(a, b)
        expect(result === undefined).toBe(textsOf(result).size === 0)
      }
      expect(JSON.stringify([a, b])).toBe(before)
    }))

  it('F1: two sets are the same exactly when their paths are', () =>
    two((a, b) => {
      const same = JSON.stringify([...textsOf(a)]) === JSON.stringify([...textsOf(b)])
      expect(sameSet(a, b)).toBe(same)
      expect(sameSet(union(a, b), union(b, a))).toBe(true)
    }))

  it('F1: a set that is written and read is the same', () => {
    fc.assert(
      fc.property(anySet, set => {
        const written = JSON.stringify(inOrder(set ?? {}))
        const read = readSet(parseJson(written))
        expect(sameSet(read ?? undefined, set)).toBe(true)
        expect(read === null).toBe(set === undefined)
        expect(JSON.stringify(inOrder(read ?? {}))).toBe(written)
      }),
    )
  })

  it('F1: a field that is in a set differs from one with fields below it in the set', () => {
    fc.assert(
      fc.property(anySet, set => {
        const paths = [...pathsOf(set)]
        for (const [first = ''] of paths) {
          expect(hasField(set, first)).toBe(paths.some(path => path.length === 1 && path[0] === first))
          const deeper = paths.filter(path => path.length > 1 && path[0] === first).map(path => path.slice(1))
          expect(textsOf(below(set, first))).toEqual(textsOf(setOf(deeper)))
        }
        expect([hasField(set, 'f:none'), below(set, 'f:none')]).toEqual([false, undefined])
      }),
    )
  })
})

describe('a set of fields that is read', () => {
  it('F1: a field with fields below it is of the set by its dot', () => {
    expect(textsOf(readSet({ 'f:a': { '.': {}, 'f:b': {} }, 'f:c': { 'f:d': {} } }) ?? undefined)).toEqual(
      new Set(['f:a', 'f:a f:b', 'f:c f:d']),
    )
    expect(readSet({ '.': {} })).toBe(null)
    expect(readSet({})).toBe(null)
  })

  it('F1: keys and values are written in one way', () => {
    expect(readSet({ 'k: { "b": 1, "a": "x" }': {}, 'v: "q"': {}, 'i:007': {} })).toEqual({
      'k:{"a":"x","b":1}': {},
      'v:"q"': {},
      'i:7': {},
    })
  })

  it('F1: elements of a kind to come are let pass, and a text that is no element is refused', () => {
    expect(readSet({ 'z:new': {}, 'f:a': {} })).toEqual({ 'f:a': {} })
    for (const wrong of ['x', '', 'fa', 'k:[]', 'k:{', 'v:', 'i:x']) expect(readSet({ [wrong]: {} })).toBe(undefined)
    for (const wrong of [{ 'f:a': 1 }, [], 'x', null]) expect(readSet(wrong as never)).toBe(undefined)
  })

  it('F1: the elements of one level come before those below them', () => {
    const set = setOf([['v:"x"'], ['k:{"n":1}', 'f:z'], ['f:b'], ['f:a', 'f:c'], ['k:{"n":1}'], ['f:a']])
    expect([...pathsOf(set)].map(path => path.join(' '))).toEqual([
      ...['f:a', 'f:b', 'k:{"n":1}', 'v:"x"'],
      ...['f:a f:c', 'k:{"n":1} f:z'],
    ])
  })
})
