import { Readable, type Transform } from 'node:stream'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'
import { extract } from 'tar-stream'
import { BundleError } from './errors.ts'

/** An entry of a tar. */
export interface TarEntry {
  readonly name: string
  /** `file`, `directory`, `symlink`, `link`, or what else tar knows. */
  readonly type: string
  /** What a `symlink` or `link` leads to. */
  readonly linkname: string
  /** Reads it whole. An entry that is not read is skipped. */
  content(): Promise<Buffer>
}

/**
 * Visits the entries of a tar, plain or compressed by gzip or zstd, one after the other.
 *
 * @param count gets the size of each piece that is unpacked. An error that it returns ends the visit
 * @throws BundleError that `count` or `visit` give, and one with the reason NotAnArchive for bytes that are no tar
 */
export async function visitTar(
  bytes: Uint8Array,
  count: (unpacked: number) => BundleError | undefined,
  visit: (entry: TarEntry) => Promise<void>,
): Promise<void> {
  const tar = extract()
  const unpacked = decompressed(bytes)
  unpacked.on('data', (chunk: Buffer) => {
    const error = count(chunk.length)
    if (error !== undefined) tar.destroy(error)
  })
  unpacked.on('error', error => tar.destroy(error))
  unpacked.pipe(tar)
  try {
    for await (const entry of tar) {
      const { name, type, linkname } = entry.header
      const content = (): Promise<Buffer> => contentOf(entry as AsyncIterable<Uint8Array>)
      await visit({ name, type: type === 'contiguous-file' ? 'file' : `${type}`, linkname: linkname ?? '', content })
      // Does nothing for one that was read.
      entry.resume()
    }
  } catch (error) {
    if (error instanceof BundleError) throw error
    const message = `no tar, plain or compressed by gzip or zstd: ${(error as Error).message}`
    throw new BundleError('NotAnArchive', message, { cause: error })
  } finally {
    unpacked.destroy()
    tar.destroy()
  }
}

/** What bytes unpack to. The first ones say how they are compressed: media types are sometimes wrong. */
function decompressed(bytes: Uint8Array): Readable | Transform {
  const packed = Readable.from([bytes])
  const begins = (...start: number[]): boolean => start.every((byte, at) => bytes[at] === byte)
  if (begins(0x1f, 0x8b)) return packed.pipe(createGunzip())
  if (!begins(0x28, 0xb5, 0x2f, 0xfd)) return packed
  // Otherwise a frame of a few bytes may ask for a window of 128 MiB.
  return packed.pipe(createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 25 } }))
}

async function contentOf(entry: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of entry) parts.push(part)
  return Buffer.concat(parts)
}
