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
