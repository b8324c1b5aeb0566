import { type ImageReference, isDockerHub } from './reference.ts'

/** A user of a registry. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

interface DockerConfig {
  readonly auths?: Readonly<Record<string, Partial<Credentials> & { auth?: string }>> | null
}

/** A pull secret that can't be read. The error quotes nothing of it, and so has no cause: it is reported in a status. */
export class InvalidPullSecretError extends Error {
  override readonly name = 'InvalidPullSecretError'
  readonly reason = 'InvalidPullSecret'

  constructor() {
    super('the pull secret is no Docker configuration')
  }
}

/**
 * The user for a repository in a Secret of the type `kubernetes.io/dockerconfigjson`: of the keys `HOST/ORG/REPOSITORY`, `HOST/ORG` and `HOST` the
 * longest that is there, each also with `https://` before it. For Docker Hub also the key that `docker login`
 * writes. `undefined` if there is none.
 *
 * @throws InvalidPullSecretError
 */
export function credentialsIn(
  dockerConfig: string,
  { host, repository }: Pick<ImageReference, 'host' | 'repository'>,
): Credentials | undefined {
  const { auths } = configOf(dockerConfig)
  const parts = [host, ...repository.split('/')]
  const keys = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'))
  // `docker login` writes it, without a registry.
  if (isDockerHub(host)) keys.push('index.docker.io/v1/', 'index.docker.io/v1', 'index.docker.io')
  const found = keys.map(key => auths?.[key] ?? auths?.[`https://${key}`]).find(one => one != null)
  if (found == null) return undefined
  const { auth, username = '', password = '' } = found
  if (auth === undefined) return { username, password }
  const [name = '', ...rest] = Buffer.from(auth, 'base64').toString().split(':')
  return { username: name, password: rest.join(':') }
}

function configOf(text: string): DockerConfig {
  try {
    const config: unknown = JSON.parse(text)
    if (typeof config === 'object' && config !== null) return config
  } catch {
    // Node's error quotes the text.
  }
  throw new InvalidPullSecretError()
}

/** The value of an `Authorization` header. */
export function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
