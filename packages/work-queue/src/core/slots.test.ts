import { describe, expect, it } from 'vitest'
import { LinkedList } from './links.ts'
import { DELAYED, READY, Slots } from './slots.ts'

/** Slots of so many keys that are ready: `0`, `1`, …; and the slot of each. */
function filled(count: number): { slots: Slots<string>; at: number[] } {
  const slots = new Slots<string>()
  const at = Array.from({ length: count }, (_, index) => {
    const slot = slots.obtain(`${index}`)
    slots.flags[slot] = READY
    return slot
  })
  return { slots, at }
}

describe('slots', () => {
  it('C1: a key has one slot as long as it is pending or runs, and no other key has that', () => {
    const { slots, at } = filled(100)
    expect(new Set(at).size).toBe(100)
    for (const [index, slot] of at.entries()) {
      expect([slots.obtain(`${index}`), slots.find(`${index}`), slots.keyOf(slot)]).toEqual([slot, slot, `${index}`])
    }
    expect(slots.find('another')).toBeUndefined()
  })

  it('a new key has no flags, whatever the last one had that the slot was of', () => {
    const { slots, at } = filled(1)
    slots.flags[at[0] as number] = READY | DELAYED
    slots.delete(at[0] as number)
    expect(slots.find('0')).toBeUndefined()
    const again = slots.obtain('new')
    expect([again, slots.flags[again], slots.keyOf(again)]).toEqual([at[0], 0, 'new'])
  })

  it('the state of a key stays when others come, however many', () => {
    const { slots, at } = filled(16)
    const lists = [new LinkedList(slots.line), new LinkedList(slots.age)]
    for (const slot of at) {
      slots.priority[slot] = slot + 0.5
      slots.since[slot] = slot * 2
      slots.run[slot] = slot + 7
      for (const list of lists) list.push(slot)
    }
    const more = slots.obtain('more')
    expect(at).not.toContain(more)
    expect([slots.flags, slots.priority, slots.since, slots.run].map(column => column.length)).toEqual([32, 32, 32, 32])
    const columns = at.map(slot => [slots.flags[slot], slots.priority[slot], slots.since[slot], slots.run[slot]])
    for (const list of lists) {
      list.push(more)
      expect([...at, more].filter(slot => list.after(slot) === -1)).toEqual([more])
      expect(at.every((slot, index) => list.after(slot) === (at[index + 1] ?? more))).toBe(true)
    }
    expect(columns).toEqual(at.map(slot => [READY, slot + 0.5, slot * 2, slot + 7]))
  })

  it('a few of those that are idle keep their slot for when they come back, one to each 32 others', () => {
    const { slots, at } = filled(65)
    slots.delete(at[0] as number)
    slots.delete(at[1] as number)
    expect([slots.find('0'), slots.find('1')]).toEqual([undefined, undefined])
    // 63 others: there is room for one, the one that is idle the shortest.
    expect([slots.keyOf(at[0] as number), slots.keyOf(at[1] as number)]).toEqual([undefined, '1'])
    expect(slots.obtain('another')).toBe(at[0])
    slots.flags[at[0] as number] = READY
    expect(slots.obtain('1')).toBe(at[1])
    slots.flags[at[1] as number] = READY
    // It is idle no more: another one may be.
    slots.delete(at[2] as number)
    expect([slots.keyOf(at[1] as number), slots.keyOf(at[2] as number)]).toEqual(['1', '2'])
  })

  it('slots that are free are used again before there are more', () => {
    const { slots, at } = filled(16)
    for (const slot of at.slice(4, 10)) slots.delete(slot)
    for (let index = 0; index < 6; index++) slots.flags[slots.obtain(`next ${index}`)] = READY
    expect(slots.flags).toHaveLength(16)
    expect(Array.from({ length: 16 }, (_, slot) => slots.keyOf(slot)).filter(key => key === undefined)).toEqual([])
  })

  it('gives the memory of a flood back with its last key, and keeps that of 4096', () => {
    for (const [count, left] of [
      [4097, 16],
      [4096, 4096],
    ] as const) {
      const { slots, at } = filled(count)
      const last = at.pop() as number
      expect(at.map(slot => slots.delete(slot))).not.toContain(true)
      expect(slots.delete(last)).toBe(left === 16)
      expect([slots.flags, slots.priority, slots.since, slots.run].map(({ length }) => length)).toEqual(
        Array(4).fill(left),
      )
      const slot = slots.obtain('new')
      expect([slots.keyOf(slot), slots.flags[slot], slot < left]).toEqual(['new', 0, true])
      expect(slots.obtain('newer')).not.toBe(slot)
    }
  })
})
