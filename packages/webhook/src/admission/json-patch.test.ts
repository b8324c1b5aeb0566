import fc from 'fast-check'
import { applyPatch } from 'rfc6902'
import { expect, it } from 'vitest'
import { isSameJson } from './json.ts'
import { jsonPatch } from './json-patch.ts'

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<object>

it('B2: a patch makes the one of the other, and there is none between two that are the same', () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      const patched = { it: structuredClone(before) }
      const outcomes = applyPatch(patched, jsonPatch({ it: before }, { it: after }) as never)
      expect(outcomes.every(one => one === null)).toBe(true)
      expect(isSameJson(patched.it, after)).toBe(true)
      expect(jsonPatch(before, structuredClone(before))).toEqual([])
    }),
  )
})

it('B2: a change of lists names only the items that changed', () => {
  const cases: [unknown[], unknown[], object[]][] = [
    [[1, 2, 3], [2, 3], [{ op: 'remove', path: '/0' }]],
    [[1, 2, 3], [0, 1, 2, 3], [{ op: 'add', path: '/0', value: 0 }]],
    [[1, 2, 3], [1, 2, 3, 4], [{ op: 'add', path: '/3', value: 4 }]],
    [[1, { a: 1 }], [1, { a: 2 }], [{ op: 'replace', path: '/1/a', value: 2 }]],
    [
      [1, 2, 3, 4],
      [1, 9, 4],
      [
        { op: 'replace', path: '/1', value: 9 },
        { op: 'remove', path: '/2' },
      ],
    ],
    [[1, 1], [1], [{ op: 'remove', path: '/1' }]],
  ]
  for (const [before, after, patch] of cases) expect(jsonPatch(before, after)).toEqual(patch)
})

it('B2: a field that is set to undefined is removed, and one that was never there stays away', () => {
  expect(jsonPatch({ a: 1, b: 2 }, { a: undefined, b: 2, c: undefined })).toEqual([{ op: 'remove', path: '/a' }])
})

it('B2: a value that JSON does not have is an error with its path, wherever it is set', () => {
  const date = new Date(0)
  const cases: [object, object, string][] = [
    [{ a: 1 }, { a: date }, '/a'],
    [{}, { a: date }, '/a'],
    [{ a: [1] }, { a: [1, date] }, '/a/1'],
    [{ a: [1] }, { a: [date] }, '/a/0'],
  ]
  for (const [before, after, path] of cases)
    expect(() => jsonPatch(before, after)).toThrow(expect.objectContaining({ code: 'NOT_JSON', path }))
})

it('B2: items of a list are the same if all of their JSON is', () => {
  const none = Object.assign(Object.create(null), { a: 1 })
  const cases: [unknown, unknown, isSame: boolean][] = [
    [{ a: 1, b: { c: [null, 'x', true] } }, { b: { c: [null, 'x', true] }, a: 1 }, true],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: 1 }, none, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: 1, b: 2 }, { a: 1, b: 3 }, false],
    [{ a: 1, b: 2 }, { a: 2, b: 2 }, false],
    [{ a: null }, { a: undefined }, false],
    [[1, 2], [1, 2], true],
    [[1, 2], [1], false],
    [[1], [1, 2], false],
    [[1, 2], [1, 3], false],
    [[1, 2], [3, 2], false],
    [[{ a: [1] }], [{ a: [1] }], true],
    [[], {}, false],
    [{}, [], false],
    [{}, null, false],
    [null, {}, false],
    [[], null, false],
    [null, null, true],
    [1, '1', false],
    [{ length: 0 }, [], false],
    ['a', ['a'], false],
    [['a'], 'a', false],
  ]
  for (const [one, other, isSame] of cases) {
    const patch = jsonPatch(['old', one], [other])
    expect(patch.at(-1)).toEqual({ op: 'remove', path: isSame ? '/0' : '/1' })
    expect(patch.length === 1).toBe(isSame)
  }
})

it('B2: a change of the kind of a value replaces it as a whole', () => {
  const values = [null, 1, 'a', true, [], {}, [1], { a: 1 }]
  const kind = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)
  for (const before of values)
    for (const after of values)
      if (kind(before) !== kind(after))
        expect(jsonPatch({ it: before }, { it: after })).toEqual([{ op: 'replace', path: '/it', value: after }])
})

it('B2: names of fields are escaped in the path of a change', () => {
  expect(jsonPatch({ 'a/b': { '~1/~': 1 }, c: 1 }, { 'a/b': { '~1/~': 2 }, 'd/~': 1 })).toEqual([
    { op: 'remove', path: '/c' },
    { op: 'replace', path: '/a~1b/~01~1~0', value: 2 },
    { op: 'add', path: '/d~1~0', value: 1 },
  ])
})

it.each<[what: string, value: unknown]>([
  ['an object of a class', new Date(0)],
  ['an object of a class', new Map()],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['function', () => {}],
  ['symbol', Symbol('x')],
  ['bigint', 5n],
])('B2: the error of a value that JSON does not have says what it is: %s', (what, value) => {
  const message = (path: string): unknown =>
    expect.objectContaining({
      ...{ code: 'NOT_JSON', path },
      message: `the handler set ${path} to a value that JSON does not have: ${what}`,
    })
  expect(() => jsonPatch({ a: 1 }, { a: value })).toThrow(message('/a'))
  expect(() => jsonPatch({}, { 'b/c': [1, { d: value }] })).toThrow(message('/b~1c/1/d'))
})

it('B2: all that JSON has may be set', () => {
  const value = { a: null, b: [true, false, 0, -1.5, 'x', '', {}, []], c: Object.assign(Object.create(null), { d: 1 }) }
  expect(jsonPatch({}, { value })).toEqual([{ op: 'add', path: '/value', value }])
})
