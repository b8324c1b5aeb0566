import { readLayers } from '@wherry/example-bundles/archive'
import type { Addition } from '../index/edit.ts'
import { dependenciesIn, metadataOf, yamlIn } from '../index/metadata.ts'
import type { Metadata } from '../index/release.ts'
import { imageManifestIn, isTarLayer, type PlatformManifest, platformsIn } from '../registry/manifest.ts'
import { type ImageReference, imageName } from '../registry/reference.ts'
import type { Repository } from '../registry/repository.ts'
import { annotationsOf } from './annotations.ts'
import { InvalidBundleImageError } from './errors.ts'

/** A larger bundle could not be served: see `maxBundleBytes` of a Catalog. */
const maxBundleBytes = 16 << 20
const maxConfigBytes = 1 << 20

/**
 * Reads the image of a bundle of the format `registry+v1`: what an index needs to have it in its channels.
 *
 * The digest is that of the manifest of the image. If it has one for each platform, it is that of linux/amd64, or else of the first one: all of
 * them have the same files.
 *
 * @throws RegistryError, InvalidBundleImageError, and a BundleError for layers that can't be unpacked
 */
export async function readBundleImage(repository: Repository, { reference }: ImageReference): Promise<Addition> {
  const digest = await imageDigest(repository, await repository.resolve(reference))
  const { manifest, layers } = await repository.image({ digest, allows: isTarLayer, maxBytes: maxBundleBytes })
  const { config, layers: order } = imageManifestIn(manifest, `the manifest ${digest}`)
  const labels = labelsIn(await repository.blob(config.digest, maxConfigBytes))
  const files = await readLayers(order.map(one => layers.get(one.digest) as Buffer))
  const annotations = annotationsIn(files.get('metadata/annotations.yaml'))
  const dependencies = files.get('metadata/dependencies.yaml')
  return {
    ...annotationsOf(annotations, labels),
    metadata: clusterServiceVersionIn(files),
    dependencies: dependencies === undefined ? [] : dependenciesIn(dependencies, 'metadata/dependencies.yaml'),
    digest,
    image: imageName(repository),
  }
}

/** The digest of the manifest of one image, where the digest may be that of an index of them. */
async function imageDigest(repository: Repository, digest: string): Promise<string> {
  const platforms = platformsIn(await repository.manifest(digest))
  if (platforms === undefined) return digest
  const isFor = ({ platform }: PlatformManifest, os: string, architecture: string): boolean =>
    platform?.os === os && platform.architecture === architecture
  // Attestations have the platform `unknown/unknown`.
  const images = platforms.filter(one => !isFor(one, 'unknown', 'unknown'))
  const found = images.find(one => isFor(one, 'linux', 'amd64')) ?? images[0]
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
    // Large definitions beside it need not be parsed.
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
