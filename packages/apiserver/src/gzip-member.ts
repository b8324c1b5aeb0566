import { constants, crc32, deflateRawSync } from 'node:zlib'

/** No name, no time; compressed for speed, on an unknown system. */
const header = Buffer.from('1f8b08000000000004ff', 'hex')
/** The last block of a deflate stream, which is empty. */
const lastBlock = Buffer.from('010000ffff', 'hex')

/**
 * Encodes a piece of a stream as a gzip member of its own, as the API server does: all data is flushed before the block that ends the member. Readers like Go's
 * look for the next member as soon as they see the end of a member. Without the flush they would return the data before that end only when the next piece has
 * arrived.
 */
export function gzipMember(piece: Uint8Array): Buffer {
  const data = deflateRawSync(piece, { level: 1, finishFlush: constants.Z_SYNC_FLUSH })
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(piece), 0)
  trailer.writeUInt32LE(piece.length % 2 ** 32, 4)
  return Buffer.concat([header, data, lastBlock, trailer])
}
