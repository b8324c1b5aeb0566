import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { BundleError } from './errors.ts'

export interface ArchiveLimits {
  /** What the archive may unpack to, in bytes. @default 32 MiB */
  readonly maxBytes?: number | undefined
  /** How many entries it may have, folders too. @default 1000 */
  readonly maxEntries?: number | undefined
}

/**
 * The regular files of a `.tar.gz`, by their paths, in memory: nothing is written to a disk. What it unpacks to is counted while it is
 * unpacked, so that a small archive of something huge ends early.
 *
 * @throws BundleError for links, devices, paths that leave the archive, and what is more than the limits allow
 */
export async function readArchive(bytes: Uint8Array, limits: ArchiveLimits = {}): Promise<ReadonlyMap<string, Buffer>> {
  const { maxBytes = 32 << 20, maxEntries = 1000 } = limits
  const files = new Map<string, Buffer>()
  const tar = extract()
  const unpacked = Readable.from([bytes]).pipe(createGunzip())
  let total = 0
  unpacked.on('data', (chunk: Buffer) => {
    total += chunk.length
    if (total > maxBytes) tar.destroy(new BundleError('TooLarge', `the archive unpacks to more than ${maxBytes} bytes`))
  })
  unpacked.on('error', error => tar.destroy(error))
  unpacked.pipe(tar)
  let entries = 0
  try {
    for await (const entry of tar) {
      const { name, type } = entry.header
      entries += 1
      if (entries > maxEntries) throw new BundleError('TooManyFiles', `the archive has more than ${maxEntries} files`)
      const path = checkedPath(name)
      if (type === 'file') files.set(path, await contentOf(entry as AsyncIterable<Uint8Array>))
      else if (type === 'directory') entry.resume()
      else throw new BundleError('LinkInArchive', `${shown(name)} is a ${type}: only files and folders are unpacked`)
    }
  } catch (error) {
    if (error instanceof BundleError) throw error
    throw new BundleError('NotAnArchive', `the bundle is no .tar.gz: ${(error as Error).message}`, { cause: error })
  } finally {
    unpacked.destroy()
    tar.destroy()
  }
  return files
}

async function contentOf(entry: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of entry) parts.push(part)
  return Buffer.concat(parts)
}

function checkedPath(name: string): string {
  const parts = name.split('/').filter(part => part !== '' && part !== '.')
  if (name.startsWith('/') || name.includes('\\') || parts.includes('..')) {
    throw new BundleError('UnsafePath', `the path ${shown(name)} leaves the archive`)
  }
  return parts.join('/')
}

function shown(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
}
