import { BundleError } from './errors.ts'
import { isOfBundle, Link, shown, withoutLinks } from './links.ts'
import { visitTar } from './tar.ts'

export { BundleError }

export interface ArchiveLimits {
  /** What the layers may unpack to, in bytes, all together. @default 32 MiB */
  readonly maxBytes?: number | undefined
  /** How many entries they may have in the bundle's folders, folders too. Others are bounded by `maxBytes`: each takes 512 bytes. @default 1000 */
  readonly maxEntries?: number | undefined
}

/** An image has no more layers than this: so many an overlay file system can mount. */
export const maxLayers = 127

/** @throws BundleError for more layers than an image may have: each costs time, also an empty one */
export function checkLayers(count: number): void {
  if (count <= maxLayers) return
  throw new BundleError('TooManyLayers', `the bundle has ${count} layers, and may have ${maxLayers}`)
}

/** A file of this name in a layer removes the file of the lower layers that has the name without it. */
const whiteout = '.wh.'
/** A file of this name hides all that lower layers have in its folder. */
const opaque = '.wh..wh..opq'

/**
 * The files of a bundle, by their paths, in memory: those in `manifests` and `metadata` of the layers of an image, the lowest first. Whatever else
 * is in the image is skipped. Nothing is written to a disk. A layer is a tar, plain or compressed by gzip or zstd; an archive `.tar.gz` is one
 * layer. What they unpack to is counted while they are unpacked, so that a small archive of something huge ends early. A link to another file of
 * the bundle is that file.
 *
 * @throws BundleError for links that lead out of the bundle and devices in it, paths that leave the archive, more layers than {@link maxLayers},
 * and archives beyond the limits
 */
export async function readLayers(
  layers: readonly Uint8Array[],
  limits: ArchiveLimits = {},
): Promise<ReadonlyMap<string, Buffer>> {
  checkLayers(layers.length)
  const { maxBytes = 32 << 20, maxEntries = 1000 } = limits
  const left = { bytes: maxBytes, entries: maxEntries }
  const tooLarge = (): BundleError => new BundleError('TooLarge', `the archive unpacks to more than ${maxBytes} bytes`)
  const tooMany = (): BundleError => new BundleError('TooManyFiles', `the archive has more than ${maxEntries} files`)
  const files = new Map<string, Buffer | Link>()
  for (const layer of layers) {
    const own = await filesOf(layer, left, { tooLarge, tooMany })
    hide(files, [...own.keys()].filter(isWhiteout))
    for (const [path, content] of own) if (!isWhiteout(path)) files.set(path, content)
  }
  return withoutLinks(files)
}

interface Left {
  bytes: number
  entries: number
}

async function filesOf(
  bytes: Uint8Array,
  left: Left,
  errors: { readonly tooLarge: () => BundleError; readonly tooMany: () => BundleError },
): Promise<Map<string, Buffer | Link>> {
  const files = new Map<string, Buffer | Link>()
  const count = (unpacked: number): BundleError | undefined => {
    left.bytes -= unpacked
    return left.bytes < 0 ? errors.tooLarge() : undefined
  }
  await visitTar(bytes, count, async ({ name, type, linkname, content }) => {
    const path = checkedPath(name)
    // A whiteout of its root or of a folder of the bundle counts, wherever it is.
    if (!isOfBundle(path) && !isWhiteout(path)) return
    left.entries -= 1
    if (left.entries < 0) throw errors.tooMany()
    if (type === 'file') files.set(path, await content())
    else if (type !== 'directory') {
      const link = Link.of(path, type, linkname)
      // A hard link is to what was there before it in the same layer.
      files.set(path, type === 'link' ? link.followedIn(files) : link)
    }
  }).catch((error: BundleError) => {
    if (error.reason !== 'NotAnArchive') throw error
    throw new BundleError('NotAnArchive', `the bundle has a layer that is ${error.message}`, { cause: error.cause })
  })
  return files
}

/** Removes what the whiteouts of a layer hide from the files of the lower ones. */
function hide(files: Map<string, unknown>, whiteouts: readonly string[]): void {
  const hidden = whiteouts.map(path => {
    const [name, folder] = [nameIn(path), path.slice(0, path.length - nameIn(path).length)]
    return name === opaque ? folder : folder + name.slice(whiteout.length)
  })
  for (const path of files.keys()) {
    if (hidden.some(one => path === one || path.startsWith(one.endsWith('/') || one === '' ? one : `${one}/`))) {
      files.delete(path)
    }
  }
}

function isWhiteout(path: string): boolean {
  return nameIn(path).startsWith(whiteout)
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function checkedPath(name: string): string {
  const parts = name.split('/').filter(part => part !== '' && part !== '.')
  if (name.startsWith('/') || name.includes('\\') || parts.includes('..')) {
    throw new BundleError('UnsafePath', `the path ${shown(name)} leaves the archive`)
  }
  return parts.join('/')
}
