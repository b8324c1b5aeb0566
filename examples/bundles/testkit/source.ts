import { createHash } from 'node:crypto'
import type { BundleSource, PackageChannel, Release } from '../bundle/source.ts'

interface Kept {
  readonly release: Release
  readonly archive: Uint8Array
  /** It names the digest of the archive, and has the digest of the release. */
  readonly manifest: string
}

/** A catalog of a test: of each package the last release. */
export class TestSource implements BundleSource {
  readonly #releases = new Map<string, Kept>()
  /** All that were released, by package and name. */
  readonly #kept = new Map<string, Kept>()
  fetched = 0
  asked = 0
  /** Questions that wait for an answer, since it hangs. */
  waiting = 0
  /** It does not answer: at once, or not at all. */
  fault: 'down' | 'hangs' | undefined

  constructor(fault?: 'down' | 'hangs') {
    this.fault = fault
  }

  /** Releases a bundle of a package. */
  release(of: string, archive: Uint8Array, version = '1.0.0'): void {
    const digestOf = (bytes: string | Uint8Array): string =>
      `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    const manifest = JSON.stringify({ layers: [{ digest: digestOf(archive) }] })
    const release = { name: `${of}.v${version}`, version, digest: digestOf(manifest) }
    const kept = { release, archive, manifest }
    this.#releases.set(of, kept)
    this.#kept.set(`${of} ${release.name}`, kept)
  }

  kept(of: string, name: string): Kept | undefined {
    return this.#kept.get(`${of} ${name}`)
  }

  async next(
    { package: of }: PackageChannel,
    _: Release | undefined,
    signal: AbortSignal,
  ): Promise<Release | undefined> {
    this.asked += 1
    await this.#mayFail(signal)
    return this.#releases.get(of)?.release
  }

  async fetch(of: string, { name }: Release, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    this.fetched += 1
    await this.#mayFail(signal)
    const kept = this.kept(of, name)
    if (kept === undefined) throw new Error(`no bundle ${name}`)
    return [kept.archive]
  }

  async #mayFail(signal: AbortSignal): Promise<void> {
    if (this.fault === 'down') throw new Error('the catalog is down')
    if (this.fault === undefined) return
    signal.throwIfAborted()
    this.waiting += 1
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }
}
