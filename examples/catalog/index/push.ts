import { readFile } from 'node:fs/promises'
import { indexType } from '../catalog.ts'
import { imageName, imageReference } from '../registry/reference.ts'
import { CatalogIndex } from './catalog-index.ts'
import { IndexEditError } from './errors.ts'
import { type Env, withRepository } from './registry-access.ts'

/** Pushes the index in a file to a tag of a repository. Gives the image by its digest. */
export async function pushIndex(file: string, image: string, env: Env): Promise<string> {
  const target = imageReference(image)
  const { reference: tag } = target
  if (tag.startsWith('sha256:')) throw new IndexEditError(`${image} names a digest: an index is pushed to a tag`)
  const content = await readFile(file)
  CatalogIndex.parse(content)
  const digest = await withRepository(target, env, registry => registry.push({ content, mediaType: indexType, tag }))
  return `${imageName(target)}@${digest}`
}
