import { RegistryError } from './errors.ts'
import { type Descriptor, type ImageManifest, imageManifestIn, ociManifest } from './manifest.ts'
import type { ImageReference } from './reference.ts'
import { type RegistryOptions, RegistryRequests, urlOf } from './requests.ts'
import { digestOf, isDigest, verified } from './verified.ts'

const emptyType = 'application/vnd.oci.empty.v1+json'
const empty = Buffer.from('{}')
export const maxManifestBytes: number = 4 << 20

/** A blob or manifest that is fetched by its digest. */
export interface Wanted {
  readonly digest: string
  /** Of the only layer of the manifest. */
  readonly mediaType: string
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

/** An image, to fetch its layers. */
export interface WantedLayers {
  /** Of its manifest. */
  readonly digest: string
  /** Which layers it may have. Those of other types are refused. */
  readonly allows: (layer: Descriptor) => boolean
  /** Most bytes of all its layers. */
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

/** An image: its manifest, and its layers by their digests. */
export interface Image {
  readonly manifest: Buffer
  readonly layers: ReadonlyMap<string, Buffer>
}

/** One repository of an OCI registry. What it gives is verified by digest. */
export class Repository {
  readonly host: string
  readonly repository: string
  readonly #requests: RegistryRequests
  /** Calls under way. Each is several requests, and all of them are made before it is closed. */
  readonly #asking = new Set<Promise<unknown>>()

  constructor({ host, repository }: Pick<ImageReference, 'host' | 'repository'>, options: RegistryOptions = {}) {
    this.host = host
    this.repository = repository
    this.#requests = new RegistryRequests(host, options)
  }

  /** The digest that a tag has now, by one HEAD request. */
  resolve(reference: string, signal?: AbortSignal): Promise<string> {
    return this.#asked(this.#resolve(reference, signal))
  }

  /** The content of the only layer of a manifest. Manifest and layer are verified. */
  fetch(wanted: Wanted): Promise<Buffer> {
    return this.#asked(this.#fetch(wanted))
  }

  /** A manifest, verified. */
  manifest(digest: string, signal?: AbortSignal): Promise<Buffer> {
    return this.#asked(this.#manifest(digest, signal))
  }

  /** A blob, verified. @throws RegistryError `TooLarge` for one of more than `maxBytes` */
  blob(digest: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer> {
    return this.#asked(this.#blob(digest, maxBytes, signal))
  }

  /** An image with all of its layers, verified. */
  image(wanted: WantedLayers): Promise<Image> {
    return this.#asked(this.#image(wanted))
  }

  /** Pushes content as the only layer of a manifest, and gives the digest of the manifest. `tag`: by which it can be found, too. */
  push(image: { readonly content: Buffer; readonly mediaType: string; readonly tag?: string }): Promise<string> {
    return this.#asked(this.#push(image))
  }

  /** Pushes a blob, and gives its digest. */
  pushBlob(content: Buffer): Promise<string> {
    return this.#asked(this.#upload(content))
  }

  /** Pushes a manifest after its blobs, and returns its digest. */
  pushManifest(type: string, body: Buffer, tag?: string): Promise<string> {
    return this.#asked(this.#pushManifest(type, body, tag))
  }

  /** Resolves when calls under way have ended. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#asking)
    await this.#requests.close()
  }

  async #asked<T>(answer: Promise<T>): Promise<T> {
    this.#asking.add(answer)
    try {
      return await answer
    } finally {
      this.#asking.delete(answer)
    }
  }

  async #resolve(reference: string, signal?: AbortSignal): Promise<string> {
    if (isDigest(reference)) return reference
    const { headers, body } = await this.#requests.get('HEAD', this.#path(`manifests/${reference}`), signal)
    await body.dump()
    const digest = headers['docker-content-digest']
    if (isDigest(digest)) return digest
    throw new RegistryError('InvalidManifest', `the registry ${this.host} does not say the digest of ${reference}`)
  }

  async #fetch({ digest, mediaType, maxBytes, signal }: Wanted): Promise<Buffer> {
    const { layers } = await this.#imageManifest(digest, signal)
    const [layer, ...more] = layers
    if (layer?.mediaType !== mediaType || more.length > 0) {
      throw new RegistryError('InvalidManifest', `the manifest ${digest} has not one layer of the type ${mediaType}`)
    }
    checkSize(layers, maxBytes)
    return this.#blob(layer.digest, maxBytes, signal)
  }

  async #image({ digest, allows, maxBytes, signal }: WantedLayers): Promise<Image> {
    const manifest = await this.#manifest(digest, signal)
    const { layers } = imageManifestIn(manifest, `the manifest ${digest}`)
    checkLayers(layers, digest, { allows, maxBytes })
    const fetched = new Map<string, Buffer>()
    for (const layer of layers) {
      if (!fetched.has(layer.digest)) fetched.set(layer.digest, await this.#blob(layer.digest, layer.size, signal))
    }
    return { manifest, layers: fetched }
  }

  async #imageManifest(digest: string, signal?: AbortSignal): Promise<ImageManifest> {
    return imageManifestIn(await this.#manifest(digest, signal), `the manifest ${digest}`)
  }

  #manifest(digest: string, signal?: AbortSignal): Promise<Buffer> {
    const expected = { what: `the manifest ${digest}`, digest, maxBytes: maxManifestBytes }
    return this.#read(`manifests/${digest}`, expected, signal)
  }

  #blob(digest: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer> {
    return this.#read(`blobs/${digest}`, { what: `the blob ${digest}`, digest, maxBytes }, signal)
  }

  async #push({ content, mediaType, tag }: Parameters<Repository['push']>[0]): Promise<string> {
    const layer = { mediaType, digest: await this.#upload(content), size: content.length }
    const config = { mediaType: emptyType, digest: await this.#upload(empty), size: empty.length }
    const body = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: ociManifest, config, layers: [layer] }))
    return this.#pushManifest(ociManifest, body, tag)
  }

  async #pushManifest(type: string, body: Buffer, tag?: string): Promise<string> {
    const digest = digestOf(body)
    await this.#requests.write('PUT', this.#requests.url(this.#path(`manifests/${tag ?? digest}`)), { type, body })
    return digest
  }

  async #upload(body: Buffer): Promise<string> {
    const type = 'application/octet-stream'
    const uploads = this.#requests.url(this.#path('blobs/uploads/'))
    const location = await this.#requests.write('POST', uploads, { type, body: Buffer.alloc(0) })
    const to = urlOf(location, `the registry ${this.host} takes blobs at`, uploads)
    // Only the registry itself may have the token.
    if (to.protocol !== 'https:' || to.host !== uploads.host)
      throw new RegistryError('RegistryUnavailable', `${this.host} takes blobs at ${to.origin}, which is another host`)
    const digest = digestOf(body)
    to.searchParams.set('digest', digest)
    await this.#requests.write('PUT', to, { type, body })
    return digest
  }

  async #read(path: string, expected: Parameters<typeof verified>[1], signal?: AbortSignal): Promise<Buffer> {
    const { body } = await this.#requests.get('GET', this.#path(path), signal)
    try {
      return await verified(body, expected)
    } catch (error) {
      if (error instanceof RegistryError) throw error
      throw this.#requests.unavailable(error)
    }
  }

  #path(of: string): string {
    return `${this.repository}/${of}`
  }
}

/** Checks the layers of an image before any is fetched. @throws RegistryError `InvalidManifest`, `TooLarge` */
export function checkLayers(
  layers: readonly Descriptor[],
  digest: string,
  { allows, maxBytes }: Pick<WantedLayers, 'allows' | 'maxBytes'>,
): void {
  const other = layers.find(layer => !allows(layer))
  if (other !== undefined) {
    throw new RegistryError('InvalidManifest', `the manifest ${digest} has a layer of the type ${other.mediaType}`)
  }
  checkSize(layers, maxBytes)
}

/** @throws RegistryError `TooLarge` */
function checkSize(layers: readonly Descriptor[], maxBytes: number): void {
  const size = layers.reduce((sum, one) => sum + one.size, 0)
  if (size <= maxBytes) return
  const what = layers.length === 1 ? `the blob ${layers[0]?.digest} has` : `the ${layers.length} layers have`
  throw new RegistryError('TooLarge', `${what} ${size} bytes, more than ${maxBytes}`)
}
