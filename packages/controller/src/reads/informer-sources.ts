import type { Client, ResourceDefinition, View } from '@wherry/client'
import type { DynamicCache } from '@wherry/dynamic-cache'
import { informerOf } from './informer-of.ts'
import { InformerSource } from './informer-source.ts'
import { RecentWrites, resourceKey, UnseenWrites, type Written } from './own-writes.ts'
import { isCertainlySelected } from './selected-fields.ts'
import type { Selection } from './selection.ts'

/** What {@link InformerSources} are made of. */
export interface InformerSourcesOptions {
  readonly client: Client
  readonly cache: DynamicCache
  /** Views whose informers stay when nothing depends on them. */
  readonly declared: readonly View[]
  /** Who holds the informers. */
  readonly holder: string
}

/** The informers that reads are served from, each from its first use on, and what this process wrote that they may not show yet. */
export class InformerSources {
  readonly #options: InformerSourcesOptions
  readonly writes: RecentWrites
  /** By the key of the informer's view. */
  readonly #sources = new Map<string, InformerSource>()

  constructor(options: InformerSourcesOptions) {
    this.#options = options
    this.writes = new RecentWrites(options.client.environment.clock)
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
    const { client, cache, declared, holder } = this.#options
    const source = new InformerSource({
      client,
      cache,
      view,
      holder,
      stays: declared.some(({ key }) => key === view.key),
      writes: this.writes,
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
    const recent = this.writes.get(view.resource, key)
    if (recent.length === 0) return true
    const { client, cache } = this.#options
    const informer = informerOf(cache, view)
    const writes = recent.map(one => [key, one] as const)
    return informer !== undefined && !new UnseenWrites(informer, client.environment.clock, writes).has(key)
  }

  /** The uids that a key has now in any informer of its resource: reads may be served from each of them. */
  uids({ resource }: View, key: string): Set<string> {
    const name = resourceKey(resource)
    const ofResource = this.#options.cache.informers.filter(({ view }) => resourceKey(view.resource) === name)
    const uids = ofResource.map(informer => informer.version(key)?.uid)
    return new Set(uids.filter(uid => uid !== undefined))
  }

  /** This process wrote an object: those that are there wait for it, and those that are made in the next minute (rule C10). */
  wrote({ resource }: View, key: string, written: Written): void {
    this.writes.note(resource, key, { ...written, selectedBy: this.#selecting(resource, written) })
    for (const source of this.#sources.values()) {
      if (resourceKey(source.view.resource) === resourceKey(resource)) source.wrote(key, written)
    }
  }

  /** The declared views whose fields certainly select what was written. */
  #selecting(resource: ResourceDefinition, { object }: Written): string[] {
    if (object === undefined) return []
    return this.#options.declared.flatMap(({ key, resource: its, fields }) => {
      const isIn =
        fields.text !== '' && resourceKey(its) === resourceKey(resource) && isCertainlySelected(fields, object)
      return isIn ? [key] : []
    })
  }

  /** Resolves when no informer is held any more. */
  async close(): Promise<void> {
    await Promise.all([...this.#sources.values()].map(source => source.close()))
  }
}
