import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Responder } from '../responder.ts'
import { ChunkWriter } from './chunk-writer.ts'

/** Sizes around those at which a text is joined to its neighbours, and at which a chunk is sent. */
const size = fc.oneof(
  fc.integer({ min: 1, max: 10_000 }),
  fc.integer({ min: 4090, max: 4100 }),
  fc.integer({ min: 262_100, max: 262_200 }),
  fc.integer({ min: 1, max: 700_000 }),
)
const pieces = fc.array(fc.record({ size, isObject: fc.boolean() }), { minLength: 1, maxLength: 8 })

it('F3: the bytes of objects are counted with the chunk that holds them, however large the objects are', () => {
  fc.assert(
    fc.property(pieces, given => {
      const sent: { readonly text: string; readonly objectBytes: number }[] = []
      const send = (chunk: Buffer, objectBytes: number): boolean => {
        sent.push({ text: chunk.toString('latin1'), objectBytes })
        return true
      }
      const writer = new ChunkWriter({ over: false, send, end: () => {} } as unknown as Responder)
      for (const { size, isObject } of given) {
        if (isObject) writer.object('o'.repeat(size), '<', '>')
        else writer.plain('p'.repeat(size))
      }
      writer.end()
      for (const { text, objectBytes } of sent) expect(objectBytes).toBe(text.replace(/[^o]/g, '').length)
      const whole = given.map(({ size, isObject }) => (isObject ? `<${'o'.repeat(size)}>` : 'p'.repeat(size)))
      expect(sent.map(({ text }) => text).join('')).toBe(whole.join(''))
    }),
    { numRuns: 50 },
  )
})
