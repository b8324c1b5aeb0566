import { expect, it } from 'vitest'
import { Fixpoints } from './fixpoints.ts'

it('H6: have one answer for all copies, and own ones for those that differ', () => {
  const fixpoints = new Fixpoints(8)
  expect(fixpoints.knows('spec', 'w')).toBe(false)
  expect(fixpoints.accepts('spec', 'w', 'a', 'x/1')).toBe(false)
  fixpoints.learn('spec', 'w', 'a', 'x/1')
  fixpoints.learn('spec', 'w', 'b', 'x/2')
  const accepts = (held: string | undefined, copy: string) => fixpoints.accepts('spec', 'w', held, copy)
  expect([accepts('a', 'x/1'), accepts('a', 'x/2'), accepts('b', 'x/2'), accepts('b', 'x/1')]).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(accepts(undefined, 'x/3')).toBe(false)
  fixpoints.learn('spec', 'w', undefined, 'x/3')
  expect(accepts(undefined, 'x/3')).toBe(true)
  fixpoints.forget('x/2')
  expect(accepts('b', 'x/2')).toBe(false)
  expect([
    fixpoints.wasWanted('spec', 'w'),
    fixpoints.wasWanted('spec', 'a'),
    fixpoints.wasWanted('status', 'a'),
  ]).toEqual([true, true, false])
  fixpoints.learn('spec', 'w', 'a', 'x/3')
  expect(accepts(undefined, 'x/3')).toBe(false)
})

it('forget the desired part that was used the longest ago', () => {
  const fixpoints = new Fixpoints(2)
  fixpoints.learn('spec', 'a', 'A', 'x')
  fixpoints.learn('spec', 'b', 'B', 'x')
  expect(fixpoints.accepts('spec', 'a', 'A', 'x')).toBe(true)
  fixpoints.learn('spec', 'c', 'C', 'x')
  expect(['a', 'b', 'c'].filter(part => fixpoints.knows('spec', part))).toEqual(['a', 'c'])
})

it('H6: the oldest desired part goes also where only one is known at once', () => {
  const fixpoints = new Fixpoints(1)
  fixpoints.learn('spec', 'a', 'A', 'x')
  fixpoints.learn('spec', 'b', 'B', 'x')
  expect(['a', 'b'].filter(part => fixpoints.knows('spec', part))).toEqual(['b'])
})

it('H6: a part that was made of what was desired of one copy was desired, too, until that copy is gone', () => {
  const fixpoints = new Fixpoints(8)
  fixpoints.learn('spec', 'w', 'a', 'x/1')
  fixpoints.learn('status', 'w', 'b', 'x/1')
  fixpoints.learn('status', 'w', 'c', 'x/2')
  expect(fixpoints.wasWanted('status', 'c')).toBe(true)
  expect(fixpoints.wasWanted('spec', 'c')).toBe(false)
  fixpoints.forget('x/2')
  expect(fixpoints.wasWanted('status', 'c')).toBe(false)
})

it('H6: nothing left of a part is an answer of its own', () => {
  const fixpoints = new Fixpoints(8)
  fixpoints.learn('spec', 'w', 'a', 'x/1')
  expect(fixpoints.accepts('spec', 'w', undefined, 'x/1')).toBe(false)
  expect(fixpoints.wasWanted('spec', undefined)).toBe(false)
  fixpoints.learn('status', 'w', undefined, 'x/1')
  expect(fixpoints.accepts('status', 'w', undefined, 'x/2')).toBe(true)
  expect(fixpoints.wasWanted('status', undefined)).toBe(true)
})

it('H6: a digest was desired as long as it is the answer for some copy, or to some desired part that is known', () => {
  const fixpoints = new Fixpoints(2)
  fixpoints.learn('spec', 'w', 'common', 'x/1')
  fixpoints.learn('spec', 'w', 'own', 'x/2')
  fixpoints.learn('spec', 'w', 'own', 'x/3')
  const was = (held: string) => fixpoints.wasWanted('spec', held)
  fixpoints.forget('x/1')
  fixpoints.forget('x/2')
  expect([was('common'), was('own')]).toEqual([true, true])
  fixpoints.learn('spec', 'w', 'common', 'x/3')
  expect([was('common'), was('own')]).toEqual([true, false])
  fixpoints.learn('spec', 'w', 'own', 'x/4')
  fixpoints.learn('spec', 'w', 'other', 'x/4')
  expect([was('own'), was('other')]).toEqual([false, true])
  // Both of the newer ones have the same answer.
  fixpoints.learn('spec', 'v', 'common', 'x/1')
  fixpoints.learn('spec', 'u', 'u', 'x/1')
  expect([was('w'), was('other'), was('common'), was('v'), was('u')]).toEqual([false, false, true, true, true])
  fixpoints.learn('spec', 't', 't', 'x/1')
  expect([was('common'), was('v')]).toEqual([false, false])
})

it('H6: a copy that is gone is forgotten in every part that it had an answer of its own of', () => {
  const fixpoints = new Fixpoints(8)
  for (const part of ['spec', 'status']) {
    fixpoints.learn(part, 'w', 'a', 'x/1')
    fixpoints.learn(part, 'w', 'b', 'x/2')
    fixpoints.learn(part, 'w', 'b', 'x/2')
  }
  fixpoints.learn('status', 'w', 'a', 'x/2')
  fixpoints.forget('x/2')
  expect(['spec', 'status'].map(part => fixpoints.accepts(part, 'w', 'b', 'x/2'))).toEqual([false, false])
  expect(['spec', 'status'].map(part => fixpoints.wasWanted(part, 'b'))).toEqual([false, false])
  expect(['spec', 'status'].map(part => fixpoints.accepts(part, 'w', 'a', 'x/1'))).toEqual([true, true])
})
