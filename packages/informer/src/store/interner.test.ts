import { expect, it, vi } from 'vitest'
import { Interner } from './interner.ts'

const long = (text: string): string => `${text} and some more text`.split('').join('')

it('gives one text for equal ones, and forgets those that were not met for long', () => {
  const interner = new Interner({ keepsManagers: false, sharesValues: true })
  const maps = new Map<string, string>()
  for (let index = 0; index < 20_000; index++) {
    const text = long(`text ${index}`)
    maps.set(text, interner.shared(text))
  }
  expect([...maps].every(([text, shared]) => text === shared)).toBe(true)
})

it('replaces texts of received objects, and leaves frozen ones alone', () => {
  const interner = new Interner({ keepsManagers: true, sharesValues: true })
  const make = () => ({
    kind: long('kind'),
    apiVersion: long('version'),
    metadata: {
      namespace: long('namespace'),
      labels: JSON.parse(`{"__proto__":"${long('proto')}","app":"${long('app')}","short":"x"}`) as object,
      annotations: { note: long('note'), applied: long('applied'.repeat(10)), broken: 5 },
      managedFields: [{ manager: long('manager'), apiVersion: long('version') }, null],
    },
  })
  const object = make()
  interner.intern(object, 'a-key')
  expect(object).toEqual(make())
  expect(Object.keys(object.metadata.labels)).toEqual(['__proto__', 'app', 'short'])
  const frozen = Object.freeze({ ...make(), metadata: Object.freeze({ labels: Object.freeze({ app: long('app') }) }) })
  interner.intern(frozen, 'a-key')
  expect(frozen.metadata.labels.app).toBe(long('app'))
})

it('does not remember long values of annotations, which are an object’s own', () => {
  const interner = new Interner({ keepsManagers: false, sharesValues: true })
  const [own, note, label] = ['x'.repeat(65), 'y'.repeat(64), 'z'.repeat(65)]
  const shared = vi.spyOn(interner, 'shared')
  interner.intern({ metadata: { annotations: { own, note }, labels: { label } } }, 'a-key')
  expect(shared.mock.calls).toEqual([[label], [note]])
})

it('shares the texts that many objects have, from eleven characters on, which V8 does not share', () => {
  const received = {
    kind: 'SomeKindOfIt',
    apiVersion: 'example.com/v1',
    metadata: {
      name: 'a-name-of-its-own',
      namespace: 'a-namespace',
      labels: { eleven: 'x'.repeat(11), ten: 'x'.repeat(10) },
      annotations: { note: 'a note of some' },
      managedFields: [{ manager: 'kube-controller', apiVersion: 'example.com/v2', operation: 'Update-of-it' }],
    },
    spec: { text: 'a text of its own' },
  }
  const texts = ['SomeKindOfIt', 'example.com/v1', 'a-namespace', 'x'.repeat(11), 'a note of some']
  const managers = ['kube-controller', 'example.com/v2']
  for (const keepsManagers of [false, true]) {
    const interner = new Interner({ keepsManagers, sharesValues: true })
    const shared = vi.spyOn(interner, 'shared')
    interner.intern(structuredClone(received), 'a-key')
    expect(shared.mock.calls.flat()).toEqual(keepsManagers ? [...texts, ...managers] : texts)
  }
})

it('takes objects with malformed metadata', () => {
  const interner = new Interner({ keepsManagers: true, sharesValues: true })
  for (const metadata of [null, undefined, { labels: null, managedFields: 5 }, { labels: 'text', namespace: 7 }]) {
    expect(() => interner.intern({ kind: 5, metadata }, 'a-key')).not.toThrow()
  }
})

it('takes the text of the name from the key, which is kept anyway, and does not change the name', () => {
  const interner = new Interner({ keepsManagers: false, sharesValues: false })
  const metadata = { name: 'a-name-of-its-own', namespace: 'a-namespace' }
  const received = structuredClone({ metadata })
  interner.intern(received, 'a-namespace/a-name-of-its-own')
  expect(received).toEqual({ metadata })
  const clusterWide = { metadata: { name: 'a-name-of-its-own' } }
  interner.intern(clusterWide, 'a-name-of-its-own')
  expect(clusterWide.metadata.name).toBe('a-name-of-its-own')
  expect(() => interner.intern({ metadata: { name: 5 } }, 'a-key')).not.toThrow()
})

it('keeps the labels and annotations of the former state where they are equal, frozen, however long they are', () => {
  const interner = new Interner({ keepsManagers: false, sharesValues: true })
  const make = (app = 'a', note = 'y'.repeat(1000)) => ({
    metadata: { labels: { app }, annotations: { note } },
  })
  const [former, next, others] = [make(), make(), make('b', 'z')]
  for (const object of [next, others]) interner.intern(object, 'a-key', former)
  expect(next).toEqual(make())
  expect([next.metadata.labels, next.metadata.annotations]).toEqual([
    former.metadata.labels,
    former.metadata.annotations,
  ])
  expect(next.metadata.labels).toBe(former.metadata.labels)
  expect(next.metadata.annotations).toBe(former.metadata.annotations)
  expect([former.metadata.labels, former.metadata.annotations].map(Object.isFrozen)).toEqual([true, true])
  expect(others).toEqual(make('b', 'z'))
})

it.each([
  ['one more', { a: 'x' }, { a: 'x', b: 'y' }],
  ['one less', { a: 'x', b: 'y' }, { a: 'x' }],
  ['another value', { a: 'x' }, { a: 'y' }],
  ['another key', { a: 'x' }, { b: 'x' }],
  ['a value that is no text', { a: {} }, { a: {} }],
])('takes no labels of the former state that have %s', (_, labels, former) => {
  const interner = new Interner({ keepsManagers: false, sharesValues: true })
  const object = { metadata: { labels } }
  interner.intern(object, 'a-key', { metadata: { labels: former } })
  expect(object).toEqual({ metadata: { labels } })
  expect(object.metadata.labels).not.toBe(former)
})

it('takes nothing of a former state into what a function of the caller’s makes of it, nor into frozen values', () => {
  const make = () => ({ metadata: { labels: { a: 'x' } } })
  const [former, own, frozen] = [make(), make(), { metadata: Object.freeze(make().metadata) }]
  new Interner({ keepsManagers: false, sharesValues: false }).intern(own, 'a-key', former)
  const interner = new Interner({ keepsManagers: false, sharesValues: true })
  for (const none of [null, 5, { metadata: null }, {}]) interner.intern(make(), 'a-key', none)
  interner.intern(frozen, 'a-key', former)
  expect([own.metadata.labels, frozen.metadata.labels].includes(former.metadata.labels)).toBe(false)
  expect(Object.isFrozen(former.metadata.labels)).toBe(false)
})
