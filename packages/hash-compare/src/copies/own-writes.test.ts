import { expect, it } from 'vitest'
import { OwnWrites } from './own-writes.ts'

it('holds a copy back until the cache shows what was written to it', () => {
  const writes = new OwnWrites()
  writes.wrote('a/x', '12', '10', 0)
  expect(writes.isUnseen('a/x', '11', 1)).toBe(true)
  expect(writes.isUnseen('a/y', '11', 1)).toBe(false)
  writes.saw('a/x', '11')
  expect(writes.isUnseen('a/x', '11', 2)).toBe(true)
  writes.saw('a/x', '12')
  expect(writes.isUnseen('a/x', '11', 3)).toBe(false)
})

it('holds it back no longer once the cache is as new as the write, the copy is gone, or ten seconds have passed', () => {
  const writes = new OwnWrites()
  writes.wrote('a/x', '12', undefined, 0)
  expect(writes.isUnseen('a/x', '13', 1)).toBe(false)
  writes.wrote('a/x', '14', '13', 0)
  writes.gone('a/x')
  expect(writes.isUnseen('a/x', '13', 1)).toBe(false)
  writes.wrote('a/x', '15', '13', 0)
  expect(writes.isUnseen('a/x', '13', 9_999)).toBe(true)
  expect(writes.isUnseen('a/x', '13', 10_000)).toBe(false)
  expect(writes.isUnseen('a/x', '13', 10_001)).toBe(false)
})

it('holds nothing back of which the event came before the answer, or which has no version', () => {
  const writes = new OwnWrites()
  writes.wrote('a/x', '12', '12', 0)
  writes.wrote('a/y', undefined, '12', 0)
  expect([writes.isUnseen('a/x', '11', 1), writes.isUnseen('a/y', '11', 1)]).toEqual([false, false])
})

it('H3: tells what is our own: the state that was written and what is older, until the cache has shown it', () => {
  const writes = new OwnWrites()
  expect(writes.covers('a/x', '11')).toBe(false)
  writes.wrote('a/x', '12', '10', 0)
  expect(['11', '12', '13'].map(version => writes.covers('a/x', version))).toEqual([true, true, false])
  expect(writes.covers('a/y', '12')).toBe(false)
  writes.saw('a/x', '12')
  expect(writes.covers('a/x', '12')).toBe(false)
  writes.wrote('a/x', '14', '12', 0)
  expect(writes.isUnseen('a/x', '12', 10_000)).toBe(false)
  expect(writes.covers('a/x', '14')).toBe(false)
})
