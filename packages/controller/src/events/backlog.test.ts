import { expect, it } from 'vitest'
import { Backlog } from './backlog.ts'
import type { Series } from './series.ts'

const series = (namespace: string, key: string) => ({ namespace, key }) as Series

function filled(most: number, ...keys: string[]): Backlog {
  const backlog = new Backlog(most)
  for (const key of keys) backlog.add(series(key.slice(0, 1), key))
  return backlog
}

function room(backlog: Backlog, namespace: string): string {
  const dropped: string[] = []
  const fits = backlog.makeRoom(namespace, ({ key }) => dropped.push(key))
  return [fits ? 'fits' : 'full', ...dropped].join(' ')
}

it('C9: has room until as many wait as may', () => {
  const backlog = filled(3, 'a1', 'a2')
  expect(room(backlog, 'a')).toBe('fits')
  backlog.add(series('a', 'a3'))
  expect([room(backlog, 'a'), backlog.size]).toEqual(['full', 3])
})

it('C9: takes the room of one namespace for another of which fewer wait, but that of its first', () => {
  const backlog = filled(5, 'a1', 'a2', 'a3', 'b1', 'c1')
  expect(room(backlog, 'b')).toBe('fits a2')
  backlog.add(series('b', 'b2'))
  expect([backlog.first('a')?.key, backlog.size]).toEqual(['a1', 5])
  expect([room(backlog, 'b'), room(backlog, 'c')]).toEqual(['full', 'fits a3'])
})

it('C9: takes nobody’s room where one waits of each', () => {
  expect(room(filled(2, 'a1', 'b1'), 'c')).toBe('full')
})

it('C9: knows what waits where, and forgets what is sent', () => {
  const backlog = filled(9, 'a1', 'a2', 'b1')
  backlog.add(series('a', 'a1'))
  expect([backlog.size, backlog.first('a')?.key, backlog.get('a', 'a1')?.key]).toEqual([3, 'a2', 'a1'])
  for (const key of ['a1', 'a2', 'a2']) backlog.remove(series('a', key))
  expect([backlog.size, backlog.isEmpty('a'), backlog.namespaces]).toEqual([1, true, ['b']])
})
