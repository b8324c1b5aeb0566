import type { Client, View } from '@wherry/client'
import type { DynamicCache } from '@wherry/dynamic-cache'
import { informerOf } from './informer-of.ts'
import { InformerSource } from './informer-source.ts'
import { isOlder, type OwnWrites } from './own-writes.ts'
import type { Selection } from './selection.ts'

/** What {@link InformerSources} are made of. */
export interface InformerSourcesOptions {
  readonly client: Client
  readonly cache: DynamicCache
  /** Views whose informers stay when nothing depends on them. */
  readonly declared: readonly View[]
  /** Who holds the informers. */
  readonly holder: string
  readonly writes: OwnWrites
}

/** The informers that reads are served from, each from its first use on. */
export class InformerSources {
  readonly #options: InformerSourcesOptions
  /** By the key of the informer's view. */
  readonly #sources = new Map<string, InformerSource>()

  constructor(options: InformerSourcesOptions) {
    this.#options = options
  }

  get views(): View[] {
    return [...this.#sources.values()].map(({ view }) => view)
  }

  get selections(): Selection[] {
    return [...this.#sources.values()].flatMap(({ selections }) => [...selections])
  }

  /** That of an informer's own view. */
  of(view: View): InformerSource {
    const found = this.#sources.get(view.key)
    if (found !== undefined) return found
    const { client, cache, declared, holder, writes } = this.#options
    const source = new InformerSource({
      client,
      cache,
      view,
      holder,
      stays: declared.some(({ key }) => key === view.key),
      writes,
      ended: () => this.#sources.delete(view.key),
    })
    this.#sources.set(view.key, source)
    return source
  }

  /**
   * Whether an object can be read from an informer's store as it stands: nothing depends on that informer yet, and it shows what
   * this process wrote to the object.
   */
  isSeen(view: View, key: string): boolean {
    if (this.#sources.has(view.key)) return false
    const { cache, writes } = this.#options
    const recent = writes.get(view.resource, key)
    if (recent.length === 0) return true
    const informer = informerOf(cache, view)
    return informer !== undefined && !recent.some(write => isOlder(informer, key, write))
  }

  /** Resolves when no informer is held any more. */
  async close(): Promise<void> {
    await Promise.all([...this.#sources.values()].map(source => source.close()))
  }
}
