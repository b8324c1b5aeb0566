import type { Client, KubernetesObject, ObjectKey, View } from '@wherry/client'
import { parsedKey, projector, unprojected } from '@wherry/client/internal'
import { readByName } from '../objects/read-by-name.ts'
import type { InformerSource } from './informer-source.ts'
import type { OwnWrites } from './own-writes.ts'

/** How long a run waits for the informer, in milliseconds. After that it reads the object from the server. */
const waitMs = 5000

/** The maximum number of remembered writes that got no answer. Keys of other controllers' objects are never read here, so they would stay. */
const mostUnanswered = 10_000

export interface PrimaryObjectsOptions {
  readonly client: Client
  readonly source: InformerSource
  readonly writes: OwnWrites
}

/**
 * Reads the primary objects of a controller, each at least as new as the last write of this process to it.
 *
 * The informer is new enough in most cases. If it is not, the run waits for it, at most 5 s. After that, and after a write that got no answer, the
 * object is read from the server.
 */
export class PrimaryObjects {
  readonly #options: PrimaryObjectsOptions
  /** A symbol for the last write to an object that got no answer, by key, the oldest first. */
  readonly #unanswered = new Map<string, symbol>()
  /** Ends the subscription to writes. */
  readonly close: () => void

  constructor(options: PrimaryObjectsOptions) {
    const { source, writes } = options
    this.#options = options
    this.close = writes.subscribe(source.view.resource, { unanswered: key => this.#noteUnanswered(key) })
  }

  /** Whether the informer may show an older object than the last write of this process, so that {@link PrimaryObjects.read} is needed. */
  isBehind(key: string): boolean {
    return this.#unanswered.has(key) || this.#options.source.unseen.lacking(key) !== undefined
  }

  /**
   * Resolves with the object, at least as new as the last write of this process to it; `undefined` if it does not exist, or has left the view. Rejects
   * with the server's error if the server had to be asked, or with the signal's reason.
   */
  async read(key: string, signal: AbortSignal): Promise<unknown> {
    const { source, client, writes } = this.#options
    const { informer, unseen, view } = source
    const lost = this.#unanswered.get(key)
    if (lost === undefined && (await unseen.shown(key, waitMs, signal)) === undefined) return informer.get(key)
    const asked = parsedKey(view.resource, key) as ObjectKey
    // An object of that key that appears while the server answers is a new object.
    const before = writes.uids(view, asked)
    const object = await readByName(client, unprojected(view) as View<object>, asked, { signal })
    // The answer may be older than a write that got no answer meanwhile.
    if (this.#unanswered.get(key) !== lost) return this.read(key, signal)
    this.#unanswered.delete(key)
    if (object === undefined) {
      for (const uid of before) writes.deleted(view, asked, uid)
      return undefined
    }
    writes.wrote(view, object)
    // The result is what the informer will show: the object may have left the view, for example because a shard has released it.
    const { labels, uid = '' } = (object as KubernetesObject).metadata ?? {}
    if (!view.labels.matches(labels) || view.shard?.has(uid) === false) return undefined
    return projector(view)(object)
  }

  #noteUnanswered(key: string): void {
    this.#unanswered.delete(key)
    this.#unanswered.set(key, Symbol())
    if (this.#unanswered.size <= mostUnanswered) return
    for (const oldest of this.#unanswered.keys()) {
      this.#unanswered.delete(oldest)
      break
    }
  }
}
