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

it('gives what is equal to what it is given, whatever it was given before', () => {
  const few = fc.constantFrom<unknown>('', 'a', 'b', 'web', 'wed', 'wbe', 0, -0, null, true, [], {}, [0], { 0: 0 })
  const key = fc.constantFrom('a', 'b', '__proto__', 'constructor')
  const pairs = fc.array(fc.tuple(key, fc.oneof(few, fc.array(few, { maxLength: 2 }))), { maxLength: 3 })
  const map = pairs.map(
    all => JSON.parse(`{${all.map(([k, v]) => `"${k}":${Object.is(v, -0) ? '-0' : JSON.stringify(v)}`)}}`) as object,
  )
  fc.assert(
    fc.property(fc.array(map, { minLength: 2, maxLength: 200 }), values => {
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
  for (const object of [a, b, long, other]) interner.intern(object)
  expect([b, long]).toEqual([make('x'), make('y'.repeat(257))])
  for (const field of ['labels', 'annotations', 'ownerReferences', 'finalizers']) {
    expect(a.metadata[field]).toBe(b.metadata[field])
  }
  expect(other.metadata.labels).toBe(a.metadata.labels)
  // Long ones are an object's own, most of them.
  expect(other.metadata.annotations).not.toBe(long.metadata.annotations)
})

it('shares nothing but texts where that is not asked for, nor of what is frozen', () => {
  const make = (): Received => decoded({ metadata: { labels: { app: 'web' } } })
  const apart = new Interner({ keepsManagers: false, sharesValues: false })
  const [a, b] = [make(), make()]
  apart.intern(a)
  apart.intern(b)
  expect(a.metadata.labels).not.toBe(b.metadata.labels)
  const interner = new Interner({ keepsManagers: false, sharesValues: true })
  const frozen = { metadata: Object.freeze(make().metadata) }
  const { labels } = frozen.metadata
  interner.intern(make())
  interner.intern(frozen)
  expect(frozen.metadata.labels).toBe(labels)
})
