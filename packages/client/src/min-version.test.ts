import { describe, expect, it } from 'vitest'
import { hasReached, isDeleted, type MinVersion, raised } from './min-version.ts'

const wrote = (resourceVersion: string, uid = 'a'): MinVersion => ({
  written: { uid, resourceVersion, labels: undefined },
  deleted: [],
})
const deleted = (uid: string): MinVersion => ({ written: undefined, deleted: [uid] })
const after = (...writes: readonly MinVersion[]): MinVersion =>
  writes.reduce((min: MinVersion | undefined, write) => raised(min, write), undefined) as MinVersion

describe('the minimum version of an object', () => {
  it('is that of the newest write, in whichever order the answers come', () => {
    const writes = [wrote('9'), wrote('10'), wrote('11')]
    expect(after(...writes)).toEqual(wrote('11'))
    expect(after(...writes.reverse())).toEqual(wrote('11'))
  })

  it('is that of the last answer if the versions have no order', () => {
    expect(after(wrote('x'), wrote('w'))).toEqual(wrote('w'))
  })

  it('does not fall back to a write of an object that was deleted, and is raised by one of its successor', () => {
    expect(after(wrote('5'), deleted('a'), wrote('4'))).toEqual({ ...wrote('5'), deleted: ['a'] })
    expect(after(deleted('a'), wrote('6', 'b'))).toEqual({ ...wrote('6', 'b'), deleted: ['a'] })
  })

  it('forgets the version of a deleted object if it has no order, since no reader could be seen to reach it', () => {
    expect(after(wrote('x'), deleted('a'))).toEqual(deleted('a'))
  })

  it('remembers the last ten objects that were deleted', () => {
    const uids = Array.from({ length: 12 }, (_, i) => `uid-${i}`)
    expect(after(...uids.map(deleted)).deleted).toEqual(uids.slice(2))
  })
})

describe('a reader', () => {
  const held = (resourceVersion: string | undefined, ...reached: string[]) => ({
    uid: resourceVersion && 'a',
    resourceVersion,
    reached,
  })
  const { written } = wrote('10')

  it.each([
    ['the written state', held('10'), true],
    ['a newer state', held('11'), true],
    ['an older state', held('9'), false],
    ['an older state, and all changes up to a newer one', held('9', '8', '12'), true],
    ['no object, and all changes up to the written state', held(undefined, '10'), true],
    ['no object, and changes up to an older state', held(undefined, '9'), false],
    ['a state without an order', held('x', 'y'), false],
  ])('has reached a write, or not, if it has %s', (_, state, expected) => {
    expect(hasReached(state, written)).toBe(expected)
  })

  it('has reached a write without an order if it has that very version', () => {
    expect(hasReached(held('x'), wrote('x').written)).toBe(true)
  })

  it('has an object that was deleted if it has that very object', () => {
    expect(isDeleted(held('9'), deleted('a'))).toBe(true)
    expect(isDeleted(held('9'), deleted('b'))).toBe(false)
    expect(isDeleted(held(undefined), deleted('a'))).toBe(false)
  })
})
