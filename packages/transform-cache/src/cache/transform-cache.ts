import type { Environment, FromServer, KeyOf, Scope, Timer, View } from '@wherry/client'
import { abortSignal, anything, checkOptions, viewCheck } from '@wherry/client/internal'
import { type Lister, type ListerOptions, type SharedInformer, Store, ViewConflictError } from '@wherry/informer'
import {
  coveredLister,
  covers,
  formFor,
  isSameFunction,
  ReflectorSet,
  StreamingSupport,
  scopeKey,
  targetsFor,
} from '@wherry/informer/internal'
import { type MemoryReport, type MemoryReportOptions, memoryReport } from '../memory/memory-report.ts'
import { ViewNotCachedError } from './errors.ts'
import { type TransformCacheOptions, viewsOf } from './options.ts'
import { TransformInformer } from './transform-informer.ts'
import { type ViewStats, viewStats } from './view-stats.ts'

/** Bounds of a wait. */
export interface ReadOptions {
  /** Aborts the wait for the view's first state, with its reason. @default none */
  readonly signal?: AbortSignal | undefined
}

/** Which objects to list, and bounds of the wait. */
export interface ReadListOptions extends ListerOptions, ReadOptions {}

/** The contents of a {@link TransformCache}. */
export interface TransformCacheStats {
  /** The contents of each view, in the order of the option `views`. */
  readonly views: readonly ViewStats[]
  /** How many lists and watches the views share. */
  readonly watches: number
}

type AnyInformer = TransformInformer<unknown>

/**
 * Informers of a fixed set of views that store the results of projections, not the objects.
 *
 * Views of one resource and scope share one watch, in the smallest form that is enough for all of them. Each object is decoded once; each view has
 * its own store and journal. If a scope has only metadata views, the server sends only metadata.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { pods } from '@wherry/client/resources/core'
 * import { pick, TransformCache } from '@wherry/transform-cache'
 *
 * const phases = pods.project(pick('status.phase', 'metadata.labels'))
 * const cache = new TransformCache({ client: await Client.connect(), views: [phases, pods.metadata()] })
 * cache.start()
 * await cache.synced()
 * for (const { metadata, status } of cache.informer(phases).list({ labels: { app: 'chess' } })) {
 *   console.log(metadata?.name, status?.phase)
 * }
 * await cache.close()
 * ```
 */
export class TransformCache {
  readonly #informers = new Map<string, AnyInformer>()
  readonly #watches: readonly ReflectorSet[]
  readonly #environment: Environment
  readonly #metricsEveryMs: number
  #timer: Timer | undefined
  #closing: Promise<void> | undefined
  #isOver = false

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError, ViewConflictError
   */
  constructor(options: TransformCacheOptions) {
    const views = viewsOf(options)
    const { environment } = options.client
    this.#environment = environment
    this.#metricsEveryMs = options.metricsEveryMs ?? 60_000
    const streaming = new StreamingSupport(environment.clock)
    const scopes = Map.groupBy(views, scopeKey)
    this.#watches = [...scopes.values()].map(shared => this.#watch(shared, streaming, options))
    // The informers are kept in the order of the option `views`.
    const byKey = new Map(this.#informers)
    this.#informers.clear()
    for (const { key } of views) this.#informers.set(key, byKey.get(key) as AnyInformer)
  }

  /** Starts the cache. Does nothing if it has started. @throws InformerStoppedError after `close` */
  start(): void {
    for (const informer of this.#informers.values()) void informer.store
    for (const watch of this.#watches) watch.start()
  }

  /**
   * The informer of one of the views: its store, handlers and cursors.
   *
   * @throws ViewNotCachedError, ViewConflictError
   */
  informer<C, S extends Scope>(view: View<C, S>): SharedInformer<C, S> {
    const informer = this.#find(view)
    if (informer === undefined) throw new ViewNotCachedError(view.key, [...this.#informers.keys()])
    return informer as unknown as SharedInformer<C, S>
  }

  /**
   * Reads one object of a cached view, or of a view that a cached view covers (rule D13): its metadata, or fewer namespaces or labels, are read from
   * the wider view, and nothing more is stored. `undefined` if the object does not exist. Waits for the first state.
   *
   * Rejects with a `ViewNotCachedError`, a `NotSyncedError` (the signal), an `InformerStoppedError`, a `TransformError`, or the server's error if
   * waiting is pointless.
   */
  async get<C, S extends Scope>(
    view: View<C, S>,
    key: KeyOf<S> | string,
    options: ReadOptions = {},
  ): Promise<FromServer<C> | undefined> {
    checkOptions('get', options, { signal: abortSignal })
    return (await this.#lister(view, options.signal)).get(key) as FromServer<C> | undefined
  }

  /** Lists the objects of a view, in a new array. Otherwise as {@link TransformCache.get}. */
  async list<C, S extends Scope>(view: View<C, S>, options: ReadListOptions = {}): Promise<FromServer<C>[]> {
    checkOptions('list', options, { signal: abortSignal, namespace: anything, labels: anything, index: anything })
    const { signal, ...which } = options
    return (await this.#lister(view, signal)).list(which) as FromServer<C>[]
  }

  /** Resolves when all views have their first state. Rejects with the error of the first view that will not sync. */
  async synced(options: ReadOptions = {}): Promise<void> {
    checkOptions('synced', options, { signal: abortSignal })
    await Promise.all([...this.#informers.values()].map(informer => informer.whenSynced(options)))
  }

  /** The objects of the cache and their estimated memory; the estimate takes some milliseconds (rule T4). */
  stats(): TransformCacheStats {
    const views = [...this.#informers.values()].map(({ store }) => viewStats(store))
    return { views, watches: this.#watches.length }
  }

  /** A full report for people. It visits all objects, in slices of some milliseconds. */
  memoryReport(options: MemoryReportOptions = {}): Promise<MemoryReport> {
    // The check of options reports a value that is no object.
    const { clock } = this.#environment
    const isObject = typeof options === 'object' && options !== null
    return memoryReport(this.#informers.values(), isObject ? { clock, ...options } : options)
  }

  /**
   * Stops the cache: after the call no handler is called, waits reject, reads throw an `InformerStoppedError`, and the stored objects are dropped.
   * Idempotent. Resolves when its streams are closed.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #watch(views: readonly View[], streaming: StreamingSupport, options: TransformCacheOptions): ReflectorSet {
    const { client, initial, pageSize, maxObjectBytes, freeze, maxTombstones, maxTombstoneBytes } = options
    const { environment } = client
    const informers: AnyInformer[] = []
    const reflectors = new ReflectorSet({
      client,
      targets: targetsFor(views[0] as View, formFor(views)),
      initial,
      pageSize,
      maxObjectBytes,
      streaming,
      on: {
        state: state => {
          if (state === 'watching') for (const one of informers) one.feedWatches()
          const { lastError } = reflectors
          if (state !== 'stopped' || this.#isOver) return
          // The reflectors have stopped by themselves, because the client was closed.
          if (lastError !== undefined) for (const one of informers) one.feedFailed(lastError)
          void this.close()
        },
        error: error => {
          for (const informer of informers) informer.feedFailed(error)
        },
      },
    })
    for (const view of views) {
      const held = { freeze, maxTombstones, maxTombstoneBytes }
      const store: Store<unknown> = new Store({ view, environment, ...held })
      reflectors.feed(store)
      store.onSynced(() => this.#syncedOne())
      const informer = new TransformInformer(store, reflectors)
      informers.push(informer)
      this.#informers.set(view.key, informer)
    }
    return reflectors
  }

  #syncedOne(): void {
    const all = [...this.#informers.values()]
    if (this.#isOver || !all.every(({ store }) => store.synced)) return
    if (this.#metricsEveryMs !== Number.POSITIVE_INFINITY) this.#measureSoon(0)
  }

  #measureSoon(ms: number): void {
    this.#timer = this.#environment.clock.timer(ms, () => void this.#measure())
  }

  /** Sets the metrics, of one view in each turn of the event loop, and again after the interval. */
  async #measure(): Promise<void> {
    const environment = this.#environment
    this.#measureSoon(this.#metricsEveryMs)
    for (const informer of this.#informers.values()) {
      await environment.clock.turn()
      if (this.#isOver) return
      try {
        this.#measureOne(informer)
      } catch (error) {
        environment.onError(error as Error, { resource: 'transform-cache', phase: 'metrics' })
      }
    }
  }

  #measureOne({ store }: AnyInformer): void {
    const { metrics } = this.#environment
    const { view, objects, receivedBytes, keptBytes } = viewStats(store)
    metrics.gauge('wherry_cache_objects', objects, { view })
    metrics.gauge('wherry_cache_received_bytes', receivedBytes, { view })
    metrics.gauge('wherry_cache_kept_bytes', keptBytes, { view })
  }

  /** Removes the metrics of a view that is no longer cached. */
  #forget(view: string): void {
    for (const name of ['objects', 'received_bytes', 'kept_bytes']) {
      this.#environment.metrics.forget?.(`wherry_cache_${name}`, { view })
    }
  }

  #find(view: View): AnyInformer | undefined {
    viewCheck('view', view)
    const informer = this.#informers.get(view.key)
    if (informer !== undefined && !isSameFunction(informer.view.projection, view.projection)) {
      throw new ViewConflictError(view.key)
    }
    return informer
  }

  async #lister<C, S extends Scope>(view: View<C, S>, signal: AbortSignal | undefined): Promise<Lister<C, S>> {
    const own = this.#find(view)
    const informer = own ?? [...this.#informers.values()].find(wide => covers(wide.view, view))
    if (informer === undefined) throw new ViewNotCachedError(view.key, [...this.#informers.keys()])
    await informer.whenSynced({ signal })
    return own === undefined ? coveredLister(informer.view, informer, view) : (own as unknown as Lister<C, S>)
  }

  async #close(): Promise<void> {
    this.#isOver = true
    this.#timer?.cancel()
    const stopping = this.#watches.map(watch => watch.stop())
    for (const informer of this.#informers.values()) {
      informer.end()
      this.#forget(informer.view.key)
    }
    await Promise.all(stopping)
  }
}
