import { BundleError } from '../bundle/errors.ts'
import { cut } from '../bundle/health.ts'
import type { Manifest } from '../bundle/manifests.ts'
import type { BundleSource, Release } from '../bundle/source.ts'
import type { PlatformOperator } from '../platform-operator.ts'
import type { BundleCache } from './bundle-cache.ts'

/** A release that was fetched and converted for a namespace: all that is needed to apply it, without the catalog. */
export interface Unpacked {
  readonly package: string
  readonly namespace: string
  readonly release: Release
  readonly manifests: readonly Manifest[]
}

/** Why the catalog has nothing to install, or nothing newer. */
export interface Obstacle {
  /** `False`: the catalog has answered. `Unknown`: it has not, or the bundle did not come. */
  readonly status: 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

/** What the catalog has last said about one PlatformOperator. */
export type Answer = { readonly offer: Unpacked; readonly isNewest: boolean } | { readonly obstacle: Obstacle }

interface Known {
  /** The installed release, if it was fetched since this process began. */
  installed?: Unpacked | undefined
  /** The package, channel and namespace of the answer. */
  asked?: string
  answer?: Answer
}

/**
 * The known releases of each PlatformOperator. The installed one is kept for as long as the PlatformOperator exists, so that
 * a catalog that is slow, or gone, does not hold up its repair.
 */
export class Releases {
  readonly #source: BundleSource
  readonly #bundles: BundleCache
  readonly #known = new Map<string, Known>()

  constructor(source: BundleSource, bundles: BundleCache) {
    this.#source = source
    this.#bundles = bundles
  }

  /** The last answer of the catalog; undefined if it was not asked since the spec has changed. */
  answer(of: PlatformOperator): Answer | undefined {
    const { asked, answer } = this.#of(of)
    return asked === askedOf(of) ? answer : undefined
  }

  /** The installed release, as its status says; undefined if it was not fetched since this process began. */
  installed(of: PlatformOperator): Unpacked | undefined {
    const { bundle } = of.status ?? {}
    const { installed, answer } = this.#of(of)
    const known = [installed, answer && 'offer' in answer ? answer.offer : undefined]
    return known.find(one => one?.release.digest === bundle?.digest && one?.namespace === of.spec.namespace)
  }

  /** Fetches the installed release if it is not known. Returns whether it was fetched. */
  async fetchInstalled(of: PlatformOperator, signal: AbortSignal): Promise<boolean> {
    const { bundle } = of.status ?? {}
    const known = this.#of(of)
    known.installed = this.installed(of)
    if (bundle === undefined || known.installed !== undefined) return false
    known.installed = await this.#unpacked(bundle.package ?? of.spec.package, bundle, of.spec.namespace, signal)
    return true
  }

  /** Asks the catalog for the release to install, and fetches that. Returns whether the answer is another one than before. */
  async ask(of: PlatformOperator, signal: AbortSignal): Promise<boolean> {
    const before = this.answer(of)
    const answer = await this.#ask(of, signal)
    Object.assign(this.#of(of), { asked: askedOf(of), answer })
    return before === undefined || textOf(before) !== textOf(answer)
  }

  forget(name: string): void {
    this.#known.delete(name)
  }

  async #ask({ spec, status }: PlatformOperator, signal: AbortSignal): Promise<Answer> {
    const { package: name, channel, namespace } = spec
    // No upgrade path leads from one package to another.
    const installed = status?.bundle?.package === name ? status.bundle : undefined
    let release: Release | undefined
    try {
      release = await this.#source.next({ package: name, channel }, installed, signal)
      if (release !== undefined) {
        const isNewest = release.digest === installed?.digest
        return { offer: await this.#unpacked(name, release, namespace, signal), isNewest }
      }
      const what = channel === undefined ? 'package' : `channel ${channel} of a package`
      const message = `the catalog has no ${what} ${name}`
      return { obstacle: { status: 'False', reason: 'NotInCatalog', message: cut(message) } }
    } catch (error) {
      signal.throwIfAborted()
      const { reason = 'CatalogUnavailable', message } = error as Error & { reason?: string }
      const what = release === undefined ? '' : `${release.name}: `
      const status = error instanceof BundleError ? 'False' : 'Unknown'
      return { obstacle: { status, reason, message: cut(`${what}${message}`) } }
    }
  }

  async #unpacked(of: string, release: Release, namespace: string, signal: AbortSignal): Promise<Unpacked> {
    const { name, version, digest } = release
    const manifests = await this.#bundles.manifests(of, release, namespace, signal)
    return { package: of, namespace, release: { name, version, digest }, manifests }
  }

  #of({ metadata: { name = '' } }: PlatformOperator): Known {
    const known = this.#known.get(name) ?? {}
    this.#known.set(name, known)
    return known
  }
}

function askedOf({ spec: { package: name, channel, namespace } }: PlatformOperator): string {
  return JSON.stringify([name, channel, namespace])
}

/** Says of two answers whether they are the same. */
function textOf(answer: Answer): string {
  return JSON.stringify('offer' in answer ? [answer.offer.release, answer.isNewest] : answer.obstacle)
}
