import { readFile, stat } from 'node:fs/promises'
import { posix } from 'node:path'
import { BundleError } from '@wherry/example-bundles/archive'
import { visitTar } from '@wherry/example-bundles/tar'
import type { ReadImage } from './bundle-image.ts'
import { InvalidBundleImageError } from './errors.ts'

/** The archive of a larger image is refused: its layers are not compressed, and a bundle is small. */
const maxArchiveBytes = 64 << 20

/**
 * Reads the only image of an archive that `docker save` or `podman save` wrote. It has no digest: a registry gives one to a pushed image, since its layers
 * are compressed then.
 *
 * @throws InvalidBundleImageError which names the archive
 */
export async function readDockerArchive(path: string): Promise<ReadImage> {
  const refused = (why: string): InvalidBundleImageError => new InvalidBundleImageError(`${path} ${why}`)
  const tooLarge = `has more than ${maxArchiveBytes} bytes`
  if ((await stat(path)).size > maxArchiveBytes) throw refused(tooLarge)
  const files = await filesOf(await readFile(path), new BundleError('TooLarge', `${path} ${tooLarge}`))
  const images = manifestIn(files.get('manifest.json'))
  const [image, ...more] = images ?? []
  if (image === undefined) throw refused('is no archive of an image: it has no manifest.json')
  if (more.length > 0) throw refused(`has ${images?.length} images: save the bundle alone`)
  const file = (name: string): Buffer => {
    const content = files.get(name)
    if (content === undefined) throw refused(`lacks ${name}, which its manifest.json names`)
    return content
  }
  return { digest: undefined, config: file(image.Config), layers: image.Layers.map(file) }
}

/** All files. A layer that is there twice may be a link to the other one. */
async function filesOf(archive: Buffer, tooLarge: BundleError): Promise<ReadonlyMap<string, Buffer>> {
  let left = maxArchiveBytes
  const files = new Map<string, Buffer>()
  const links: [path: string, target: string][] = []
  const count = (unpacked: number): BundleError | undefined => {
    left -= unpacked
    return left < 0 ? tooLarge : undefined
  }
  await visitTar(archive, count, async ({ name, type, linkname, content }) => {
    const path = posix.normalize(name)
    if (type === 'file') files.set(path, await content())
    if (type === 'link') links.push([path, posix.normalize(linkname)])
    if (type === 'symlink') links.push([path, posix.join(posix.dirname(path), linkname)])
  })
  for (const [path, target] of links) {
    const content = files.get(target)
    if (content !== undefined) files.set(path, content)
  }
  return files
}

interface DockerImage {
  readonly Config: string
  readonly Layers: readonly string[]
}

function manifestIn(file: Buffer | undefined): readonly DockerImage[] | undefined {
  try {
    const found = JSON.parse(`${file}`) as readonly Partial<DockerImage>[]
    const isImage = (one: Partial<DockerImage> | null): boolean =>
      typeof one?.Config === 'string' &&
      Array.isArray(one.Layers) &&
      one.Layers.every(layer => typeof layer === 'string')
    return Array.isArray(found) && found.every(isImage) ? (found as readonly DockerImage[]) : undefined
  } catch {
    return undefined
  }
}
