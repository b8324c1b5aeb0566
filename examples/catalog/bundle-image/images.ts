import type { Addition } from '../index/edit.ts'
import { IndexEditError } from '../index/errors.ts'
import { type Env, withRepository } from '../index/registry-access.ts'
import { imageReference } from '../registry/reference.ts'
import { readBundleImage } from './bundle-image.ts'

/** So many images are read at the same time. */
const atOnce = 8

/**
 * Reads the images of bundles, in the order of their names.
 *
 * @throws IndexEditError which has a line for each image that can't be added, and says why
 */
export async function readBundleImages(images: readonly string[], env: Env): Promise<readonly Addition[]> {
  const additions: Addition[] = []
  const failures: string[] = []
  const waiting = images.entries()
  const read = async (): Promise<void> => {
    for (const [at, image] of waiting) {
      try {
        const reference = imageReference(image)
        additions[at] = await withRepository(reference, env, repository => readBundleImage(repository, reference))
      } catch (error) {
        failures.push(`${image}: ${(error as Error).message}`)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, read))
  if (failures.length > 0) throw new IndexEditError(failures.sort().join('\n'))
  return additions
}

/** The images that a file names, one a line. Empty lines and those that begin with `#` say nothing. */
export function imagesIn(text: string): readonly string[] {
  const lines = text.split('\n').map(line => line.trim())
  return lines.filter(line => line !== '' && !line.startsWith('#'))
}
