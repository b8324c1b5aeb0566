import { readLayers } from '@wherry/example-bundles/archive'
import type { Addition } from '../index/edit.ts'
import { dependenciesIn, metadataOf, yamlIn } from '../index/metadata.ts'
import type { Metadata } from '../index/release.ts'
import { imageManifestIn, isTarLayer, type PlatformManifest, platformsIn } from '../registry/manifest.ts'
import type { Repository } from '../registry/repository.ts'
import { annotationsOf } from './annotations.ts'
import { InvalidBundleImageError } from './errors.ts'

/** A larger bundle could not be served: see `maxBundleBytes` of a Catalog. */
const maxBundleBytes = 16 << 20
const maxConfigBytes = 1 << 20

/** Where images are read from: a repository of a registry, or a folder. */
export type Images = Pick<Repository, 'resolve' | 'manifest' | 'blob' | 'image'>

/** An image as it was read. */
export interface ReadImage {
  /** Of its manifest. `undefined` if it has none. */
  readonly digest: string | undefined
  readonly config: Buffer
  /** The lowest first. */
  readonly layers: readonly Buffer[]
}

/**
 * Reads an image.
 *
 * The digest is that of the manifest of the image. If it has one for each platform, it is that of linux/amd64, or else of the first one: all of
 * them have the same files.
 *
 * @throws RegistryError, InvalidBundleImageError
 */
export async function readImage(images: Images, reference: string): Promise<ReadImage> {
  const digest = await imageDigest(images, await images.resolve(reference))
  const { manifest, layers } = await images.image({ digest, allows: isTarLayer, maxBytes: maxBundleBytes })
  const { config, layers: order } = imageManifestIn(manifest, `the manifest ${digest}`)
  const content = await images.blob(config.digest, maxConfigBytes)
  return { digest, config: content, layers: order.map(one => layers.get(one.digest) as Buffer) }
}

/**
 * Reads the bundle of the format `registry+v1` in an image: what an index needs to have it in its channels.
 *
 * @param at where the bundle is: the digest of its manifest, and its repository
 * @throws InvalidBundleImageError, and a BundleError for layers that can't be unpacked
 */
export async function bundleIn(
  { config, layers }: ReadImage,
  at: { readonly digest: string; readonly image: string },
): Promise<Addition> {
  const files = await readLayers(layers)
  const annotations = annotationsIn(files.get('metadata/annotations.yaml'))
  const dependencies = files.get('metadata/dependencies.yaml')
  return {
    ...annotationsOf(annotations, labelsIn(config)),
    metadata: clusterServiceVersionIn(files),
    dependencies: dependencies === undefined ? [] : dependenciesIn(dependencies, 'metadata/dependencies.yaml'),
    ...at,
  }
}

/** The digest of the manifest of one image, where the digest may be that of an index of them. */
async function imageDigest(images: Images, digest: string): Promise<string> {
  const platforms = platformsIn(await images.manifest(digest))
  if (platforms === undefined) return digest
  const isFor = ({ platform }: PlatformManifest, os: string, architecture: string): boolean =>
    platform?.os === os && platform.architecture === architecture
  // Attestations have the platform `unknown/unknown`.
  const all = platforms.filter(one => !isFor(one, 'unknown', 'unknown'))
  const found = all.find(one => isFor(one, 'linux', 'amd64')) ?? all[0]
  if (found === undefined) throw new InvalidBundleImageError(`the index ${digest} has no image`)
  return found.digest
}

/** The labels in the configuration of an image. An artifact's has none. */
function labelsIn(config: Buffer): Readonly<Record<string, unknown>> {
  try {
    const found = JSON.parse(config.toString()) as {
      config?: { Labels?: Record<string, unknown> | null } | null
    } | null
    return found?.config?.Labels ?? {}
  } catch {
    return {}
  }
}

function annotationsIn(file: Buffer | undefined): Readonly<Record<string, unknown>> {
  const found = file === undefined ? undefined : (yamlIn(file, 'metadata/annotations.yaml') as { annotations?: object })
  return { ...found?.annotations }
}

/** The only ClusterServiceVersion in the manifests. */
function clusterServiceVersionIn(files: ReadonlyMap<string, Buffer>): Metadata {
  const found: Metadata[] = []
  for (const [path, content] of files) {
    // Large definitions next to it need not be parsed.
    if (!/^manifests\/[^/]+\.(ya?ml|json)$/.test(path) || !content.includes('ClusterServiceVersion')) continue
    const object = yamlIn(content, path)
    if ((object as { kind?: unknown } | null)?.kind === 'ClusterServiceVersion') found.push(metadataOf(object, path))
  }
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  throw new InvalidBundleImageError(
    `its manifests have ${found.length === 0 ? 'no' : 'more than one'} ClusterServiceVersion`,
  )
}
