import { LRUCache } from 'lru-cache'
import { CatalogIndex } from './index/catalog-index.ts'
import type { Pointer } from './index/release.ts'
import type { IndexFile } from './index-file.ts'
import { credentialsIn } from './registry/credentials.ts'
import { withDeadline } from './registry/deadline.ts'
import { type Descriptor, isTarLayer } from './registry/manifest.ts'
import { type ImageReference, imageName, imageReference } from './registry/reference.ts'
import { type Image, Repository } from './registry/repository.ts'
import type { RegistryOptions } from './registry/requests.ts'

export const indexType = 'application/vnd.example.catalog.index.v1'
/** Of a bundle that is no image: a `.tar.gz`, the only layer of its manifest. */
export const bundleType = 'application/vnd.example.catalog.bundle.v1'

/** So many other repositories are kept open, each with its connections and its token. */
const mostRepositories = 16

/** How registries are reached, and as which users. */
export interface RegistryAccess extends Omit<RegistryOptions, 'credentials'> {
  /** Users of registries, as a Secret of the type `kubernetes.io/dockerconfigjson` has them. @default anonymous */
  readonly dockerConfig?: string | undefined
}

/** An index, and where its bundles are. */
interface Served {
  readonly index: CatalogIndex
  readonly digest: string
  readonly repository: Repository
}

export interface CatalogOptions {
  /** Most bytes of bundles that are kept. @default 64 MiB */
  readonly cacheBytes?: number | undefined
  /** A larger bundle is refused. @default 16 MiB */
  readonly maxBundleBytes?: number | undefined
  /** A larger index is refused. @default 256 MiB */
  readonly maxIndexBytes?: number | undefined
  /** How long a poll may take, with all of the index, in milliseconds. @default 120_000 */
  readonly pollTimeoutMs?: number | undefined
  /** How long a bundle may take, in milliseconds. @default 60_000 */
  readonly bundleTimeoutMs?: number | undefined
}

/** The index of one CatalogSource, and its bundles. What serves is replaced by what was read whole, and by nothing else. */
export class Catalog {
  readonly #maxIndexBytes: number
  readonly #pollTimeoutMs: number
  readonly #bundles: LRUCache<string, Image, Repository>
  readonly #closing = new Set<Promise<void>>()
  /** Where bundles are that are not in the repository of the index. */
  readonly #others: LRUCache<string, Repository>
  #settings = ''
  #access: RegistryAccess = {}
  #image: ImageReference | undefined
  #repository: Repository | undefined
  #served: Served | undefined
  readonly #file: IndexFile | undefined
  #isRestored = false

  /** @param file where the last good index is kept; none: in memory only */
  constructor(options: CatalogOptions = {}, file?: IndexFile) {
    this.#file = file
    const { cacheBytes = 64 << 20, maxBundleBytes = 16 << 20, maxIndexBytes = 256 << 20 } = options
    const { pollTimeoutMs = 120_000, bundleTimeoutMs = 60_000 } = options
    this.#maxIndexBytes = maxIndexBytes
    this.#pollTimeoutMs = pollTimeoutMs
    this.#bundles = new LRUCache({
      maxSize: cacheBytes,
      sizeCalculation: bytesOf,
      // One fetch serves all requests meanwhile, also if others push it out of the cache.
      ignoreFetchAbort: true,
      allowStaleOnFetchAbort: true,
      fetchMethod: (digest, _, { context: repository }) =>
        withDeadline(`the bundle ${digest}`, bundleTimeoutMs, undefined, signal =>
          repository.image({ digest, allows: isBundleLayer, maxBytes: maxBundleBytes, signal }),
        ),
    })
    this.#others = new LRUCache({ max: mostRepositories, dispose: repository => this.#release(repository) })
  }

  get index(): CatalogIndex | undefined {
    return this.#served?.index
  }

  /** Of the manifest of the index that serves. */
  get digest(): string | undefined {
    return this.#served?.digest
  }

  /** Bytes of bundles that are kept. */
  get cachedBytes(): number {
    return this.#bundles.calculatedSize
  }

  /**
   * Says where the index is, and as which user to ask. The index that serves goes on, with the new user if it is in the same repository.
   *
   * @throws InvalidPullSecretError
   */
  configure(image: ImageReference, access: RegistryAccess): void {
    const settings = JSON.stringify([image, access])
    if (settings === this.#settings) return
    const [before, served] = [this.#repository, this.#served]
    this.#repository = repositoryAt(image, access)
    this.#image = image
    this.#access = access
    this.#settings = settings
    this.#others.clear()
    if (served?.repository.host === image.host && served.repository.repository === image.repository) {
      this.#served = { ...served, repository: this.#repository }
    }
    this.#release(before, served?.repository)
  }

  /**
   * Asks for the digest of the image, and reads the index where it is another one. Gives whether it serves a new index. The first poll looks into
   * the file before, if there is one.
   *
   * @throws RegistryError, InvalidIndexError, UnsupportedFormatError: then the last index goes on
   */
  async poll(signal?: AbortSignal): Promise<boolean> {
    return withDeadline('the index', this.#pollTimeoutMs, signal, bounded => this.#poll(bounded))
  }

  /**
   * A bundle, by its package and the name of its release. `undefined` where the index has no such release. Do not change the bytes: they are
   * the cache's.
   *
   * @throws RegistryError
   */
  async bundle(of: string, release: string): Promise<Image | undefined> {
    const served = this.#served
    const pointer = served?.index.release(of, release)
    if (served === undefined || pointer === undefined) return undefined
    return this.#bundles.fetch(pointer.digest, { context: this.#repositoryOf(pointer, served) })
  }

  async close(): Promise<void> {
    const [before, served] = [this.#repository, this.#served]
    this.#repository = undefined
    this.#served = undefined
    this.#others.clear()
    this.#release(before, served?.repository)
    await Promise.all(this.#closing)
  }

  #repositoryOf({ image, digest }: Pointer, { repository }: Served): Repository {
    if (image === undefined || image === imageName(repository)) return repository
    const kept = this.#others.get(image)
    if (kept !== undefined) return kept
    const opened = repositoryAt(imageReference(`${image}@${digest}`), this.#access)
    this.#others.set(image, opened)
    return opened
  }

  async #poll(signal: AbortSignal): Promise<boolean> {
    const [repository, image] = [this.#repository, this.#image]
    if (repository === undefined || image === undefined) throw new Error('configure the catalog first')
    await this.#restore(repository)
    const digest = await repository.resolve(image.reference, signal)
    const before = this.#served
    if (before?.digest === digest && before.repository === repository) return false
    const bytes = await repository.fetch({ digest, mediaType: indexType, maxBytes: this.#maxIndexBytes, signal })
    this.#served = { index: CatalogIndex.parse(bytes), digest, repository }
    this.#release(before?.repository)
    await this.#file?.save({ host: image.host, repository: image.repository, digest, bytes })
    return true
  }

  /** Serves the index in the file, if it is of this repository. */
  async #restore(repository: Repository): Promise<void> {
    if (this.#isRestored || this.#file === undefined) return
    const kept = await this.#file.load()
    this.#isRestored = true
    if (kept?.host !== repository.host || kept.repository !== repository.repository) return
    this.#served = { index: kept.index, digest: kept.digest, repository }
  }

  /** Closes those that are in use no more, once what they fetch has come. */
  #release(...repositories: (Repository | undefined)[]): void {
    for (const one of new Set(repositories)) {
      if (one === undefined || one === this.#repository || one === this.#served?.repository) continue
      const closed = one.close().finally(() => this.#closing.delete(closed))
      this.#closing.add(closed)
    }
  }
}

function repositoryAt(image: ImageReference, { dockerConfig, ...options }: RegistryAccess): Repository {
  const credentials = dockerConfig === undefined ? undefined : credentialsIn(dockerConfig, image)
  return new Repository(image, { ...options, credentials })
}

function isBundleLayer(layer: Descriptor): boolean {
  return layer.mediaType === bundleType || isTarLayer(layer)
}

function bytesOf({ manifest, layers }: Image): number {
  return [...layers.values()].reduce((sum, layer) => sum + layer.length, manifest.length)
}
