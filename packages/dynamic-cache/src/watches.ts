import type { Client, View } from '@wherry/client'
import type { ReadingOptions } from '@wherry/informer'
import {
  checkHeldResource,
  HeldReads,
  type HeldResource,
  type HoldReads,
  StreamingSupport,
  scopeKey,
} from '@wherry/informer/internal'
import { PendingDefinitions } from './pending-definitions.ts'
import { SharedWatch } from './sharing/shared-watch.ts'

export interface WatchesOptions {
  readonly client: Client
  readonly reading: ReadingOptions
  /** Called when a watch has failed to list or watch, and tries again. */
  readonly failed: (watch: SharedWatch, error: Error) => void
  /** Called when a watch has learned that the server serves its resource, or does not. */
  readonly known: (watch: SharedWatch) => void
}

/**
 * The shared watches of a cache, one for each requested resource and scope (rule D12). Watches of a resource that
 * the server does not know wait for its definition (rules D7, D8).
 */
export class Watches {
  readonly #options: WatchesOptions
  readonly #streaming: StreamingSupport
  readonly #definitions: PendingDefinitions
  readonly #held = new HeldReads()
  readonly #byScope = new Map<string, SharedWatch>()
  readonly #resources = new Map<SharedWatch, HeldResource>()
  /** The watches that are being closed. */
  readonly #ending = new Set<Promise<void>>()

  constructor(options: WatchesOptions) {
    const { client } = options
    this.#options = options
    this.#streaming = new StreamingSupport(client.environment.clock)
    this.#definitions = new PendingDefinitions(client, this.#streaming)
  }

  /** How many streams are open, or about to be. */
  get streams(): number {
    return [...this.#byScope.values()].reduce((sum, watch) => sum + watch.watches, 0)
  }

  /** The watch of a view's scope. It is forgotten when it feeds no store any more. */
  of(view: View): SharedWatch {
    const key = scopeKey(view)
    const existing = this.#byScope.get(key)
    if (existing !== undefined) return existing
    const { client, reading, failed, known } = this.#options
    let unwait: (() => void) | undefined
    const endWait = (): void => {
      unwait?.()
      unwait = undefined
    }
    const watch: SharedWatch = new SharedWatch({
      client,
      scope: view,
      reading,
      streaming: this.#streaming,
      held: this.#held,
      on: {
        error: error => failed(watch, error),
        missing: () => {
          unwait ??= this.#definitions.wait(view.resource, () => watch.retryNow())
          known(watch)
        },
        found: () => {
          endWait()
          known(watch)
        },
        empty: () => {
          endWait()
          if (this.#byScope.get(key) === watch) this.#byScope.delete(key)
          this.#resources.delete(watch)
          void this.ended(watch)
        },
      },
    })
    this.#byScope.set(key, watch)
    this.#resources.set(watch, view.resource)
    return watch
  }

  /** Delays lists of a resource, in all versions, until the promise of `until` resolves. Returns a function that ends the delay. */
  hold(resource: HeldResource, until: HoldReads): () => void {
    return this.#held.hold(resource, until)
  }

  /** Reads all objects of a resource again, in each version. @throws OptionTypeError */
  relist(resource: HeldResource): void {
    checkHeldResource('relist.resource', resource)
    const { group, plural } = resource
    for (const [watch, one] of this.#resources) if (one.group === group && one.plural === plural) watch.relist()
  }

  /** Resolves when the streams that a watch has ended before the call are closed. */
  ended(watch: SharedWatch): Promise<void> {
    const ending = watch.closed().finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
    return ending
  }

  /** Resolves when all streams that were ended before the call are closed. */
  async gone(): Promise<void> {
    await Promise.all([...this.#byScope.values()].map(watch => watch.closed()))
    await Promise.all(this.#ending)
  }

  /** Ends the waits for definitions. Resolves when all ended streams are closed. Feeds of stores are ended by their entries. */
  async close(): Promise<void> {
    await this.gone()
    await this.#definitions.close()
  }
}
