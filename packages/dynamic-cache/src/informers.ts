import { OptionRangeError, type Scope, type View } from '@wherry/client'
import { viewCheck } from '@wherry/client/internal'
import { Store, ViewConflictError } from '@wherry/informer'
import { covers, type HeldResource, type HoldReads, isSameFunction } from '@wherry/informer/internal'
import { CachedInformer, type HeldEntry } from './cached-informer.ts'
import { Entry } from './entry.ts'
import { AlreadyCachedError, CacheClosedError } from './errors.ts'
import { type DynamicCacheOptions, Policies } from './options.ts'
import { Rescoping } from './rescoping.ts'
import { Watches } from './watches.ts'

/** One informer of a cache. */
export interface Cached {
  readonly entry: Entry
  readonly held: HeldEntry<unknown, Scope>
  readonly informer: CachedInformer<unknown>
}

/** The informers of a dynamic cache by their views, from their start to their removal, also while they move. */
export class Informers {
  readonly policies: Policies
  readonly #options: DynamicCacheOptions
  readonly #watches: Watches
  readonly #cached = new Map<string, Cached>()
  /** The moving informers, by the key of the view to which each moves. */
  readonly #moving = new Map<string, Cached>()
  #isClosed = false

  constructor(options: DynamicCacheOptions) {
    const { client, initial, pageSize, maxObjectBytes } = options
    this.#options = options
    this.policies = new Policies(options)
    this.#watches = new Watches({
      client,
      reading: { initial, pageSize, maxObjectBytes },
      failed: (watch, error) => {
        for (const { entry } of this.all) entry.failed(watch, error)
      },
      known: watch => {
        for (const { entry } of this.all) entry.known(watch)
      },
    })
  }

  /** The present informers, in a new array. */
  get all(): readonly Cached[] {
    return [...this.#cached.values()]
  }

  /** How many streams are open, or about to be. */
  get streams(): number {
    return this.#watches.streams
  }

  /** The informer of a view. @throws ViewConflictError if a cached view has another function of the same name */
  find(view: View): Cached | undefined {
    viewCheck('view', view)
    const cached = this.#cached.get(view.key)
    if (cached !== undefined && !isSameFunction(cached.entry.view.projection, view.projection)) {
      throw new ViewConflictError(view.key)
    }
    return cached
  }

  /** The informer that is moving to a view. */
  comingTo(view: View): Cached | undefined {
    viewCheck('view', view)
    return this.#moving.get(view.key)
  }

  /** An informer that covers the view (rule D13), preferably a synced one. */
  covering(view: View): Cached | undefined {
    const all = this.all.filter(({ entry }) => covers(entry.view, view))
    return all.find(({ entry }) => entry.store.synced) ?? all[0]
  }

  /** The informer of a view, or the one that is moving there, or a new one. @throws ViewConflictError, CacheClosedError */
  ensure(given: View<unknown, never> | View): Cached {
    this.mustLive()
    const view = given as View
    return this.find(view) ?? this.comingTo(view) ?? this.#begin(view)
  }

  /** Removes an informer: after the call it reads and delivers nothing. Resolves when its streams are closed. */
  remove(cached: Cached): Promise<void> {
    const { entry, held } = cached
    for (const [key, one] of this.#cached) if (one === cached) this.#cached.delete(key)
    held.view = entry.view
    held.entry = undefined
    const { watch, rescoping } = entry
    entry.end()
    if (rescoping !== undefined) void this.#watches.ended(rescoping.watch)
    return this.#watches.ended(watch)
  }

  /** As {@link Watches.hold}. */
  hold(resource: HeldResource, until: HoldReads): () => void {
    return this.#watches.hold(resource, until)
  }

  /** As {@link Watches.relist}. */
  relist(resource: HeldResource): void {
    this.#watches.relist(resource)
  }

  /** Resolves when the informers that were removed before the call are closed. */
  gone(): Promise<void> {
    return this.#watches.gone()
  }

  /**
   * Moves an informer to another scope (rule D9). Resolves when it has arrived and delivered the difference.
   * @param isHolders whether the informer belongs to one holder, so that another request for it cancels the move
   */
  async move(cached: Cached, to: View, isHolders: boolean, signal: AbortSignal | undefined): Promise<void> {
    const { entry, held } = cached
    viewCheck('view', to)
    checkMove(entry.view, to)
    signal?.throwIfAborted()
    if (entry.view.key === to.key) return
    if (entry.rescoping !== undefined || this.#moving.has(to.key) || this.find(to) !== undefined) {
      throw new AlreadyCachedError(entry.rescoping?.to.key ?? to.key)
    }
    const from = entry.view.key
    const watch = this.#watches.of(to)
    const rescoping = new Rescoping({
      store: entry.store as unknown as Store<unknown>,
      from: entry.watch,
      to,
      watch,
      isHolders,
      signal,
      on: {
        arriving: () => {
          this.#moving.delete(to.key)
          this.#cached.delete(from)
          this.#cached.set(to.key, cached)
          entry.watch = watch
          held.view = to
        },
        failed: () => {
          this.#moving.delete(to.key)
          entry.rescoping = undefined
        },
      },
    })
    this.#moving.set(to.key, cached)
    entry.rescoping = rescoping
    await rescoping.done.finally(() => {
      if (entry.rescoping === rescoping) entry.rescoping = undefined
    })
  }

  /** @throws CacheClosedError */
  mustLive(): void {
    if (this.#isClosed) throw new CacheClosedError()
  }

  /** Ends all informers at once. Resolves when all streams are closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    const closed = new CacheClosedError()
    for (const cached of this.all) {
      cached.held.entry = undefined
      cached.entry.end(closed)
    }
    this.#cached.clear()
    await this.#watches.close()
  }

  #begin(view: View): Cached {
    const { client, freeze, maxTombstones, maxTombstoneBytes } = this.#options
    const { environment } = client
    const store = new Store({ view, environment, freeze, maxTombstones, maxTombstoneBytes })
    const whenUnknown = this.policies.whenUnknown(view)
    const entry = new Entry(store, this.#watches.of(view), whenUnknown, environment.clock.now())
    const held = { view, entry }
    const cached = { entry, held, informer: new CachedInformer(held) }
    this.#cached.set(view.key, cached)
    entry.start()
    return cached
  }
}

function checkMove(from: View, to: View): void {
  const [a, b] = [from.resource, to.resource]
  if (a.group !== b.group || a.version !== b.version || a.plural !== b.plural) {
    throw new OptionRangeError('rescope.to', `a view of ${a.plural}`, to.key)
  }
  const [one, other] = [from.projection, to.projection]
  if (one.kind !== other.kind || one.name !== other.name || !isSameFunction(one, other)) {
    throw new OptionRangeError('rescope.to', `a view of the projection ${one.name}`, other.name)
  }
}
