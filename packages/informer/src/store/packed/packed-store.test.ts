import { beforeEach, describe, expect, it } from 'vitest'
import { packed } from '../../packed.ts'
import type { Intake, ReplaceOptions } from '../intake.ts'
import { PlainStore } from '../plain-store.ts'
import { storeContract } from '../testkit/contract.ts'
import { failedContract } from '../testkit/failed-contract.ts'
import { handlerContract } from '../testkit/handler-contract.ts'
import { journalContract } from '../testkit/journal-contract.ts'
import { listerContract } from '../testkit/lister-contract.ts'
import { type Bed, bed, contentsOf, type Item, item, items, line, type MakeOptions } from '../testkit/objects.ts'

const make = ({ view = items, ...options }: MakeOptions): PlainStore<Item, 'namespaced'> =>
  new PlainStore<Item, 'namespaced'>({ view, packed, ...options })

storeContract(make)
journalContract(make)
failedContract(make)
handlerContract(make)
listerContract(make)

describe('a packed store', () => {
  let at: Bed
  let store: PlainStore<Item, 'namespaced'>
  let intake: Intake

  beforeEach(() => {
    at = bed()
    const transform = (object: object): Item => {
      const { data } = object as Item
      if (data?.value === 'bad') throw new Error('bad')
      return (data?.value === 'map' ? { ...object, data: new Map() } : object) as Item
    }
    store = new PlainStore<Item, 'namespaced'>({
      view: items,
      environment: at.environment,
      transform,
      packed,
      freeze: false,
    })
    intake = store.intake()
  })
  const list = (by: Intake, objects: readonly Item[], options: ReplaceOptions = {}): void => {
    const replacement = by.replace(options)
    for (const object of objects) replacement.put(object, 100)
    replacement.commit('50')
  }
  const values = (): number | undefined => store.stats().packed?.values

  it('T5: gives an object of the reader’s own, which it may change', () => {
    list(intake, [item('a/x', 1, { labels: { app: 'web' } })])
    const [one] = store.lister.list()
    ;(one?.data as Record<string, string>).value = 'changed'
    expect(store.lister.get('a/x')).toStrictEqual(item('a/x', 1, { labels: { app: 'web' } }))
    expect(Object.isFrozen(one?.metadata?.labels)).toBe(false)
  })

  it('T5, R30: takes an object that it can not pack for one that could not be transformed', () => {
    list(intake, [item('a/x', 1), item('a/y', 2, { value: 'map' })])
    expect([contentsOf(store), store.lister.failed(), values()]).toEqual([['a/x@1'], ['a/y'], 1])
    expect(() => store.lister.get('a/y')).toThrow(expect.toSatisfy(error => error.cause?.code === 'UNPACKABLE_VALUE'))
    expect(at.environment.errors.map(({ error, context }) => [(error.cause as Error).message, context.key])).toEqual([
      ['data is a Map: a packed store takes what JSON can say, and undefined', 'a/y'],
    ])
    // As it was, and so no news.
    list(intake, [item('a/x', 1), item('a/y', 2, { value: 'map' })], { reuse: false })
    expect([store.stats().transformFailures, values()]).toEqual([1, 1])
    intake.change('MODIFIED', item('a/y', 3), 100)
    intake.change('MODIFIED', item('a/x', 4, { value: 'map' }), 100)
    expect([contentsOf(store), store.lister.failed(), values()]).toEqual([['a/x@1', 'a/y@3'], ['a/x'], 2])
    expect(store.lister.version('a/x')).toEqual({ uid: 'a/x', resourceVersion: '4' })
  })

  it('T5: tells who lags of the last state of what is gone, and then lets go of it', () => {
    list(intake, [item('a/x', 1), item('a/y', 2), item('a/z', 3)])
    const cursor = store.cursor()
    cursor.take(10)
    intake.change('DELETED', item('a/x', 4), 100)
    list(intake, [item('a/z', 3)])
    intake.change('DELETED', item('a/z', 5, { value: 'bad' }), 100)
    expect([store.stats().objects, values()]).toEqual([0, 3])
    const deleted = cursor.take(10).map(line)
    expect([deleted, values()]).toEqual([['deleted a/x@4', 'deleted a/y@2 unknown', 'deleted a/z@3'], 0])
  })

  it('T5: lets go of what nobody is told of: of a list that is dropped, and of states that others take the place of', () => {
    list(intake, [item('a/x', 1)])
    const replacement = intake.replace()
    for (const version of [2, 3]) replacement.put(item('a/x', version), 100)
    replacement.put(item('a/y', 4), 100)
    expect(values()).toBe(3)
    replacement.remove(item('a/y', 5))
    expect(values()).toBe(2)
    intake.replace().put(item('a/x', 6), 100)
    expect(values()).toBe(2)
    list(intake, [item('a/x', 7), item('a/y', 8)])
    expect(values()).toBe(2)
    const other = store.intake()
    list(other, [item('a/x', 1)])
    intake.change('MODIFIED', item('a/x', 9), 100)
    intake.change('ADDED', item('a/x', 10, { uid: 'other' }), 100)
    expect([contentsOf(store), values()]).toEqual([['a/x@10', 'a/y@8'], 2])
    other.close({ forget: true })
    intake.close({ forget: true })
    expect(values()).toBe(0)
  })

  it('T5: lets go of what was staged for nothing', () => {
    list(intake, [item('a/x', 5), item('a/y', 2)])
    const [staged, next] = [store.intake({ staged: true }), store.intake({ staged: true })]
    list(staged, [item('a/x', 6), item('a/z', 3)])
    list(staged, [item('a/x', 6), item('a/z', 3)])
    staged.change('MODIFIED', item('a/z', 7), 100)
    staged.change('MODIFIED', item('a/z', 7), 100)
    expect(values()).toBe(4)
    staged.change('DELETED', item('a/z', 8), 100)
    expect(values()).toBe(3)
    staged.clear()
    expect(values()).toBe(2)
    list(staged, [item('a/z', 9)])
    staged.close()
    expect(values()).toBe(2)
    // In the state that the store has, and in one that the former intake is ahead of.
    list(next, [item('a/x', 4), item('a/y', 2)])
    store.promote([next], [intake])
    expect([contentsOf(store), values()]).toEqual([['a/x@5', 'a/y@2'], 2])
  })

  it('T5: has nothing left once it is closed, and what ends after it is harmless', () => {
    list(intake, [item('a/x', 1)])
    store.cursor().take(10)
    intake.change('DELETED', item('a/x', 2), 100)
    const begun = intake.replace()
    begun.put(item('a/y', 3), 100)
    store.close(new Error('over'))
    begun.drop()
    intake.close()
    expect(store.stats().packed).toEqual({ values: 0, bytes: 0, usedBytes: 0, texts: 0, shapes: 0 })
  })

  it('T5: keeps nothing of a list that comes by an intake that is closed', () => {
    const closed = store.intake()
    list(intake, [item('a/x', 1)])
    closed.close()
    list(closed, [item('a/y', 2)])
    expect([contentsOf(store), store.stats().packed?.values]).toEqual([['a/x@1'], 1])
  })

  it('T5: says nothing of packed values where they are not', () => {
    expect(new PlainStore({ view: items, environment: at.environment }).stats().packed).toBeUndefined()
  })

  it('X6: takes a word for packed for a mistake', () => {
    const options = { view: items, environment: at.environment, packed: 'yes' }
    expect(() => new PlainStore(options as never)).toThrow(expect.objectContaining({ option: 'store.packed' }))
  })
})
