import { createHash } from 'node:crypto'
import { checkLayers } from './bundle/archive.ts'
import { BundleError } from './bundle/errors.ts'
import type { BundleSource, PackageChannel, Release } from './bundle/source.ts'

/** How long the catalog may take for an answer, a bundle's too. */
const timeoutMs = 60_000
/** A bundle is not larger than this, packed. */
const maxBytes = 16 << 20
const maxManifestBytes = 4 << 20

interface ChannelAnswer {
  readonly head: string
  readonly releases: readonly Release[]
}

interface PackageAnswer {
  /** Missing if the package has several channels, and none was made the default. */
  readonly defaultChannel?: string | undefined
  readonly channels: readonly { readonly name: string }[]
}

interface Expected {
  /** Of errors. */
  readonly what: string
  readonly digest: string
  readonly maxBytes: number
}

/** The catalog gave other bytes than those of the digest. */
class WrongDigestError extends Error {
  override readonly name = 'WrongDigestError'
  readonly reason = 'WrongDigest'
}

/** A catalog that the example `catalog` serves, by its URL: `http://catalog.catalogs:8081/catalogs/community`. */
export class CatalogService implements BundleSource {
  readonly #url: string

  constructor(url: string) {
    this.#url = url.replace(/\/$/, '')
  }

  async next(of: PackageChannel, installed: Release | undefined, signal: AbortSignal): Promise<Release | undefined> {
    const name = of.channel ?? (await this.#defaultChannel(of.package, signal))
    if (name === undefined) return undefined
    const at = [of.package, name].map(encodeURIComponent).join('/')
    if (installed !== undefined) {
      const { name, version } = installed
      const path = await this.#json<Release[]>(`upgrades/${at}?${new URLSearchParams({ name, version })}`, signal)
      return path === undefined ? undefined : (path[0] ?? installed)
    }
    const channel = await this.#json<ChannelAnswer>(`channels/${at}`, signal)
    return channel?.releases.find(({ name }) => name === channel.head)
  }

  /** The channel of a package for users that name none; `undefined` if there is no such package. @throws BundleError if it has none */
  async #defaultChannel(of: string, signal: AbortSignal): Promise<string | undefined> {
    const found = await this.#json<PackageAnswer>(`packages/${encodeURIComponent(of)}`, signal)
    if (found === undefined || found.defaultChannel !== undefined) return found?.defaultChannel
    const names = found.channels.map(({ name }) => name).join(', ')
    throw new BundleError(
      'NoDefaultChannel',
      `the package ${of} has no default channel: name one of ${names} in spec.channel`,
    )
  }

  /** The release has the digest of a manifest, and the manifest those of the layers: all of them are compared. */
  async fetch(of: string, { name, digest }: Release, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    const path = `packages/${encodeURIComponent(of)}/bundles/${encodeURIComponent(name)}`
    const what = `the manifest of ${name}`
    const manifest = await this.#verified(`${path}/manifest`, { what, digest, maxBytes: maxManifestBytes }, signal)
    const layers: Uint8Array[] = []
    let left = maxBytes
    for (const digest of layersOf(manifest, what)) {
      const at = `${path}/layers/${encodeURIComponent(digest)}`
      const layer = await this.#verified(at, { what: `a layer of ${name}`, digest, maxBytes: left }, signal)
      left -= layer.length
      layers.push(layer)
    }
    return layers
  }

  async #verified(path: string, { what, digest, maxBytes }: Expected, signal: AbortSignal): Promise<Buffer> {
    const response = await this.#get(path, signal)
    if (!response.ok) {
      await response.body?.cancel()
      throw new Error(`the catalog answers ${response.status} for ${what}`)
    }
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of response.body ?? []) {
      size += part.length
      if (size > maxBytes) throw new Error(`${what} has more than ${maxBytes} bytes`)
      parts.push(part)
    }
    const bytes = Buffer.concat(parts)
    const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    if (found !== digest) throw new WrongDigestError(`${what} has the digest ${found}, not ${digest}`)
    return bytes
  }

  async #json<T>(path: string, signal: AbortSignal): Promise<T | undefined> {
    const response = await this.#get(path, signal)
    if (response.ok) return (await response.json()) as T
    await response.body?.cancel()
    if (response.status === 404) return undefined
    throw new Error(`the catalog answers ${response.status} for ${path}`)
  }

  #get(path: string, signal: AbortSignal): Promise<Response> {
    return fetch(`${this.#url}/${path}`, { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
  }
}

/** The digests of the layers of a manifest, the lowest first. */
function layersOf(manifest: Buffer, what: string): readonly string[] {
  const { layers } = JSON.parse(manifest.toString()) as { readonly layers?: readonly { readonly digest?: unknown }[] }
  if (!Array.isArray(layers) || layers.length === 0) throw new Error(`${what} names no layers`)
  checkLayers(layers.length)
  return layers.map(({ digest }) => `${digest}`)
}
