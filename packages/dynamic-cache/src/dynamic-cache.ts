import { type Client, type ObjectKey, OptionRangeError, OptionTypeError, type Scope, type View } from '@wherry/client'
import { abortSignal, anything, checkOptions } from '@wherry/client/checks'
import {
  coveredLister,
  covers,
  isSameFunction,
  type Lister,
  type ListerOptions,
  PlainStore,
  type Store,
  StreamingSupport,
  ViewConflictError,
} from '@wherry/informer'
import { SyncWaiters, scopeKey } from '@wherry/informer/parts'
import { CachedInformer, type HeldEntry } from './cached-informer.ts'
import { Definitions } from './definitions.ts'
import { Entry } from './entry.ts'
import {
  AlreadyCachedError,
  CacheClosedError,
  InformerRemovedError,
  NotCachedError,
  NotSyncedError,
  ViewHeldError,
} from './errors.ts'
import type { Hold } from './hold.ts'
import { checkCacheOptions, type DynamicCacheOptions, Policies } from './options.ts'
import { type CacheReport, reportOf } from './report.ts'
import { Rescoping } from './rescoping.ts'
import { SharedWatch } from './sharing/shared-watch.ts'

/** How a read may be bounded. */
export interface ReadOptions {
  /** Ends the wait for the view's first state, or the request, with its reason. @default none */
  readonly signal?: AbortSignal | undefined
}

/** Which objects to list, and how that may be bounded. */
export interface ReadListOptions extends ListerOptions, ReadOptions {}

interface Cached {
  readonly entry: Entry
  readonly held: HeldEntry<unknown, Scope>
  readonly informer: CachedInformer<unknown>
}

/**
 * Informers by view, that come and go while a program runs.
 *
 * One watch serves all views of a resource and scope, however they project it. A view that is not cached is never loaded by
 * reading it, unless that was chosen (`onMissing`). Resources may be unknown, come, go and come back: their
 * informers follow, without polling.
 *
 * Makes no request until something is asked of it. Two caches in a process know nothing of each other.
 */
export class DynamicCache {
  readonly #options: DynamicCacheOptions
  readonly #client: Client
  readonly #policies: Policies
  readonly #streaming: StreamingSupport
  readonly #definitions: Definitions
  readonly #cached = new Map<string, Cached>()
  readonly #watches = new Map<string, SharedWatch>()
  /** By the key of the view that each is moving to. */
  readonly #moving = new Map<string, Cached>()
  /** What is not gone yet. */
  readonly #ending = new Set<Promise<void>>()
  #closing: Promise<void> | undefined

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: DynamicCacheOptions) {
    checkCacheOptions(options)
    this.#options = options
    this.#client = options.client
    this.#policies = new Policies(options)
    this.#streaming = new StreamingSupport(options.client.environment.clock)
    this.#definitions = new Definitions(options.client, this.#streaming)
  }

  /**
   * The informer of a view, started if it is not there yet. Returns at once; it syncs by itself (rule D2), and stays until
   * {@link DynamicCache.remove}.
   *
   * @throws ViewConflictError for another projection of the same name.
   */
  informer<C, S extends Scope>(view: View<C, S>): CachedInformer<C, S> {
    const { entry, informer } = this.#ensure(view)
    entry.asked = true
    const isLeaving = entry.rescoping?.isHolders === true && entry.view.key === view.key
    if (isLeaving) entry.rescoping?.fail(new ViewHeldError(view.key, ['informer()']))
    return informer as unknown as CachedInformer<C, S>
  }

  /**
   * The view that reads of `view` are served from at present (rule D13): itself where it is cached, or one that covers it, and
   * that has its first state. `undefined` where there is none. Starts nothing.
   *
   * @throws ViewConflictError for another projection of the same name.
   */
  covering(view: View): View | undefined {
    const found = this.#find(view) ?? this.#covering(view)
    return found?.entry.store.synced === true ? found.entry.view : undefined
  }

  /**
   * One object of a view that is cached, or covered by one that is (rule D13); `undefined` where there is none. Waits for
   * the first state. What is not cached is read as `onMissing` says.
   *
   * Rejects with a `NotCachedError`, a `NotSyncedError` (the signal), an `InformerRemovedError`, a `TransformError`, or what
   * the server said where waiting is vain.
   */
  async get<C, S extends Scope>(
    view: View<C, S>,
    key: ObjectKey<S>,
    options: ReadOptions = {},
  ): Promise<C | undefined> {
    checkOptions('get', options, { signal: abortSignal })
    const { signal } = options
    const lister = await this.#lister(view, signal)
    if (lister !== undefined) return lister.get(key)
    if (this.#policies.onMissing(view) === 'live') return this.#client.get(view, key, { signal })
    return this.#options.narrow?.get(view, key, { signal })
  }

  /**
   * All objects of a view that is cached or covered, in an array of the caller's own. As {@link DynamicCache.get}; with
   * `onMissing: 'narrow'` there is nothing to list from, and that is a `NotCachedError` too.
   */
  async list<C, S extends Scope>(view: View<C, S>, options: ReadListOptions = {}): Promise<C[]> {
    checkOptions('list', options, { signal: abortSignal, namespace: anything, labels: anything, index: anything })
    const { signal, ...which } = options
    const lister = await this.#lister(view, signal)
    if (lister !== undefined) return lister.list(which)
    if (this.#policies.onMissing(view) === 'narrow') {
      throw new NotCachedError(view.key, 'a narrow cache knows single objects; ask for informer(view) to list them')
    }
    const { namespace, labels, index } = which
    if (index !== undefined)
      throw new NotCachedError(view.key, 'an index is part of an informer: ask for informer(view)')
    const within = (view as View<C>).within({
      ...(namespace !== undefined && { namespaces: [namespace] }),
      ...(labels !== undefined && { labels }),
    })
    return (await this.#client.list(within, { signal })).items
  }

  /**
   * Stops and forgets the informer of `view`. Does nothing if there is none.
   *
   * Resolves once its watch is closed (unless other views share it) and its store is gone. From the call on none of its
   * handlers runs; who waits for it is rejected with an `InformerRemovedError`; a later read starts afresh or fails, as
   * `onMissing` says. Of an informer that is moving, both views name it. Rejects with a `ViewHeldError` where somebody
   * holds it.
   */
  async remove(view: View): Promise<void> {
    const cached = this.#find(view) ?? this.#moving.get(view.key)
    if (cached === undefined) return this.#gone(view)
    if (cached.entry.holds.size > 0) throw new ViewHeldError(view.key, cached.entry.holders)
    return this.#remove(cached)
  }

  /**
   * Moves an informer to another scope of the same resource and projection while it runs (rule D9): its handlers and
   * cursors stay, and hear the difference only. When it resolves, `to` is cached and `from` is not. Until then `from` is
   * read as before, reads of `to` wait, and `informer(to)` gives the one that is on its way; should the move fail, that is
   * of `from` still.
   *
   * Rejects, with nothing changed, with a `NotCachedError` (`from`), an `AlreadyCachedError` (`to`), a `ViewHeldError`, the
   * signal's reason, or what the server says of `to` where waiting is vain; with an `InformerRemovedError` where it is
   * removed on the way. Who holds one of the two views meanwhile calls it off.
   *
   * @throws OptionRangeError for another resource or projection.
   */
  async rescope<C, S extends Scope>(
    from: View<C, S>,
    to: View<C, S>,
    options: ReadOptions = {},
  ): Promise<CachedInformer<C, S>> {
    checkOptions('rescope', options, { signal: abortSignal })
    const cached = this.#find(from)
    if (cached === undefined) throw new NotCachedError(from.key, 'there is nothing to move')
    if (cached.entry.holds.size > 0) throw new ViewHeldError(from.key, cached.entry.holders)
    await this.#move(cached, to as View, false, options.signal)
    return cached.informer as unknown as CachedInformer<C, S>
  }

  /** Resolves when all informers that are there now have synced. Rejects as the first of them does that will not. */
  async synced(options: ReadOptions = {}): Promise<void> {
    checkOptions('synced', options, { signal: abortSignal })
    await Promise.all([...this.#cached.values()].map(({ entry }) => entry.readable(options.signal)))
  }

  /**
   * Holds a view for `holder`, a name for messages and reports, until the hold is released: it can't be removed meanwhile.
   * The first hold starts its informer; the last one out removes it, unless it was asked for by `informer` or a read too.
   * An informer that is moving from or to the view stays where it was.
   *
   * @throws ViewConflictError, CacheClosedError
   */
  hold<C, S extends Scope>(view: View<C, S>, holder: string): Hold<C, S> {
    if (typeof holder !== 'string' || holder === '') throw new OptionTypeError('hold.holder', 'a name', `${holder}`)
    this.#moving.get(view.key)?.entry.rescoping?.fail(new AlreadyCachedError(view.key))
    const cached = this.#ensure(view)
    const { entry } = cached
    if (entry.view.key === view.key) entry.rescoping?.fail(new ViewHeldError(view.key, [holder]))
    const hold: Hold<C, S> = {
      informer: cached.informer as unknown as CachedInformer<C, S>,
      release: async () => {
        if (!entry.holds.delete(hold) || entry.holds.size > 0 || entry.asked) return
        await this.#remove(cached)
      },
    }
    entry.holds.set(hold, holder)
    return hold
  }

  /**
   * As {@link DynamicCache.rescope}, for who holds a view: the hold becomes one of `to`. Rejects with a `ViewHeldError` where
   * somebody else holds or has asked for that view, or does so meanwhile; with an `InformerRemovedError` where the hold was
   * released.
   */
  async moveHold<C, S extends Scope>(hold: Hold<C, S>, to: View<C, S>, options: ReadOptions = {}): Promise<void> {
    checkOptions('moveHold', options, { signal: abortSignal })
    const cached = [...this.#cached.values()].find(({ entry }) => entry.holds.has(hold))
    if (cached === undefined) throw new InformerRemovedError(hold.informer.view.key)
    const { entry } = cached
    const others = [...entry.holds].filter(([other]) => other !== hold).map(([, name]) => name)
    if (entry.asked) others.push('informer()')
    if (others.length > 0) throw new ViewHeldError(entry.view.key, others)
    await this.#move(cached, to as View, true, options.signal)
  }

  /** What it holds at present, for metrics and for people. */
  report(): CacheReport {
    const watches = [...this.#watches.values()].reduce((sum, watch) => sum + watch.watches, 0)
    const entries = [...this.#cached.values()].map(({ entry }) => entry)
    return reportOf(entries, watches, this.#client.environment.clock.now())
  }

  /** Ends all informers, as `remove` does, held ones too. Idempotent. Resolves when all watches are closed. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The lister to read a view from, once it has its first state; `undefined` where it is to be read without one. */
  async #lister<C, S extends Scope>(
    view: View<C, S>,
    signal: AbortSignal | undefined,
  ): Promise<Lister<C, S> | undefined> {
    for (;;) {
      this.#mustLive()
      const moving = this.#moving.get(view.key)
      if (moving !== undefined) await this.#arrived(view, moving.entry, signal)
      const cached = this.#find(view) ?? this.#started(view)
      const found = cached ?? this.#covering(view)
      if (found === undefined) break
      await found.entry.readable(signal)
      const { entry } = found
      // While it was waited for it may have moved to another scope.
      if (entry.view.key === view.key) return entry.store.lister as unknown as Lister<C, S>
      if (cached === undefined && covers(entry.view, view)) return coveredLister(entry.view, entry.store.lister, view)
    }
    if (this.#policies.onMissing(view) === 'error') {
      throw new NotCachedError(view.key, 'ask for informer(view) first, or choose another onMissing')
    }
    return undefined
  }

  /** Waits for an informer that is moving to the view, whether it gets there or not. */
  async #arrived(view: View, entry: Entry, signal: AbortSignal | undefined): Promise<void> {
    const waiters = new SyncWaiters()
    void entry.rescoping?.over.then(() => waiters.resolve())
    await waiters.wait(signal).catch(reason => {
      throw new NotSyncedError(view.key, entry.state, reason)
    })
  }

  #started(view: View): Cached | undefined {
    if (this.#policies.onMissing(view) !== 'start' || this.#covering(view) !== undefined) return undefined
    const cached = this.#ensure(view)
    cached.entry.asked = true
    return cached
  }

  /** One that covers the view: one that has synced, if there is one. */
  #covering(view: View): Cached | undefined {
    const all = [...this.#cached.values()].filter(({ entry }) => covers(entry.view, view))
    return all.find(({ entry }) => entry.store.synced) ?? all[0]
  }

  #find(view: View): Cached | undefined {
    const cached = this.#cached.get(view.key)
    if (cached !== undefined && !isSameFunction(cached.entry.view.projection, view.projection)) {
      throw new ViewConflictError(view.key)
    }
    return cached
  }

  #ensure(given: View<unknown, never> | View): Cached {
    this.#mustLive()
    const view = given as View
    return this.#find(view) ?? this.#moving.get(view.key) ?? this.#begin(view)
  }

  #begin(view: View): Cached {
    const { freeze, maxTombstones, maxTombstoneBytes } = this.#options
    const { environment } = this.#client
    const store = new PlainStore({ view, environment, freeze, maxTombstones, maxTombstoneBytes })
    const entry = new Entry(store, this.#watch(view), this.#policies.whenUnknown(view), environment.clock.now())
    const held = { view, entry }
    const cached = { entry, held, informer: new CachedInformer(held) }
    this.#cached.set(view.key, cached)
    entry.start()
    return cached
  }

  /** The watch of a view's scope. */
  #watch(view: View): SharedWatch {
    const key = scopeKey(view)
    const found = this.#watches.get(key)
    if (found !== undefined) return found
    const { initial, pageSize, maxObjectBytes } = this.#options
    let unwait: (() => void) | undefined
    const watch: SharedWatch = new SharedWatch({
      client: this.#client,
      scope: view,
      reading: { initial, pageSize, maxObjectBytes },
      streaming: this.#streaming,
      on: {
        error: error => {
          for (const { entry } of [...this.#cached.values()]) entry.failed(watch, error)
        },
        missing: () => {
          unwait ??= this.#definitions.wait(view.resource, () => watch.retryNow())
        },
        found: () => {
          unwait?.()
          unwait = undefined
        },
        empty: () => {
          unwait?.()
          unwait = undefined
          if (this.#watches.get(key) === watch) this.#watches.delete(key)
          void this.#ended(watch)
        },
      },
    })
    this.#watches.set(key, watch)
    return watch
  }

  #remove(cached: Cached): Promise<void> {
    const { entry, held } = cached
    for (const [key, one] of this.#cached) if (one === cached) this.#cached.delete(key)
    held.view = entry.view
    held.entry = undefined
    const { watch, rescoping } = entry
    entry.end()
    if (rescoping !== undefined) void this.#ended(rescoping.watch)
    return this.#ended(watch)
  }

  /** Resolves when what the watch has ended is closed. */
  #ended(watch: SharedWatch): Promise<void> {
    const ending = watch.closed().finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
    return ending
  }

  /** Whoever removes what is being removed already waits as long. */
  async #gone(view: View): Promise<void> {
    await this.#watches.get(scopeKey(view))?.closed()
    await Promise.all(this.#ending)
  }

  async #move(cached: Cached, to: View, isHolders: boolean, signal: AbortSignal | undefined): Promise<void> {
    const { entry, held } = cached
    checkMove(entry.view, to)
    signal?.throwIfAborted()
    if (entry.view.key === to.key) return
    if (entry.rescoping !== undefined || this.#moving.has(to.key) || this.#find(to) !== undefined) {
      throw new AlreadyCachedError(entry.rescoping?.to.key ?? to.key)
    }
    const from = entry.view.key
    const watch = this.#watch(to)
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

  #mustLive(): void {
    if (this.#closing !== undefined) throw new CacheClosedError()
  }

  async #close(): Promise<void> {
    const closed = new CacheClosedError()
    for (const cached of [...this.#cached.values()]) {
      cached.held.entry = undefined
      cached.entry.end(closed)
    }
    this.#cached.clear()
    await Promise.all([...this.#watches.values()].map(watch => watch.closed()))
    await Promise.all(this.#ending)
    await this.#definitions.close()
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
