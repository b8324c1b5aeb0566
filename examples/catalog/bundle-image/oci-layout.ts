import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { imageManifestIn } from '../registry/manifest.ts'
import { checkLayers, type Image, maxManifestBytes, type WantedLayers } from '../registry/repository.ts'
import { isDigest, verified } from '../registry/verified.ts'
import type { Images } from './bundle-image.ts'
import { InvalidBundleImageError } from './errors.ts'

/** The annotation of an image in a layout that has its tag. */
const tagAnnotation = 'org.opencontainers.image.ref.name'

interface Entry {
  readonly digest: string
  readonly annotations?: Readonly<Record<string, string>> | null
}

/** A folder of images, as skopeo and buildx write it. What it gives is verified by digest. @see https://github.com/opencontainers/image-spec/blob/main/image-layout.md */
export class OciLayout implements Images {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The digest of the image with a tag. An empty tag is that of the only image. @throws InvalidBundleImageError which names the tags */
  async resolve(tag: string): Promise<string> {
    const images = entriesIn(await readFile(join(this.#folder, 'index.json')), this.#folder)
    const found = tag === '' ? images : images.filter(one => tagOf(one) === tag)
    const digests = [...new Set(found.map(one => one.digest))]
    if (digests[0] !== undefined && digests.length === 1) return digests[0]
    const tags = images.map(one => tagOf(one) ?? one.digest).join(', ')
    const wanted =
      tag === '' ? 'more or less than one image, and no tag is given' : `no single image with the tag ${tag}`
    throw new InvalidBundleImageError(`the folder ${this.#folder} has ${wanted}; it has: ${tags || 'none'}`)
  }

  manifest(digest: string): Promise<Buffer> {
    return this.#read('manifest', digest, maxManifestBytes)
  }

  blob(digest: string, maxBytes: number): Promise<Buffer> {
    return this.#read('blob', digest, maxBytes)
  }

  async image({ digest, allows, maxBytes }: WantedLayers): Promise<Image> {
    const manifest = await this.manifest(digest)
    const { layers } = imageManifestIn(manifest, `the manifest ${digest}`)
    checkLayers(layers, digest, { allows, maxBytes })
    const read = new Map<string, Buffer>()
    for (const layer of layers) {
      if (!read.has(layer.digest)) read.set(layer.digest, await this.blob(layer.digest, layer.size))
    }
    return { manifest, layers: read }
  }

  #read(kind: string, digest: string, maxBytes: number): Promise<Buffer> {
    const path = join(this.#folder, 'blobs', digest.replace(':', '/'))
    return verified(createReadStream(path), { what: `the ${kind} ${digest}`, digest, maxBytes })
  }
}

function entriesIn(index: Buffer, folder: string): readonly Entry[] {
  try {
    const { manifests } = JSON.parse(index.toString()) as { readonly manifests?: readonly Partial<Entry>[] }
    if (Array.isArray(manifests) && manifests.every(one => isDigest(one?.digest))) return manifests
  } catch {
    // Said below.
  }
  throw new InvalidBundleImageError(`${join(folder, 'index.json')} is no index of images`)
}

function tagOf({ annotations }: Entry): string | undefined {
  return annotations?.[tagAnnotation]
}
