import { RegistryError } from './errors.ts'
import { isDigest } from './verified.ts'

export const ociManifest = 'application/vnd.oci.image.manifest.v1+json'

/** All manifests that are understood: those of OCI and those of docker, of one image or of one for each platform. */
export const manifestTypes: readonly string[] = [
  ociManifest,
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]

/** Layers that are tars, plain or compressed. Those that may not be distributed, and those that are encrypted, are not among them. */
const tarType =
  /^application\/vnd\.(oci\.image\.layer\.v1\.tar(\+gzip|\+zstd)?|docker\.image\.rootfs\.diff\.tar(\.gzip|\.zstd)?)$/

/** What a manifest points to. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

/** The manifest of one image: its layers, the lowest first. */
export interface ImageManifest {
  readonly config: Descriptor
  readonly layers: readonly Descriptor[]
}

export interface PlatformManifest extends Descriptor {
  readonly platform?: { readonly os?: string; readonly architecture?: string } | null
}

/** Reads a manifest of one image. @throws RegistryError `InvalidManifest` */
export function imageManifestIn(bytes: Buffer, what: string): ImageManifest {
  const found = parsed(bytes)
  const { config, layers } = found
  if (isDescriptor(config) && areDescriptors(layers)) return { config, layers }
  throw new RegistryError('InvalidManifest', `${what} is no manifest of an image`)
}

/** The manifests of an image that has one for each platform. `undefined` if the bytes are another manifest. */
export function platformsIn(bytes: Buffer): readonly PlatformManifest[] | undefined {
  const { manifests } = parsed(bytes)
  return areDescriptors(manifests) ? manifests : undefined
}

export function isTarLayer({ mediaType }: Descriptor): boolean {
  return tarType.test(mediaType)
}

function parsed(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
  } catch {
    // Its caller says so.
  }
  return {}
}

function areDescriptors(value: unknown): value is readonly Descriptor[] {
  return Array.isArray(value) && value.every(isDescriptor)
}

function isDescriptor(value: unknown): value is Descriptor {
  const { mediaType, digest, size } = (value ?? {}) as Partial<Descriptor>
  return typeof mediaType === 'string' && isDigest(digest) && typeof size === 'number' && size >= 0
}
