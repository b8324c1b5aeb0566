import { expect, it } from 'vitest'
import type { Bundled, BundleHolder } from './holder.ts'
import { Ownership } from './ownership.ts'

const manager = 'arcade/webhooks'
const deleted = 'was deleted, and is made again'
const changed = 'was changed, and is applied again'

/** A state in which the operator owns this field since then. */
const live = (field: string, time: string): Bundled =>
  ({
    metadata: { name: 'arcade', managedFields: [{ manager, operation: 'Apply', time, fieldsV1: { [field]: {} } }] },
  }) as never

function owned(more: Partial<BundleHolder> = {}, isApplied = true): { ownership: Ownership; warned: string[] } {
  const warned: string[] = []
  const holder = { isOwn: true, ...more } as BundleHolder
  const warn = (message: string): void => void warned.push(message)
  return { ownership: new Ownership({ holder, isApplied, manager, warn }), warned }
}

it('B3: what the operator has applied is to be applied again once somebody deletes it or takes a field away', () => {
  const { ownership, warned } = owned()
  // Nothing is applied yet, so nothing is lost.
  expect([ownership.isApplied, ownership.see(undefined, true, [])]).toEqual([false, undefined])
  ownership.noteApplied(live('a', '1'))
  expect([ownership.see(live('a', '1'), true, []), ownership.isApplied]).toEqual([undefined, true])
  expect([ownership.see(live('b', '1'), true, []), ownership.isApplied]).toEqual([changed, false])
  expect(ownership.see(live('b', '1'), true, [])).toBeUndefined()
  ownership.noteApplied(live('a', '2'))
  // It is said once, and not of what was never there.
  expect(ownership.see(undefined, false, [])).toBeUndefined()
  expect([ownership.see(undefined, true, []), ownership.isApplied]).toEqual([deleted, false])
  ownership.noteApplied(live('a', '3'))
  expect(ownership.see({ metadata: { name: 'arcade' } }, true, [])).toBe(changed)
  expect(warned).toEqual([])
})

it('B3: another version of the operator that applies its own fields is no stranger, and its fields count from then on', () => {
  const { ownership } = owned()
  ownership.noteApplied(live('a', '1'))
  expect(ownership.see(live('b', '2'), true, [])).toBeUndefined()
  expect(ownership.see(live('b', '2'), true, [])).toBeUndefined()
  expect(ownership.see(live('a', '2'), true, [])).toBe(changed)
})

it("B4: another's object is applied again only if that is noted", () => {
  const { ownership, warned } = owned({ isOwn: false })
  ownership.noteApplied(live('a', '1'))
  expect([ownership.see(live('b', '1'), true, []), ownership.isApplied]).toEqual([undefined, true])
  ownership.noteLost()
  expect([ownership.isApplied, warned]).toEqual([false, []])
})

it('B3: says of a manifest which paths are missing or different, each time that they change', () => {
  let differs: string[] = []
  const { ownership, warned } = owned({ differs: () => differs }, false)
  const warnings = (): string[] => warned.splice(0)
  const says = (what: string): string => `is not as the program declares it: ${what}: apply its manifest`
  const state = live('a', '1')
  expect(ownership.isApplied).toBe(true)
  // Readiness names missing paths from the start.
  ownership.see(undefined, false, ['limits'])
  ownership.see(state, false, ['limits'])
  expect(warnings()).toEqual([])
  ownership.see(state, true, [])
  ownership.see(state, true, ['limits', 'owner'])
  ownership.see(state, true, ['limits', 'owner'])
  expect(warnings()).toEqual([says('it has no limits; it has no owner')])
  differs = ['failurePolicy']
  ownership.see(state, true, ['limits'])
  expect(warnings()).toEqual([says('it has no limits; failurePolicy')])
  ownership.see(undefined, true, ['limits'])
  expect(warnings()).toEqual([says('it was deleted')])
  // What differs is said at first sight too.
  ownership.see(state, false, [])
  expect(warnings()).toEqual([says('failurePolicy')])
  differs = []
  ownership.see(state, true, [])
  expect([warnings(), ownership.isApplied]).toEqual([[], true])
})

it('B3: an object has no differences if nobody looks for them', () => {
  const { ownership, warned } = owned({}, false)
  ownership.see(live('a', '1'), true, [])
  expect(warned).toEqual([])
})
