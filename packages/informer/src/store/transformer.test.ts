import type { View } from '@wherry/client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { TransformError } from '../errors.ts'
import { Interner } from './interner.ts'
import { type Item, item, items } from './testkit/objects.ts'
import { labelsOf, Transformer } from './transformer.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

function transformer(
  view: View<unknown>,
  { freeze = false, transform }: { freeze?: boolean; transform?: (object: object) => unknown } = {},
): Transformer<unknown> {
  return new Transformer<unknown>({ view, freeze, transform })
}

const named = (fn: (object: Item) => unknown): View<unknown> => items.project('seen', fn)

describe('what a projection of one’s own gives', () => {
  it.each([[null], [5], ['text'], [JSON.parse('{"then":5}')]])('T1: is kept, be it %j', value => {
    expect(transformer(named(() => value)).run(item('a/x', 1), 'a/x', 100)).toBe(value)
  })

  it.each<[string, () => unknown, string]>([
    ['nothing', () => undefined, 'undefined'],
    ['a promise', () => Promise.reject(new Error('late')), 'promise'],
    ['a thrown error', () => JSON.parse('{'), 'JSON'],
  ])('T1, R30: is an error that says so where it is %s', (_, fn, reason) => {
    for (const one of [transformer(named(fn)), transformer(items, { transform: fn })]) {
      const failed = one.run(item('a/x', 1), 'a/x', 100)
      expect(failed).toBeInstanceOf(TransformError)
      expect((failed as Error).message).toContain(reason)
      expect(failed).toMatchObject({ key: 'a/x', cause: { message: expect.stringContaining(reason) } })
    }
  })

  it.each([
    ['keeps them', (object: Item) => object, false],
    ['leaves them out', ({ data }: Item) => ({ data }), true],
  ] as const)('knows whether it drops labels: one that %s', (_, fn, drops) => {
    const one = transformer(named(fn))
    for (const labels of [undefined, {}]) one.run(item('a/x', 1, { labels }), 'a/x', 100)
    expect(one.dropsLabels).toBe(false)
    one.run(item('a/x', 2, { labels: { app: 'web' } }), 'a/x', 100)
    one.run(item('a/y', 3), 'a/y', 100)
    expect(one.dropsLabels).toBe(drops)
  })
})

describe('freezing', () => {
  it.each<[string, View<unknown>, boolean]>([
    ['the default view', items, false],
    ['a projection of one’s own', named(object => ({ ...object })), true],
  ])('R37: freezes kept objects, and the argument of a function that could change it: %s', (_, view, isGivenFrozen) => {
    for (const freeze of [true, false]) {
      const { metadata, ...rest } = item('a/x', 1)
      const object = { ...rest, metadata: { ...metadata, managedFields: [] } }
      const value = transformer(view, { freeze }).run(object, 'a/x', 100)
      expect([Object.isFrozen(object), Object.isFrozen(value)]).toEqual([freeze && isGivenFrozen, freeze])
    }
  })
})

describe('what objects share', () => {
  it.each<[string, View<unknown>, boolean]>([
    ['the default view', items, false],
    ['metadata', items.metadata(), false],
    ['whole objects', items.full(), true],
    ['exact objects', items.exact(), true],
  ])('field managers share their texts where they are kept: in %s', (_, view, isKept) => {
    const shared = vi.spyOn(Interner.prototype, 'shared')
    const { metadata, ...rest } = item('a/x', 1)
    const managedFields = [{ manager: 'a manager of a long name' }]
    transformer(view).run({ ...rest, metadata: { ...metadata, managedFields } }, 'a/x', 100)
    expect(shared.mock.calls.flat().includes('a manager of a long name')).toBe(isKept)
  })
})

describe('the share of managedFields', () => {
  const managedFields = [{ manager: 'kubectl', operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: { f: {} } }]
  const bytes = JSON.stringify(managedFields).length
  const given = (): object => ({ metadata: { name: 'x', managedFields } })

  it('T4: is looked at in each of the first objects, and in one of 64 of very many', () => {
    const one = transformer(items)
    const looked = vi.spyOn(JSON, 'stringify')
    const looks = (objects: number): number => {
      looked.mockClear()
      for (let count = 0; count < objects; count++) one.run(given(), 'x', 2 * bytes)
      return looked.mock.calls.filter(([value]) => value === managedFields).length
    }
    expect([looks(64), looks(64), looks(128)]).toEqual([64, 32, 32])
    looks(3840)
    expect(looks(6400)).toBe(100)
    expect(one.managedFieldsShare).toBeCloseTo(0.5, 5)
  })

  it('T4: is of all bytes, however many objects were looked at', () => {
    const one = transformer(items)
    for (let count = 0; count < 1024; count++) one.run(given(), 'x', 4 * bytes)
    for (let count = 0; count < 4096; count++) one.run(given(), 'x', 2 * bytes)
    expect(one.managedFieldsShare).toBeCloseTo(5120 / (4 * 1024 + 2 * 4096), 2)
  })

  it('T4: is 0 at first and 1 at most, and 0 where it can’t be known', () => {
    const one = transformer(items)
    expect(one.managedFieldsShare).toBe(0)
    one.run(given(), 'x', 1)
    expect(one.managedFieldsShare).toBe(1)
    const other = transformer(items)
    for (const object of [{ metadata: { name: 'x' }, count: 5n }, { metadata: null }, {}]) other.run(object, 'x', 1000)
    expect(other.managedFieldsShare).toBeLessThan(1)
    const exact = transformer(items.exact())
    exact.run({ metadata: { name: 'x' } }, 'x', 1000)
    expect(exact.managedFieldsShare).toBe(0)
  })

  it.each<[string, View<unknown>, boolean]>([
    ['the default view', items, true],
    ['metadata', items.metadata(), true],
    ['whole objects', items.full(), false],
    ['a projection of one’s own', named(object => object), false],
  ])('T4: counts what was left out before it was decoded: in %s', (_, view, isCounted) => {
    const one = transformer(view)
    const object = { metadata: { name: 'x' } }
    const left = JSON.stringify(object).length
    one.run(object, 'x', left + 99)
    expect(one.managedFieldsShare).toBe(0)
    one.run(object, 'x', left + 100)
    expect(one.managedFieldsShare).toBeCloseTo(isCounted ? 100 / (2 * left + 199) : 0, 5)
  })
})

describe('labels', () => {
  it.each([[undefined], [null], [5], [{}], [{ metadata: null }], [{ metadata: { labels: null } }]])(
    'are none where objects have them otherwise: %j',
    value => {
      expect(labelsOf(value)).toBeUndefined()
    },
  )

  it('are none where they are a text, and what they are where they are labels', () => {
    expect(labelsOf({ metadata: { labels: 'app=web' } })).toBeUndefined()
    expect(labelsOf({ metadata: { labels: { app: 'web' } } })).toEqual({ app: 'web' })
  })
})
