import type { Credentials } from '../registry/credentials.ts'
import { manifestTypes } from '../registry/manifest.ts'
import { Repository } from '../registry/repository.ts'
import { digestOf } from '../registry/verified.ts'

/** A registry to test with. */
export interface TestRegistry {
  /** With its port. */
  readonly host: string
  /** PEM. */
  readonly ca: string
  readonly credentials: Credentials
  /** Changes the bytes of a blob behind its back. */
  corrupt(digest: string, change: (bytes: Buffer) => Buffer): Promise<void>
  /** Makes it unreachable, until `start`, where it is at the same port. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** Pushes content as the only layer of a manifest. Gives the digests of both. */
export async function push(
  registry: TestRegistry,
  repository: string,
  { content, mediaType, tag }: { readonly content: Buffer; readonly mediaType: string; readonly tag?: string },
): Promise<{ readonly manifest: string; readonly blob: string }> {
  const { host, ca, credentials } = registry
  const target = new Repository({ host, repository }, { ca, credentials })
  try {
    const manifest = await target.push({ content, mediaType, ...(tag !== undefined && { tag }) })
    return { manifest, blob: digestOf(content) }
  } finally {
    await target.close()
  }
}

/** The user of a registry, as a pull secret has it. */
export function dockerConfigOf({ host, credentials }: TestRegistry): string {
  return JSON.stringify({ auths: { [host]: credentials } })
}

/** The layers of an image, the lowest first, and the labels of its configuration. */
export interface ImageToPush {
  readonly layers: readonly Buffer[]
  readonly labels?: Readonly<Record<string, string>>
  /** Which media types it has. `oci`: each layer is named by its first bytes. */
  readonly as: 'oci' | 'docker'
  /** Pushes an index of one image for each of these platforms, too. */
  readonly platforms?: readonly { readonly os: string; readonly architecture: string }[]
  readonly tag?: string
}

const [ociManifest = '', ociIndex = '', dockerManifest = '', dockerList = ''] = manifestTypes

/** Pushes an image. Gives the digests of its manifest, and of the index, if it has one. */
export async function pushImage(
  registry: TestRegistry,
  repository: string,
  { layers, labels = {}, as, platforms, tag }: ImageToPush,
): Promise<{ readonly manifest: string; readonly index: string | undefined }> {
  const { host, ca, credentials } = registry
  const target = new Repository({ host, repository }, { ca, credentials })
  try {
    const blob = async (mediaType: string, content: Buffer) => {
      return { mediaType, digest: await target.pushBlob(content), size: content.length }
    }
    const [type, configType, indexType] =
      as === 'oci'
        ? [ociManifest, 'application/vnd.oci.image.config.v1+json', ociIndex]
        : [dockerManifest, 'application/vnd.docker.container.image.v1+json', dockerList]
    const config = await blob(
      configType,
      Buffer.from(JSON.stringify({ architecture: 'amd64', config: { Labels: labels } })),
    )
    const packed = []
    for (const layer of layers) packed.push(await blob(layerType(layer, as), layer))
    const body = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: type, config, layers: packed }))
    const isOne = platforms === undefined
    const manifest = await target.pushManifest(type, body, isOne ? tag : undefined)
    if (isOne) return { manifest, index: undefined }
    const manifests = platforms.map(platform => ({ mediaType: type, digest: manifest, size: body.length, platform }))
    const all = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests }))
    return { manifest, index: await target.pushManifest(indexType, all, tag) }
  } finally {
    await target.close()
  }
}

function layerType(layer: Buffer, as: 'oci' | 'docker'): string {
  if (as === 'docker') return 'application/vnd.docker.image.rootfs.diff.tar.gzip'
  const type = 'application/vnd.oci.image.layer.v1.tar'
  return layer[0] === 0x1f ? `${type}+gzip` : layer[0] === 0x28 ? `${type}+zstd` : type
}
