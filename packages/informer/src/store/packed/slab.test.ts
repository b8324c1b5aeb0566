import { chance, choose, forEachSeed, integer, seededRandom } from '@wherry/testing'
import { expect, it } from 'vitest'
import { Slab } from './slab.ts'

function read(slab: Slab, handle: number, length: number): string {
  slab.find(handle)
  return slab.bytes.toString('latin1', slab.at, slab.at + length)
}

it('T5: has what was written until it is let go of, in at most about twice the room, however it came and went', async () => {
  await forEachSeed(
    seed => {
      const random = seededRandom(seed)
      const slab = new Slab()
      const held = new Map<number, string>()
      const gone: number[] = []
      const longest = choose(random, [20, 200, 3000, 100_000])
      for (let round = 0; round < 6; round++) {
        const grows = chance(random, 0.5)
        for (let step = 0; step < 150; step++) {
          if (held.size === 0 || chance(random, grows ? 0.7 : 0.3)) {
            const text = `${step}`.repeat(integer(random, 0, longest) >> 2)
            const handle = slab.write(Buffer.from(text, 'latin1'))
            expect(held.has(handle)).toBe(false)
            held.set(handle, text)
          } else {
            const handle = choose(random, [...held.keys()])
            slab.free(handle)
            held.delete(handle)
            gone.push(handle)
          }
        }
        let used = 0
        for (const [handle, text] of held) {
          expect(read(slab, handle, text.length)).toBe(text)
          used += text.length + 8
        }
        expect([slab.size, slab.usedBytes]).toEqual([held.size, used])
        expect(slab.allocatedBytes).toBeLessThan(2 * used + 300_000)
      }
      for (const handle of gone.slice(-20)) {
        if (!held.has(handle)) expect(() => slab.find(handle)).toThrow('let go of')
      }
      for (const handle of held.keys()) slab.free(handle)
      // Of a slot its generation stays: a byte.
      expect([slab.size, slab.usedBytes, slab.allocatedBytes]).toEqual([0, 0, expect.toSatisfy(n => n < 1000)])
    },
    { seeds: 60 },
  )
})

it('T5: gives buffers back though one value in ten stays in each', () => {
  const slab = new Slab()
  const text = Buffer.alloc(100, 'x')
  const handles = Array.from({ length: 20_000 }, () => slab.write(text))
  const full = slab.allocatedBytes
  for (const [index, handle] of handles.entries()) if (index % 10 > 0) slab.free(handle)
  // The table of slots stays: nine bytes each.
  expect(slab.allocatedBytes).toBeLessThan(full / 3)
  expect(read(slab, handles[19_990] as number, 100)).toBe('x'.repeat(100))
})

it('T5: keeps a large value in a buffer of its own, which goes with it', () => {
  const slab = new Slab()
  slab.write(Buffer.from('small'))
  const before = slab.allocatedBytes
  const large = slab.write(Buffer.alloc(1_000_000, 'y'))
  const [withIt, small] = [slab.allocatedBytes, slab.write(Buffer.from('another'))]
  expect([withIt - before, slab.allocatedBytes]).toEqual([1_000_008, withIt])
  expect(read(slab, large, 1_000_000)).toBe('y'.repeat(1_000_000))
  slab.free(large)
  expect([slab.allocatedBytes, read(slab, small, 7)]).toEqual([before, 'another'])
})

it('T5: gives a buffer back that nothing is left in when the next value needs a larger one', () => {
  const slab = new Slab()
  slab.write(Buffer.alloc(70_000))
  slab.free(slab.write(Buffer.from('small')))
  const before = slab.allocatedBytes
  slab.write(Buffer.alloc(60_000))
  expect(slab.allocatedBytes).toBeLessThan(before + 60_008)
})

it('T5: takes little for a few values', () => {
  const slab = new Slab()
  for (let value = 0; value < 20; value++) slab.write(Buffer.alloc(50))
  expect(slab.allocatedBytes).toBeLessThan(8192)
})

it('T5: tells the handle of what was let go of from that of what is in its place', () => {
  const slab = new Slab()
  slab.write(Buffer.from('other'))
  const handles = [slab.write(Buffer.from('0'))]
  for (let count = 1; count < 20; count++) {
    slab.free(handles.at(-1) as number)
    handles.push(slab.write(Buffer.from(`${count}`)))
  }
  for (const handle of handles.slice(0, -1)) expect(() => slab.find(handle)).toThrow('let go of')
  expect([read(slab, handles.at(-1) as number, 2), slab.size]).toEqual(['19', 2])
})

it('T5: does so where nothing was left in between', () => {
  const slab = new Slab()
  const handles: number[] = []
  for (let count = 0; count < 20; count++) {
    handles.push(slab.write(Buffer.from(`${count}`)))
    for (const handle of handles.slice(0, -1)) expect(() => slab.find(handle)).toThrow('let go of')
    slab.free(handles.at(-1) as number)
  }
})
