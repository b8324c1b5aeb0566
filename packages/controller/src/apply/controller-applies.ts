import type { Client, View } from '@wherry/client'
import type { DynamicCache, Hold } from '@wherry/dynamic-cache'
import { abortable, covers } from '@wherry/informer/internal'
import { informerOf } from '../reads/informer-of.ts'
import { resourceKey } from '../reads/own-writes.ts'
import { AppliedObjects } from './applied-object.ts'
import { managerOf } from './manager.ts'
import { OwnEvents } from './own-events.ts'
import { ServerNormalized } from './server-normalized.ts'
import { statusTimes } from './times.ts'
import { type Creation, UnseenCreations } from './unseen-creations.ts'
import { WriteLimiter } from './write-limiter.ts'

/** The controller that applies. */
interface Applier {
  readonly name: string
  /** The primary objects. */
  readonly for: View
  readonly ignoreTimes?: readonly string[] | undefined
}

/** The parts that the applies of a controller share. */
interface AppliesParts {
  readonly client: Client
  readonly cache: DynamicCache
  readonly operator?: string | undefined
}

/** A source of the controller: which objects it watches, and in which form. */
interface ReceivingSource {
  readonly view: View | undefined
  readonly isOwned?: boolean | undefined
  readonly keepsValues?: boolean | undefined
  readonly handlesUnowned?: boolean | undefined
}

/** The maximum number of remembered objects that the view of a shard lacks. An apply to an object beyond these costs a request that is refused. */
const mostUnlabelled = 10_000

/** The state that all applies of one controller share: which objects it applies and which writes it has sent lately. */
export class ControllerApplies {
  readonly controller: string
  /** The view of the primary objects. */
  readonly primary: View
  /** The objects that the controller applies as its own manager, in the form in which they are cached. */
  readonly objects: AppliedObjects
  /** The statuses that the controller applies, in that form. */
  readonly statuses: AppliedObjects
  /** The views that are watched for the sources, each once. A source of owned objects has the view that caches applied objects. */
  readonly views: readonly View[]
  /** The view of the controller's shard for a view that its primary objects own; the same view without shards. */
  readonly narrow: (view: View) => View
  readonly limiter: WriteLimiter
  readonly normalized: ServerNormalized
  /** Knows which events the controller's own writes make. */
  readonly ownEvents: OwnEvents = new OwnEvents()
  /** Finds the objects that were deleted before an informer had seen them. */
  readonly unseen: UnseenCreations
  readonly #parts: AppliesParts
  readonly #sources: readonly ReceivingSource[]
  /** The names of the tasks that {@link ControllerApplies.once} has done. */
  readonly #done = new Set<string>()
  /** The objects that the view of a shard lacked at their last apply. The oldest first. */
  readonly #unlabelled = new Set<string>()
  #statusHold: Hold<unknown> | undefined

  /** @param onLost is called for an object that was deleted before an informer had seen it */
  constructor(
    { name, for: primary, ignoreTimes = [] }: Applier,
    parts: AppliesParts,
    sources: readonly ReceivingSource[],
    onLost: (creation: Creation) => void,
    narrow: (view: View) => View = view => view,
  ) {
    const { operator, client } = parts
    const manager = managerOf(name, operator)
    this.controller = name
    this.narrow = narrow
    this.primary = primary
    this.objects = new AppliedObjects(manager)
    this.statuses = new AppliedObjects(manager, 'status', new Set([...statusTimes, ...ignoreTimes]))
    this.limiter = new WriteLimiter(client.environment.clock)
    this.unseen = new UnseenCreations(client.environment.clock, onLost)
    this.normalized = new ServerNormalized(sources.some(({ handlesUnowned }) => handlesUnowned))
    this.#parts = parts
    this.#sources = sources
    for (const { view, keepsValues } of sources) if (keepsValues && view) this.objects.keepValues(view)
    const views = sources.flatMap(({ view, isOwned }) => {
      if (view === undefined) return []
      return [isOwned ? (this.objects.view(view) as unknown as View) : view]
    })
    this.views = [...new Map(views.map(view => [view.key, view])).values()]
  }

  /** Does a task once in the life of the controller. */
  once(what: string, work: () => void): void {
    if (this.#done.has(what)) return
    this.#done.add(what)
    work()
  }

  /**
   * Whether an informer caches the applied objects of a view: the informer of an `owns`, or that of the primary objects' statuses. The latter
   * starts with the first status, and this method waits until it has synced.
   */
  async isCached(view: View, signal: AbortSignal): Promise<boolean> {
    if (this.isWatched(view)) return true
    const statuses = this.statuses.view(this.primary)
    if (!covers(statuses, view)) return false
    // A reconcile that was left behind holds nothing any more.
    signal.throwIfAborted()
    this.#statusHold ??= this.#parts.cache.hold(statuses, `controller/${this.controller}`)
    // Before the informer has synced, each object would be watched by its name.
    await abortable(this.#statusHold.informer.whenSynced({ signal }), signal)
    return true
  }

  /** Notes an existing object that the view of a shard lacks: the ring labels owned objects later than their owners. */
  noteUnlabelled(id: string): void {
    this.#unlabelled.add(id)
    const [oldest] = this.#unlabelled
    if (this.#unlabelled.size > mostUnlabelled && oldest !== undefined) this.#unlabelled.delete(oldest)
  }

  /** Whether an object is noted as unlabelled, and the informer of the shard's view still lacks it. */
  isUnlabelled(view: View, key: string, id: string): boolean {
    if (!this.#unlabelled.has(id)) return false
    const isShown = informerOf(this.#parts.cache, view)?.version(key) !== undefined
    if (isShown) this.#unlabelled.delete(id)
    return !isShown
  }

  /**
   * Whether a source receives every change of the applied objects of a view, because no predicate filters them.
   * @param isOwned whether the primary object owns them
   */
  isObserved(view: View, isOwned: boolean): boolean {
    return this.#sources.some(
      source =>
        source.isOwned === true &&
        source.keepsValues !== true &&
        (isOwned || source.handlesUnowned === true) &&
        covers(this.objects.view(source.view as View), view),
    )
  }

  /** Whether an informer of a source has the applied objects of a view. */
  isWatched(view: View): boolean {
    return this.views.some(one => covers(one, view))
  }

  /** Whether an informer shows an applied object. */
  isShown({ resource }: View, key: string): boolean {
    const { informers } = this.#parts.cache
    const name = resourceKey(resource)
    return informers.some(one => resourceKey(one.view.resource) === name && one.version(key) !== undefined)
  }

  /** Ends the checks of created objects, and releases the statuses' informer. */
  async close(): Promise<void> {
    this.unseen.close()
    await this.#statusHold?.release()
  }
}
