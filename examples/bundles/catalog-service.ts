import type { BundleSource, PackageChannel, Release } from './bundle/source.ts'

/** How long the catalog may take for an answer, a bundle's too. */
const timeoutMs = 60_000
/** A bundle is not larger than this, packed. */
const maxBytes = 16 << 20

interface ChannelAnswer {
  readonly head: string
  readonly releases: readonly Release[]
}

/** A catalog that the example `catalog` serves, by its URL: `http://catalog.catalogs:8081/catalogs/community`. */
export class CatalogService implements BundleSource {
  readonly #url: string

  constructor(url: string) {
    this.#url = url.replace(/\/$/, '')
  }

  async next(of: PackageChannel, installed: Release | undefined, signal: AbortSignal): Promise<Release | undefined> {
    const at = [of.package, of.channel].map(encodeURIComponent).join('/')
    if (installed !== undefined) {
      const { name, version } = installed
      const path = await this.#json<Release[]>(`upgrades/${at}?${new URLSearchParams({ name, version })}`, signal)
      return path === undefined ? undefined : (path[0] ?? installed)
    }
    const channel = await this.#json<ChannelAnswer>(`channels/${at}`, signal)
    return channel?.releases.find(({ name }) => name === channel.head)
  }

  async fetch({ name }: Release, signal: AbortSignal): Promise<Uint8Array> {
    const response = await this.#get(`bundles/${encodeURIComponent(name)}`, signal)
    if (!response.ok) {
      await response.body?.cancel()
      throw new Error(`the catalog answers ${response.status} for the bundle ${name}`)
    }
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of response.body ?? []) {
      size += part.length
      if (size > maxBytes) throw new Error(`the bundle ${name} has more than ${maxBytes} bytes`)
      parts.push(part)
    }
    return Buffer.concat(parts)
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
