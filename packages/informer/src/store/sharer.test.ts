import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Interner } from './interner.ts'
import { Sharer } from './sharer.ts'

/** As it is decoded: of its own. */
const decoded = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

interface Received {
  readonly metadata: Readonly<Record<string, unknown>>
}

it('gives one value for equal ones, frozen from when it is shared on', () => {
  const sharer = new Sharer()
  const labels = { app: 'web', tier: 'front' }
  const own = decoded(labels)
  expect(sharer.shared(own)).toBe(own)
  expect(Object.isFrozen(own)).toBe(false)
  expect(sharer.shared(decoded(labels))).toBe(own)
  expect(Object.isFrozen(own)).toBe(true)
  const owners = [{ kind: 'ReplicaSet', name: 'web-1', controller: true }]
  const first = sharer.shared(decoded(owners))
  expect(sharer.shared(decoded(owners))).toBe(first)
  expect(Object.isFrozen(first[0])).toBe(true)
})

it('returns a value equal to its argument, whatever it was given before', () => {
  // Alike in length and in their first, middle and last characters.
  const alike = fc.constantFrom('a1b1c', 'a1b2c', 'a2b1c', 'a2b2c')
  const other = fc.constantFrom<unknown>(true, false, null, '', 'x', 2, -0, [], {})
  const value = fc.oneof({ weight: 8, arbitrary: alike }, { weight: 1, arbitrary: other })
  const key = fc.oneof(alike, fc.constantFrom('__proto__', 'constructor'))
  const map = fc
    .array(fc.tuple(key, value), { maxLength: 3 })
    .map(pairs => JSON.parse(`{${pairs.map(([k, v]) => `"${k}":${JSON.stringify(v)}`).join()}}`) as object)
  const list = fc.array(fc.oneof(value, map), { maxLength: 3 })
  const json = fc.oneof(map, list, fc.array(map, { minLength: 1, maxLength: 2 }))
  fc.assert(
    fc.property(fc.array(json, { minLength: 2, maxLength: 200 }), values => {
      const sharer = new Sharer()
      for (const value of values) {
        const shared = sharer.shared(value)
        // Not by `toEqual`: a key `constructor` means something to it.
        expect(isDeepStrictEqual(shared, value)).toBe(true)
        // its keys in the same order
        expect(JSON.stringify(shared)).toBe(JSON.stringify(value))
      }
    }),
  )
})

it.each<[string, object]>([
  ['labels', { app: 'web', tier: '' }],
  ['none', {}],
  ['finalizers', ['example.com/hold', 'example.com/keep']],
  ['owners', [{ kind: 'ReplicaSet', name: 'web-1', controller: true, blockOwnerDeletion: false, uid: null }]],
  ['several owners', [{ uid: 'a' }, { uid: 'b' }, { uid: 'c' }]],
  ['a list of both', ['a', { uid: 'b' }, 'c']],
  ['text of some length', { note: 'x'.repeat(256), list: null }],
  ['a list of eight', Array.from({ length: 8 }, (_, n) => `finalizer-${n}`)],
])('shares %s', (_, value) => {
  const sharer = new Sharer()
  const first = sharer.shared(decoded(value))
  expect(sharer.shared(decoded(value))).toBe(first)
  expect(first).toEqual(value)
})

it.each<[string, object]>([
  ['long texts of a map', { note: 'x'.repeat(257) }],
  ['long texts of a list', ['x'.repeat(257)]],
  ['long texts of maps in a list', [{ note: 'x'.repeat(257) }]],
  ['long lists', Array.from({ length: 9 }, (_, n) => `finalizer-${n}`)],
  ['numbers', { count: 5 }],
  ['numbers in a list', [5]],
  ['a deeper map', { a: { b: 'c' } }],
  ['a deeper map in a list', [{ a: { b: 'c' } }]],
  ['nothing in a list', [null]],
  ['a list in a list', [[]]],
])('leaves alone: %s', (_, value) => {
  const sharer = new Sharer()
  for (const each of [decoded(value), decoded(value)]) {
    expect(sharer.shared(each)).toBe(each)
    expect(Object.isFrozen(each)).toBe(false)
  }
})

it('remembers the last ones: hundreds of kinds of labels that come by turns are held once each', () => {
  const sharer = new Sharer()
  const make = (n: number): object => ({ app: `application-${n % 20}`, part: `part-${n % 15}`, manager: 'helm' })
  const held = new Set(Array.from({ length: 6000 }, (_, n) => sharer.shared(make(n))))
  // sixty of them, and a few that were let go of for others and met again
  expect(held.size).toBeLessThan(80)
})

it('objects with equal labels, short annotations, owners and finalizers hold them once', () => {
  const interner = new Interner({ keepsManagers: false, sharesValues: true })
  const make = (note: string): Received =>
    decoded({
      metadata: {
        labels: { app: 'web' },
        annotations: { note },
        ownerReferences: [{ uid: 'a-uid', name: 'owner' }],
        finalizers: ['example.com/hold'],
      },
    })
  const [a, b, long, other] = [make('x'), make('x'), make('y'.repeat(257)), make('y'.repeat(257))]
  for (const object of [a, b, long, other]) interner.intern(object, 'a-key')
  expect([b, long]).toEqual([make('x'), make('y'.repeat(257))])
  for (const field of ['labels', 'annotations', 'ownerReferences', 'finalizers']) {
    expect(a.metadata[field]).toBe(b.metadata[field])
  }
  expect(other.metadata.labels).toBe(a.metadata.labels)
  // Long ones are an object's own, most of them.
  expect(other.metadata.annotations).not.toBe(long.metadata.annotations)
})

it('shares only texts if no more is asked for, and nothing of frozen values', () => {
  const make = (): Received => decoded({ metadata: { labels: { app: 'web' } } })
  const apart = new Interner({ keepsManagers: false, sharesValues: false })
  const [a, b] = [make(), make()]
  apart.intern(a, 'a-key')
  apart.intern(b, 'a-key')
  expect(a.metadata.labels).not.toBe(b.metadata.labels)
  const interner = new Interner({ keepsManagers: false, sharesValues: true })
  const frozen = { metadata: Object.freeze(make().metadata) }
  const { labels } = frozen.metadata
  interner.intern(make(), 'a-key')
  interner.intern(frozen, 'a-key')
  expect(frozen.metadata.labels).toBe(labels)
})
