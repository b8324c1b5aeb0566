import { constants, gunzipSync, inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gzipMember } from './gzip-member.ts'

describe('a piece of a compressed stream', () => {
  it('is a gzip member: any number of them are one file', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 3000 }), { minLength: 1 }), pieces => {
        const file = Buffer.concat(pieces.map(gzipMember))
        expect(gunzipSync(file)).toEqual(Buffer.concat(pieces))
      }),
    )
  })

  it('has all of its data before the block that ends it, for readers that wait there for the next piece', () => {
    for (const text of ['', 'x', '{"type":"ADDED"}\n'.repeat(1000)]) {
      const member = gzipMember(Buffer.from(text))
      // Without header, last block and trailer.
      const data = member.subarray(10, -13)
      expect(inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH }).toString()).toBe(text)
      expect(data.subarray(-4).toString('hex')).toBe('0000ffff')
      expect(member.subarray(-13, -8).toString('hex')).toBe('010000ffff')
    }
  })
})
