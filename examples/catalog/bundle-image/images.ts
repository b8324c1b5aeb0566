import type { Addition } from '../index/edit.ts'
import { IndexEditError } from '../index/errors.ts'
import { type Env, withRepository } from '../index/registry-access.ts'
import { imageName, imageReference } from '../registry/reference.ts'
import { isDigest } from '../registry/verified.ts'
import { bundleIn, type ReadImage, readImage } from './bundle-image.ts'
import { readDockerArchive } from './docker-archive.ts'
import { InvalidBundleImageError } from './errors.ts'
import { OciLayout } from './oci-layout.ts'

/** So many images are read at the same time. */
const atOnce = 8

/** An image to add to an index. */
export interface ImageToAdd {
  /** `REGISTRY/REPOSITORY:TAG` or `@sha256:…`, `oci:FOLDER:TAG`, or `docker-archive:FILE`. */
  readonly image: string
  /** Where the catalog gets it from: `REGISTRY/REPOSITORY`, also with a digest. @default the image */
  readonly as?: string | undefined
}

/**
 * Reads the images of bundles, in the order of their names.
 *
 * @throws IndexEditError which has a line for each image that can't be added, and says why
 */
export async function readBundleImages(images: readonly ImageToAdd[], env: Env): Promise<readonly Addition[]> {
  const additions: Addition[] = []
  const failures: string[] = []
  const waiting = images.entries()
  const read = async (): Promise<void> => {
    for (const [at, one] of waiting) {
      try {
        additions[at] = await readBundle(one, env)
      } catch (error) {
        failures.push(`${one.image}: ${(error as Error).message}`)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, read))
  if (failures.length > 0) throw new IndexEditError(failures.sort().join('\n'))
  return additions
}

/** The images that a file names, one a line, each with the name to add it under, if it has another one. Empty lines and those that begin with `#` say nothing. */
export function imagesIn(text: string): readonly ImageToAdd[] {
  const lines = text.split('\n').map(line => line.trim())
  return lines
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const [image = '', as, ...more] = line.split(/\s+/)
      if (more.length > 0) throw new IndexEditError(`${JSON.stringify(line)} is more than an image and its name`)
      return { image, as }
    })
}

/** Whether a text names an image on disk. */
export function isOnDisk(image: string): boolean {
  return image.startsWith('oci:') || image.startsWith('docker-archive:')
}

async function readBundle({ image, as }: ImageToAdd, env: Env): Promise<Addition> {
  const name = as ?? (isOnDisk(image) ? undefined : image)
  if (name === undefined) {
    throw new InvalidBundleImageError('it needs the name that it has in its registry: --as, or after it on its line')
  }
  const target = imageReference(name)
  if (as !== undefined && !isDigest(target.reference) && /:[^/@]*$/.test(as)) {
    throw new InvalidBundleImageError(`${as} has a tag: a release is found by its digest, so leave the tag out`)
  }
  const expected = as !== undefined && isDigest(target.reference) ? target.reference : undefined
  const found = await read(image, env)
  const digest = found.digest ?? expected
  if (digest === undefined) {
    throw new InvalidBundleImageError(`such an archive has no digest: name the one that ${name} has, ${name}@sha256:…`)
  }
  if (expected !== undefined && digest !== expected) {
    throw new InvalidBundleImageError(`it has the digest ${digest}, and not that of ${name}`)
  }
  return bundleIn(found, { digest, image: imageName(target) })
}

async function read(image: string, env: Env): Promise<ReadImage> {
  if (image.startsWith('docker-archive:')) return readDockerArchive(image.slice('docker-archive:'.length))
  if (!image.startsWith('oci:')) {
    const reference = imageReference(image)
    return withRepository(reference, env, repository => readImage(repository, reference.reference))
  }
  const [, folder = '', tag = ''] = /^oci:(.*?)(?::([^/:]+))?$/.exec(image) ?? []
  return readImage(new OciLayout(folder), tag)
}
