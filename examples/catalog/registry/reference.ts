import { isDigest } from './verified.ts'

/** Where an image is: `registry.example.com:5000/catalogs/community:latest`. */
export interface ImageReference {
  /** With its port, where it is not 443. */
  readonly host: string
  readonly repository: string
  /** A tag, or a digest. */
  readonly reference: string
}

const dockerHub = 'docker.io'

/** Docker Hub has a name of its own in images, another one for its registry, and a third in pull secrets. */
export function isDockerHub(host: string): boolean {
  return host === dockerHub || host === 'index.docker.io' || host === 'registry-1.docker.io'
}

/** The host that a registry's requests are sent to. */
export function serverOf(host: string): string {
  return isDockerHub(host) ? 'registry-1.docker.io' : host
}

/** Reads an image reference. The registry must be named. @throws RangeError */
export function imageReference(text: string): ImageReference {
  const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
  const pattern = `^([a-zA-Z0-9.-]+(?::[0-9]+)?)/(${component}(?:/${component})*)(?::([\\w][\\w.-]{0,127}))?(?:@(.+))?$`
  const [, host = '', repository = '', tag, digest] = new RegExp(pattern).exec(text) ?? []
  const isHost = /[.:]/.test(host) || host === 'localhost'
  if (!isHost || (digest !== undefined && !isDigest(digest))) {
    throw new RangeError(`${text} is no image reference: REGISTRY/REPOSITORY:TAG, or REGISTRY/REPOSITORY@sha256:…`)
  }
  const name = isDockerHub(host) && !repository.includes('/') ? `library/${repository}` : repository
  return { host: isDockerHub(host) ? dockerHub : host, repository: name, reference: digest ?? tag ?? 'latest' }
}

/** The name of an image, without tag and digest: `registry.example.com:5000/catalogs/community`. */
export function imageName({ host, repository }: Pick<ImageReference, 'host' | 'repository'>): string {
  return `${host}/${repository}`
}

export function isImageName(text: unknown): text is string {
  return typeof text === 'string' && isImageReference(text) && imageName(imageReference(text)) === text
}

export function isImageReference(text: string): boolean {
  try {
    imageReference(text)
    return true
  } catch {
    return false
  }
}
