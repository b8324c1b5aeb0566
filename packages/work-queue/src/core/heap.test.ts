import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IndexedHeap } from './heap.ts'

/** Everything out of the heap, the least first. */
function drain(heap: IndexedHeap): number[] {
  const ids: number[] = []
  while (heap.size > 0) {
    ids.push(heap.first)
    heap.remove(heap.first)
  }
  return ids
}

it('gives ids by key, of equal keys by tie, whatever is removed in between', () => {
  const action = fc.record({ id: fc.nat({ max: 200 }), key: fc.integer({ min: 0, max: 9 }), remove: fc.boolean() })
  fc.assert(
    fc.property(fc.array(action, { maxLength: 300 }), actions => {
      const heap = new IndexedHeap()
      const model = new Map<number, { id: number; key: number; tie: number }>()
      const sorted = () => [...model.values()].toSorted((a, b) => a.key - b.key || a.tie - b.tie)
      actions.forEach(({ id, key, remove }, tie) => {
        if (model.has(id)) {
          expect(heap.keyOf(id)).toBe(model.get(id)?.key)
          heap.remove(id)
          model.delete(id)
        }
        if (remove) return
        heap.push(id, key, tie)
        model.set(id, { id, key, tie })
        expect([heap.size, heap.first, heap.firstKey]).toEqual([model.size, sorted()[0]?.id, sorted()[0]?.key])
      })
      expect(drain(heap)).toEqual(sorted().map(({ id }) => id))
    }),
  )
})

it('is empty without keys, after a flood and clear too', () => {
  const heap = new IndexedHeap()
  expect([heap.size, heap.first, heap.firstKey]).toEqual([0, -1, Number.POSITIVE_INFINITY])
  for (let id = 0; id < 10_000; id++) heap.push(id, -id)
  expect(drain(heap)).toEqual(Array.from({ length: 10_000 }, (_, i) => 9999 - i))
  expect([heap.size, heap.first, heap.firstKey]).toEqual([0, -1, Number.POSITIVE_INFINITY])
  for (let id = 0; id < 100; id++) heap.push(id, id)
  heap.clear()
  expect([heap.size, heap.first, heap.firstKey]).toEqual([0, -1, Number.POSITIVE_INFINITY])
  heap.push(7, 1)
  heap.push(3, 2)
  expect(drain(heap)).toEqual([7, 3])
})
