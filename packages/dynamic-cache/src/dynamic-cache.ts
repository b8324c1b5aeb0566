import {
  type Client,
  type FromServer,
  type KeyOf,
  OptionTypeError,
  type ResourceDefinition,
  type Scope,
  type View,
} from '@wherry/client'
import { abortSignal, anything, checkOptions, keyCheck } from '@wherry/client/internal'
import type { Lister, ListerOptions } from '@wherry/informer'
import { coveredLister, covers, SyncWaiters, whyNotSynced, withTransformErrors } from '@wherry/informer/internal'
import type { CachedInformer } from './cached-informer.ts'
import type { Entry } from './entry.ts'
import { AlreadyCachedError, InformerRemovedError, NotCachedError, ViewHeldError } from './errors.ts'
import type { Hold } from './hold.ts'
import { type Cached, Informers } from './informers.ts'
import { checkCacheOptions, type DynamicCacheOptions } from './options.ts'
import { type CacheReport, reportOf } from './report.ts'

/** Bounds of a read. */
export interface ReadOptions {
  /** Aborts the wait for the view's first state, or the request, with its reason. @default none */
  readonly signal?: AbortSignal | undefined
}

/** Which objects to list, and bounds of the read. */
export interface ReadListOptions extends ListerOptions, ReadOptions {}

/**
 * Informers by view, which you can add and remove while a program runs.
 *
 * One watch serves all views of a resource and scope, whatever their projections. Reading a view that is not cached never loads it, unless you
 * choose so (`onMissing`). Resources may be undefined, and may be defined, removed and defined again: their informers follow without polling.
 *
 * It sends no request until it is used. Two caches in a process are independent.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { DynamicCache } from '@wherry/dynamic-cache'
 *
 * const cache = new DynamicCache({ client: await Client.connect() })
 * const informer = cache.informer(configMaps) // returns at once
 * informer.addHandler({ add: (_, { key }) => console.log('there is', key) })
 * const settings = await cache.get(configMaps, { name: 'settings', namespace: 'arcade' }) // waits for the first state
 * console.log(settings?.data)
 * await cache.remove(configMaps) // closes the watch and frees the memory
 * await cache.close()
 * ```
 */
export class DynamicCache {
  readonly #options: DynamicCacheOptions
  readonly #client: Client
  readonly #informers: Informers
  #closing: Promise<void> | undefined

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: DynamicCacheOptions) {
    checkCacheOptions(options)
    this.#options = options
    this.#client = options.client
    this.#informers = new Informers(options)
  }

  /**
   * The informer of a view; it is started if needed. Returns at once: the informer syncs on its own (rule D2), and stays until {@link
   * DynamicCache.remove}.
   *
   * @throws ViewConflictError for another projection of the same name; CacheClosedError
   */
  informer<C, S extends Scope>(view: View<C, S>): CachedInformer<C, S> {
    const { entry, informer } = this.#informers.ensure(view)
    entry.asked = true
    const isLeaving = entry.rescoping?.isHolders === true && entry.view.key === view.key
    if (isLeaving) entry.rescoping?.fail(new ViewHeldError(view.key, ['informer()']))
    return informer as unknown as CachedInformer<C, S>
  }

  /**
   * The current informers, in a new array. Reading this list starts and holds no informer: each may be moved or removed at any moment, and no move
   * is cancelled (rule D9).
   */
  get informers(): readonly CachedInformer<unknown>[] {
    return this.#informers.all.map(({ informer }) => informer)
  }

  /**
   * The view that currently serves reads of `view` (rule D13): the view itself if it is cached, otherwise a view that covers it. `undefined` if there is
   * none, or if it has not synced. Starts nothing.
   *
   * @throws ViewConflictError for another projection of the same name
   */
  covering(view: View): View | undefined {
    const found = this.#informers.find(view) ?? this.#informers.covering(view)
    return found?.entry.store.synced === true ? found.entry.view : undefined
  }

  /**
   * Reads one object of a view that is cached or covered (rule D13); `undefined` if it does not exist. Waits for the first state. If the view is
   * not cached, `onMissing` decides.
   *
   * Rejects with a `NotCachedError`, a `NotSyncedError` (the signal), an `InformerRemovedError`, a `CacheClosedError`, a `TransformError`, or the
   * server's error if waiting is pointless.
   */
  async get<C, S extends Scope>(
    view: View<C, S>,
    key: KeyOf<S>,
    options: ReadOptions = {},
  ): Promise<FromServer<C> | undefined> {
    checkOptions('get', options, { signal: abortSignal })
    keyCheck('key', key)
    const { signal } = options
    const lister = await this.#lister(view, signal)
    if (lister !== undefined) return lister.get(key) as FromServer<C> | undefined
    if (this.#informers.policies.onMissing(view) === 'live')
      return this.#client.get(withTransformErrors(view), key, { signal })
    return this.#options.narrow?.get(view, key, { signal })
  }

  /**
   * Lists the objects of a view that is cached or covered, in a new array, as {@link DynamicCache.get} reads one. With `onMissing: 'narrow'`, a list of a
   * view that is not cached rejects with a `NotCachedError` too, and so does a list by an `index` with `onMissing: 'live'`.
   */
  async list<C, S extends Scope>(view: View<C, S>, options: ReadListOptions = {}): Promise<FromServer<C>[]> {
    checkOptions('list', options, { signal: abortSignal, namespace: anything, labels: anything, index: anything })
    const { signal, ...which } = options
    const lister = await this.#lister(view, signal)
    if (lister !== undefined) return lister.list(which) as FromServer<C>[]
    if (this.#informers.policies.onMissing(view) === 'narrow') {
      throw new NotCachedError(view.key, 'a narrow cache knows single objects; ask for informer(view) to list them')
    }
    const { namespace, labels, index } = which
    if (index !== undefined)
      throw new NotCachedError(view.key, 'an index is part of an informer: ask for informer(view)')
    const within = (view as View<C>).within({
      ...(namespace !== undefined && { namespaces: [namespace] }),
      ...(labels !== undefined && { labels }),
    })
    return (await this.#client.list(withTransformErrors(within), { signal })).items
  }

  /**
   * Stops and forgets the informer of `view`. Does nothing if there is none.
   *
   * Resolves when its watch is closed (unless other views share the watch) and its store is dropped. After the call none of its handlers runs. Pending
   * waits reject with an `InformerRemovedError`. A later read does what `onMissing` says. A moving informer can be named by either view. Rejects with a
   * `ViewHeldError` if the view is held.
   */
  async remove(view: View): Promise<void> {
    const cached = this.#informers.find(view) ?? this.#informers.comingTo(view)
    if (cached === undefined) return this.#informers.gone()
    if (cached.entry.holds.size > 0) throw new ViewHeldError(view.key, cached.entry.holders)
    return this.#informers.remove(cached)
  }

  /**
   * Moves a running informer to another scope of the same resource and projection (rule D9): its handlers and cursors stay, and receive only the
   * difference. When it resolves, `to` is cached and `from` is not. Until then, reads of `from` work as before, reads of `to` wait, and
   * `informer(to)` returns the moving informer. If the move fails, that informer is still the one of `from`.
   *
   * If it rejects, nothing has changed: with a `NotCachedError` (`from`), an `AlreadyCachedError` (`to`), a `ViewHeldError`, the signal's reason,
   * the server's error for `to` if waiting is pointless, or an `InformerRemovedError` if the informer is removed during the move. A hold of either
   * view during the move cancels the move.
   *
   * @throws OptionRangeError for another resource or projection
   */
  async rescope<C, S extends Scope>(
    from: View<C, S>,
    to: View<C, S>,
    options: ReadOptions = {},
  ): Promise<CachedInformer<C, S>> {
    checkOptions('rescope', options, { signal: abortSignal })
    const cached = this.#informers.find(from)
    if (cached === undefined) throw new NotCachedError(from.key, 'there is nothing to move')
    if (cached.entry.holds.size > 0) throw new ViewHeldError(from.key, cached.entry.holders)
    await this.#informers.move(cached, to as View, false, options.signal)
    return cached.informer as unknown as CachedInformer<C, S>
  }

  /** Resolves when all current informers have synced. Rejects with the error of the first informer that will not sync. */
  async synced(options: ReadOptions = {}): Promise<void> {
    checkOptions('synced', options, { signal: abortSignal })
    await Promise.all(this.#informers.all.map(({ entry }) => entry.whenSynced(options.signal)))
  }

  /**
   * Holds a view for `holder` (a name for messages and reports) until the hold is released: meanwhile the view can't be removed. The first hold starts
   * its informer. The release of the last hold removes the informer, unless `informer` or a read asked for it too. If an informer is moving from or to
   * the view, its move is cancelled.
   *
   * @throws ViewConflictError, CacheClosedError
   */
  hold<C, S extends Scope>(view: View<C, S>, holder: string): Hold<C, S> {
    if (typeof holder !== 'string' || holder === '') throw new OptionTypeError('hold.holder', 'a name', `${holder}`)
    this.#informers.comingTo(view)?.entry.rescoping?.fail(new AlreadyCachedError(view.key))
    const cached = this.#informers.ensure(view)
    const { entry } = cached
    if (entry.view.key === view.key) entry.rescoping?.fail(new ViewHeldError(view.key, [holder]))
    const hold: Hold<C, S> = {
      informer: cached.informer as unknown as CachedInformer<C, S>,
      release: async () => {
        if (!entry.holds.delete(hold) || entry.holds.size > 0 || entry.asked) return
        await this.#informers.remove(cached)
      },
    }
    entry.holds.set(hold, holder)
    return hold
  }

  /**
   * As {@link DynamicCache.rescope}, for the holder of a view: the hold moves to `to`. Rejects with a `ViewHeldError` if another holder or caller uses
   * the informer of the hold, or asks for its present view during the move; with an `InformerRemovedError` if the hold was released.
   */
  async moveHold<C, S extends Scope>(hold: Hold<C, S>, to: View<C, S>, options: ReadOptions = {}): Promise<void> {
    checkOptions('moveHold', options, { signal: abortSignal })
    const cached = this.#informers.all.find(({ entry }) => entry.holds.has(hold))
    if (cached === undefined) throw new InformerRemovedError(hold.informer.view.key)
    const { entry } = cached
    const others = [...entry.holds].filter(([other]) => other !== hold).map(([, name]) => name)
    if (entry.asked) others.push('informer()')
    if (others.length > 0) throw new ViewHeldError(entry.view.key, others)
    await this.#informers.move(cached, to as View, true, options.signal)
  }

  /**
   * Delays lists of a resource, in all its versions, because the server's answers are known to be wrong, for example before a conversion is in
   * place. `until` is called before each list; it returns `undefined`, or a promise that resolves when it may be called again (so it can't be `async`). Its
   * errors go to `onError`, and it is called again later. Open watches go on. Returns a function that ends the delay.
   *
   * @throws OptionTypeError for a resource without `group` and `plural`, such as a view, and without a function
   */
  holdReads(
    resource: Pick<ResourceDefinition, 'group' | 'plural'>,
    until: (namespace: string | undefined) => Promise<void> | undefined,
  ): () => void {
    return this.#informers.hold(resource, until)
  }

  /**
   * Reads all cached objects of a resource again, in each of its versions, after a change that gives objects no new resourceVersion. Handlers receive
   * the objects that differ. Does nothing for a resource that is not cached.
   *
   * @throws OptionTypeError for a resource without `group` and `plural`, such as a view
   */
  relist(resource: Pick<ResourceDefinition, 'group' | 'plural'>): void {
    this.#informers.relist(resource)
  }

  /** A summary, for metrics and for people. */
  report(): CacheReport {
    const entries = this.#informers.all.map(({ entry }) => entry)
    return reportOf(entries, this.#informers.streams, this.#client.environment.clock.now())
  }

  /** Stops all informers, as `remove` does, including held ones. Idempotent. Resolves when all watches are closed. */
  close(): Promise<void> {
    this.#closing ??= this.#informers.close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Resolves with a synced lister for reads of a view; `undefined` if reads bypass the cache. */
  async #lister<C, S extends Scope>(
    view: View<C, S>,
    signal: AbortSignal | undefined,
  ): Promise<Lister<C, S> | undefined> {
    for (;;) {
      this.#informers.mustLive()
      const moving = this.#informers.comingTo(view)
      if (moving !== undefined) await this.#arrived(view, moving.entry, signal)
      const cached = this.#informers.find(view) ?? this.#started(view)
      const found = cached ?? this.#informers.covering(view)
      if (found === undefined) break
      await found.entry.whenSynced(signal)
      const { entry } = found
      // The informer may have moved to another scope during the wait.
      if (entry.view.key === view.key) return entry.store as unknown as Lister<C, S>
      if (cached === undefined && covers(entry.view, view)) return coveredLister(entry.view, entry.store, view)
    }
    if (this.#informers.policies.onMissing(view) === 'error') {
      throw new NotCachedError(view.key, 'ask for informer(view) first, or choose another onMissing')
    }
    return undefined
  }

  /** Waits for the end of an informer's move to the view, whether it succeeds or not. */
  async #arrived(view: View, entry: Entry, signal: AbortSignal | undefined): Promise<void> {
    const waiters = new SyncWaiters()
    void entry.rescoping?.over.then(() => waiters.resolve())
    await waiters.wait(signal).catch(reason => {
      throw whyNotSynced({ view, state: entry.state, lastError: entry.lastError }, signal, reason, 'idle')
    })
  }

  #started(view: View): Cached | undefined {
    if (this.#informers.policies.onMissing(view) !== 'start' || this.#informers.covering(view) !== undefined)
      return undefined
    const cached = this.#informers.ensure(view)
    cached.entry.asked = true
    return cached
  }
}
