import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { indexType } from '../catalog.ts'
import { type Credentials, credentialsIn } from '../registry/credentials.ts'
import { type ImageReference, imageReference } from '../registry/reference.ts'
import { Repository } from '../registry/repository.ts'
import { CatalogIndex } from './catalog-index.ts'
import { IndexEditError } from './errors.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Pushes the index in a file to a tag of a repository. Gives the image by its digest. */
export async function pushIndex(file: string, image: string, env: Env): Promise<string> {
  const target = imageReference(image)
  const { host, repository, reference: tag } = target
  if (tag.startsWith('sha256:')) throw new IndexEditError(`${image} names a digest: an index is pushed to a tag`)
  const content = await readFile(file)
  CatalogIndex.parse(content)
  const { HTTPS_PROXY: proxy, NO_PROXY: noProxy, REGISTRY_CA: caFile } = env
  const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8')
  const registry = new Repository(target, { ca, proxy, noProxy, credentials: await credentialsOf(target, env) })
  try {
    return `${host}/${repository}@${await registry.push({ content, mediaType: indexType, tag })}`
  } finally {
    await registry.close()
  }
}

async function credentialsOf(image: ImageReference, env: Env): Promise<Credentials | undefined> {
  const path = join(env.DOCKER_CONFIG ?? join(homedir(), '.docker'), 'config.json')
  try {
    return credentialsIn(await readFile(path, 'utf8'), image)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
