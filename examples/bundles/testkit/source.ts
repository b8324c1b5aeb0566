import { createHash } from 'node:crypto'
import type { BundleSource, Release } from '../bundle/source.ts'

/** A catalog of a test. */
export class TestSource implements BundleSource {
  readonly #releases = new Map<string, { readonly release: Release; readonly archive: Uint8Array }>()
  fetched = 0

  /** Releases a bundle of a package. */
  release(of: string, archive: Uint8Array, version = '1.0.0'): void {
    const digest = `sha256:${createHash('sha256').update(archive).digest('hex')}`
    this.#releases.set(of, { release: { name: `${of}.v${version}`, version, digest }, archive })
  }

  async head({ package: of }: { readonly package: string }): Promise<Release | undefined> {
    return this.#releases.get(of)?.release
  }

  async fetch(release: Release): Promise<Uint8Array> {
    this.fetched += 1
    for (const one of this.#releases.values()) if (one.release === release) return one.archive
    throw new Error(`no bundle ${release.digest}`)
  }
}
