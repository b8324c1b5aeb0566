import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { proxySettings } from '@wherry/client'
import { type Credentials, credentialsIn } from '../registry/credentials.ts'
import type { ImageReference } from '../registry/reference.ts'
import { Repository } from '../registry/repository.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Does something with the repository of an image, which is reached as the environment of the command says. */
export async function withRepository<T>(
  image: ImageReference,
  env: Env,
  run: (repository: Repository) => Promise<T>,
): Promise<T> {
  const { https: proxy, noProxy } = proxySettings(env)
  const { REGISTRY_CA: caFile } = env
  const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8')
  const repository = new Repository(image, { ca, proxy, noProxy, credentials: await credentialsOf(image, env) })
  try {
    return await run(repository)
  } finally {
    await repository.close()
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
