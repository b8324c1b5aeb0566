import { LRUCache } from 'lru-cache'
import { readLayers } from '../bundle/archive.ts'
import { convert } from '../bundle/convert.ts'
import { BundleError } from '../bundle/errors.ts'
import { type Manifest, type ParseYaml, readBundle } from '../bundle/manifests.ts'
import type { BundleSource, Release } from '../bundle/source.ts'
import { YamlThread } from '../bundle/yaml-thread.ts'

type Unpacked = readonly Manifest[] | BundleError

/** Plain manifests of bundles, by digest and namespace. A bundle that can't be installed is not fetched again, either. */
export class BundleCache {
  readonly #source: BundleSource
  readonly #parse: ParseYaml
  readonly #kept: LRUCache<string, Unpacked>

  constructor(source: BundleSource, max = 32) {
    this.#source = source
    const thread = new YamlThread()
    this.#parse = (files, signal) => thread.parse(files, signal)
    this.#kept = new LRUCache({ max })
  }

  /** @throws BundleError, and what the source throws */
  async manifests(of: string, release: Release, namespace: string, signal: AbortSignal): Promise<readonly Manifest[]> {
    const key = `${release.digest} ${namespace}`
    const unpacked = this.#kept.get(key) ?? (await this.#unpack(of, release, namespace, signal))
    this.#kept.set(key, unpacked)
    if (unpacked instanceof BundleError) throw unpacked
    return unpacked
  }

  async #unpack(of: string, release: Release, namespace: string, signal: AbortSignal): Promise<Unpacked> {
    const layers = await this.#source.fetch(of, release, signal)
    try {
      return convert(await readBundle(await readLayers(layers), this.#parse, signal), namespace)
    } catch (error) {
      if (error instanceof BundleError) return error
      throw error
    }
  }
}
