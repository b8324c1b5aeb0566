import { LabelSelector } from '@wherry/client'
import { expect, it } from 'vitest'
import { Entry } from '../entries/entry.ts'
import { byLabel } from './by-label.ts'
import { Indices } from './indices.ts'
import { type Item, item } from './testkit/objects.ts'

const none = new Map<string, Entry<Item>>()

function indices(): Indices<Item> {
  return new Indices<Item>(error => {
    throw error
  })
}

function entry(key: string, version: number): Entry<Item> {
  return new Entry<Item>(
    { key, uid: key, resourceVersion: `${version}` },
    item(key, version, { labels: { app: 'web' } }),
    100,
  )
}

it('R35: says that there is none until one is added, or a namespace is asked for', () => {
  const [named, byNamespace] = [indices(), indices()]
  expect([named.isEmpty, byNamespace.isEmpty]).toEqual([true, true])
  named.add('app', byLabel('app'), none.values())
  expect([...byNamespace.within('a', none)]).toEqual([])
  expect([named.isEmpty, byNamespace.isEmpty]).toEqual([false, false])
})

it('lets go of all that it has when it is cleared', () => {
  const all = indices()
  const one = entry('a/x', 1)
  all.add('app', byLabel('app'), [one])
  expect([...all.within('a', new Map([[one.key, one]]))]).toEqual([one])
  const web = LabelSelector.of({ app: 'web' })
  expect([...(all.selected(web) ?? [])]).toEqual([one])
  all.clear()
  expect([all.isEmpty, all.selected(web), [...all.within('a', none)]]).toEqual([true, undefined, []])
})

it('R35: removes a bucket when its last entry goes, or has another value', () => {
  const all = indices()
  const [x, y] = [entry('a/x', 1), entry('b/y', 2)]
  all.add('key', ({ metadata }) => [`is ${metadata?.name}`, 'any'], [x, y])
  expect([...all.within('a', new Map([[x.key, x]]))]).toEqual([x])
  const there = (value: string): boolean => all.under('key', value) instanceof Set
  expect(['is x', 'is y', 'any'].map(there)).toEqual([true, true, true])
  all.remove(x)
  expect(['is x', 'is y', 'any'].map(there)).toEqual([false, true, true])
  expect(all.within('a', none)).toEqual([])
  Object.assign(y, { value: item('b/z', 3) })
  all.put(y)
  expect(['is y', 'is z'].map(there)).toEqual([false, true])
  all.remove(y)
  expect(['is z', 'any'].map(there)).toEqual([false, false])
})
