import { createHash } from 'node:crypto'
import type { BundleSource, PackageChannel, Release } from '../bundle/source.ts'

interface Kept {
  readonly release: Release
  readonly archive: Uint8Array
}

/** A catalog of a test: of each package the last release. */
export class TestSource implements BundleSource {
  readonly #releases = new Map<string, Kept>()
  fetched = 0
  asked = 0
  /** It does not answer. */
  isDown = false

  /** Releases a bundle of a package. */
  release(of: string, archive: Uint8Array, version = '1.0.0'): void {
    const digest = `sha256:${createHash('sha256').update(archive).digest('hex')}`
    this.#releases.set(of, { release: { name: `${of}.v${version}`, version, digest }, archive })
  }

  archive(name: string): Uint8Array | undefined {
    return [...this.#releases.values()].find(({ release }) => release.name === name)?.archive
  }

  async next({ package: of }: PackageChannel, _?: Release | undefined, __?: AbortSignal): Promise<Release | undefined> {
    this.asked += 1
    if (this.isDown) throw new Error('the catalog is down')
    return this.#releases.get(of)?.release
  }

  async fetch({ name }: Release): Promise<Uint8Array> {
    this.fetched += 1
    const archive = this.archive(name)
    if (archive === undefined) throw new Error(`no bundle ${name}`)
    return archive
  }
}
