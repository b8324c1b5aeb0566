import { expect, it } from 'vitest'
import { contains } from './contains.ts'

it.each<[string, unknown, unknown]>([
  ['less', { a: 1, b: { c: 'x', d: null } }, { b: { c: 'x' } }],
  ['the same', [{ a: 1 }, [2]], [{ a: 1 }, [2]]],
  ['less of what is in a list', [{ a: 1, b: 2 }], [{ b: 2 }]],
  ['nothing', { a: 1 }, {}],
  ['what is not said', { a: 1 }, { b: undefined }],
  ['null', { a: null }, { a: null }],
])('contains %s', (_, whole, part) => expect(contains(whole, part)).toBe(true))

it.each<[string, unknown, unknown]>([
  ['more', { a: 1 }, { a: 1, b: 2 }],
  ['another value', { a: { b: 1 } }, { a: { b: 2 } }],
  ['another type', { a: '1' }, { a: 1 }],
  ['a shorter list', [1, 2], [1]],
  ['another order', [1, 2], [2, 1]],
  ['an object for a list', [1], { 0: 1 }],
  ['a list for an object', { 0: 1, length: 1 }, [1]],
  ['something for nothing', null, { a: 1 }],
  ['null for something', { a: {} }, { a: null }],
  ['what every object has', {}, { constructor: {} }],
])('does not contain %s', (_, whole, part) => expect(contains(whole, part)).toBe(false))
