import { type Client, type ObjectKey, projector, unprojected, type View } from '@wherry/client'
import type { CachedInformer } from '@wherry/dynamic-cache'
import { SyncWaiters } from '@wherry/informer/parts'
import { parsedKey } from '../controller/key.ts'
import { type RecentWrites, resourceKey, UnseenWrites, type Written } from './own-writes.ts'

/** How long a run waits for the informer, in milliseconds. Then the object is read from the server. */
const waitMs = 5000
/** How often a waiting run looks at the informer, in milliseconds: a bookmark makes no event. */
const lookMs = 250

/** What {@link PrimaryObjects} are made of. */
export interface PrimaryObjectsOptions {
  readonly client: Client
  readonly informer: CachedInformer<unknown>
  /** What this process wrote within the last minute. */
  readonly writes: RecentWrites
  /** Tells the reads of what the server has. */
  readonly reads: {
    wrote(view: View, answer: object): void
    deleted(view: View, key: ObjectKey, uid: string | undefined): void
  }
}

/**
 * The primary objects of a controller, each at least as new as what this process wrote before it is asked for.
 *
 * The informer is as new in most cases. If it is not, the run waits for its watch, at most 5 s. After that, and after a write
 * whose answer was lost, the object is read from the server.
 */
export class PrimaryObjects {
  readonly #options: PrimaryObjectsOptions
  readonly #unseen: UnseenWrites
  /** Keys of objects to which a write went whose answer was lost. */
  readonly #unanswered = new Set<string>()
  readonly #waiters = new SyncWaiters()

  constructor(options: PrimaryObjectsOptions) {
    const { client, informer, writes } = options
    this.#options = options
    this.#unseen = new UnseenWrites(informer, client.environment.clock, writes.of(informer.view.resource))
  }

  /** An object was written, by whichever version of its resource. */
  wrote(view: View, key: string, written: Written): void {
    if (this.#isOf(view)) this.#unseen.note(key, written)
  }

  /** An object was written, and the answer did not come. */
  unanswered(view: View, key: string): void {
    if (this.#isOf(view)) this.#unanswered.add(key)
  }

  /** The informer has heard of an object. */
  heard(key: string): void {
    this.#unseen.heard(key)
    this.#waiters.resolve()
  }

  /** Whether the informer may show an older object than this process knows of, so that {@link PrimaryObjects.read} is needed. */
  isBehind(key: string): boolean {
    return this.#unanswered.has(key) || this.#unseen.has(key)
  }

  /**
   * The object, new enough; `undefined` if there is none. Rejects with what the server says if it has to be asked and does not
   * answer, or with the signal's reason.
   */
  async read(key: string, signal: AbortSignal): Promise<unknown> {
    const { informer, client, reads } = this.#options
    if (!this.#unanswered.has(key) && (await this.#hasCome(key, signal))) return informer.get(key)
    const { view } = informer
    const asked = parsedKey(view.resource, key) as ObjectKey
    const object = await client.get(unprojected(view) as View<object>, asked, { signal })
    this.#unanswered.delete(key)
    if (object === undefined) {
      reads.deleted(view, asked, informer.version(key)?.uid)
      return undefined
    }
    reads.wrote(view, object)
    return projector(view)(object)
  }

  /** Whether what was written to an object has come within 5 s. */
  async #hasCome(key: string, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options.client.environment
    const until = clock.monotonic() + waitMs
    while (this.#unseen.has(key)) {
      if (clock.monotonic() >= until) return false
      const look = clock.timer(lookMs, () => this.#waiters.resolve())
      await this.#waiters.wait(signal).finally(() => look.cancel())
    }
    return true
  }

  #isOf({ resource }: View): boolean {
    return resourceKey(resource) === resourceKey(this.#options.informer.view.resource)
  }
}
