import { createHash } from 'node:crypto'
import type { BundleSource, PackageChannel, Release } from '../bundle/source.ts'

interface Kept {
  readonly release: Release
  readonly archive: Uint8Array
}

/** A catalog of a test: of each package the last release. */
export class TestSource implements BundleSource {
  readonly #releases = new Map<string, Kept>()
  readonly #archives = new Map<string, Uint8Array>()
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
    const digest = `sha256:${createHash('sha256').update(archive).digest('hex')}`
    this.#releases.set(of, { release: { name: `${of}.v${version}`, version, digest }, archive })
    this.#archives.set(`${of}.v${version}`, archive)
  }

  archive(name: string): Uint8Array | undefined {
    return this.#archives.get(name)
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

  async fetch({ name }: Release, signal: AbortSignal): Promise<Uint8Array> {
    this.fetched += 1
    await this.#mayFail(signal)
    const archive = this.archive(name)
    if (archive === undefined) throw new Error(`no bundle ${name}`)
    return archive
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
