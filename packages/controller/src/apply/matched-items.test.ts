import { growth } from '@wherry/testing/testkit/growth'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fieldOf } from './field-of.ts'
import type { FieldsV1 } from './fields-v1.ts'
import { matchedItems } from './matched-items.ts'

/** The same in the fewest words: each path looks through the whole list. */
function simplyMatched(fields: FieldsV1, list: readonly unknown[]): Map<number, string> {
  const found = new Map<number, string>()
  const take = (path: string, isMeant: (item: unknown) => boolean): boolean => {
    const index = list.findIndex((item, at) => !found.has(at) && isMeant(item))
    if (index >= 0) found.set(index, path)
    return index >= 0
  }
  const left: [string, [string, unknown][]][] = []
  for (const path in fields) {
    if (path.startsWith('v:'))
      take(
        path,
        item => typeof item !== 'object' && path.slice(2) === (typeof item === 'string' ? `"${item}"` : `${item}`),
      )
    if (path.startsWith('i:')) found.set(Number(path.slice(2)), path)
    if (!path.startsWith('k:')) continue
    const keys = Object.entries(JSON.parse(path.slice(2)) as object) as [string, unknown][]
    if (!take(path, item => keys.every(([name, value]) => fieldOf(item, name) === value))) left.push([path, keys])
  }
  for (const [path, keys] of left) {
    take(path, item => {
      const has = keys.map(([name, value]) => [fieldOf(item, name), value])
      return (
        has.some(([held]) => held !== undefined) && has.every(([held, value]) => held === undefined || held === value)
      )
    })
  }
  return found
}

it('A2: finds for each path the item that it means, as a search of the whole list for each of them does', () => {
  const value = fc.constantFrom<unknown>('a', 'b', 80, true, null, 9n, {}, ['a'])
  const item = fc.oneof(
    fc.record({ name: value, port: value, protocol: value, other: value }, { requiredKeys: [] }),
    fc.constantFrom<unknown>('a', 'b', 1, true, 9007199254740993n),
  )
  const scalar = fc.constantFrom<unknown>('a', 'b', 80, true)
  const path = fc.oneof(
    fc.record({ name: scalar }).map(keys => `k:${JSON.stringify(keys)}`),
    fc.record({ port: scalar, protocol: scalar }).map(keys => `k:${JSON.stringify(keys)}`),
    fc.record({ name: scalar, port: scalar, protocol: scalar }).map(keys => `k:${JSON.stringify(keys)}`),
    fc.constantFrom('v:"a"', 'v:"b"', 'v:1', 'v:true', 'v:9007199254740993', 'i:0', 'i:7', '.', 'f:name'),
  )
  fc.assert(
    fc.property(fc.array(path, { maxLength: 8 }), fc.array(item, { maxLength: 8 }), (paths, list) => {
      const fields = Object.fromEntries(paths.map(one => [one, {}]))
      const text = (found: Map<number, string>): string => JSON.stringify([...found].sort())
      expect(text(matchedItems(fields, list))).toBe(text(simplyMatched(fields, list)))
    }),
    { numRuns: 3000 },
  )
})

it.each<[what: string, make: (size: number) => [paths: string[], list: unknown[]]]>([
  ['values of a set', size => [numbers(size).map(i => `v:"${i}"`), numbers(size).map(String)]],
  ['values that are not there', size => [numbers(size).map(i => `v:"x${i}"`), numbers(size).map(String)]],
  ['one value, over and over', size => [numbers(size).map(i => `v:"${i}"`), numbers(size).map(() => 'a')]],
  ['items by name', size => [numbers(size).map(i => `k:{"name":"${i}"}`), numbers(size).map(i => ({ name: `${i}` }))]],
  [
    'items that lack a key',
    size => [
      numbers(size).map(i => `k:{"port":${i},"protocol":"TCP"}`),
      numbers(size).map(i => ({ port: i, ...(i % 2 === 0 && { protocol: 'UDP' }) })),
    ],
  ],
  [
    'paths of other keys each',
    size => [numbers(size).map(i => `k:{"n${i}":1}`), numbers(size).map(i => ({ [`n${i}`]: 1 }))],
  ],
  [
    'items that lack other keys each',
    size => [
      numbers(size).map(i => `k:{"a":${i},"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1}`),
      numbers(size).map(i =>
        Object.fromEntries([...'abcdefgh'].filter((_, at) => (i >> at) % 2 === 0).map(n => [n, 1])),
      ),
    ],
  ],
])('X13: takes time that grows with the size and not with its square: %s', (_, make) => {
  const made = new Map([500, 20_000].map(size => [size, make(size)]))
  const match = (size: number): void => {
    const [paths = [], list = []] = made.get(size) ?? []
    matchedItems(Object.fromEntries(paths.map(path => [path, {}])), list)
  }
  expect(growth([500, 20_000], match)).toBeLessThan(250)
})

function numbers(size: number): number[] {
  return Array.from({ length: size }, (_, i) => i)
}
