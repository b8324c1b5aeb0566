import type { Client, KeyOf, Metrics, Scope, View, WriteListener } from '@wherry/client'
import {
  abortSignal,
  anySignal,
  asError,
  checkedKey,
  checkOptions,
  having,
  keyText,
  milliseconds,
  parsedKey,
  readAs,
} from '@wherry/client/internal'
import type { CachedInformer, Hold } from '@wherry/dynamic-cache'
import { within } from '@wherry/informer/internal'
import type { WatchManager } from '@wherry/watch-manager'
import { Priority, WorkQueue } from '@wherry/work-queue'
import { ControllerApplies } from '../apply/controller-applies.ts'
import { ApplyDelayedError } from '../apply/errors.ts'
import { objectId } from '../apply/own-events.ts'
import type { Creation } from '../apply/unseen-creations.ts'
import { EventRecorder } from '../events/event-recorder.ts'
import { LeadershipLostError } from '../leader/errors.ts'
import { environmentLogger } from '../logging/logger.ts'
import type { Loop } from '../loops/loop.ts'
import { Loops } from '../loops/loops.ts'
import { causalityOf } from '../loops/shared-writes.ts'
import { identityOf } from '../objects/identity.ts'
import { noObject, primaryView } from '../objects/no-primary.ts'
import { readByName } from '../objects/read-by-name.ts'
import { versionOf } from '../objects/version.ts'
import { everything } from '../objects/views.ts'
import { informerOf } from '../reads/informer-of.ts'
import type { PrimaryObjects } from '../reads/primary-objects.ts'
import { isWithin } from '../reads/selection-scope.ts'
import { serverDifference } from '../reads/server-difference.ts'
import { TrackedReads } from '../reads/tracked-reads.ts'
import type { ControllerShard } from '../shards/controller-shard.ts'
import { type Cause, plainCause } from '../sources/cause.ts'
import { type ControllerSource, type ControllerSourceTarget, debounced } from '../sources/controller-source.ts'
import { cached, primary, released } from '../sources/controller-sources.ts'
import { Debouncer } from '../sources/debounce.ts'
import { UsageError } from '../usage-error.ts'
import { work } from '../workers.ts'
import { type CurrentRun, isReconciling, reconciling } from './current-run.ts'
import { type ControllerDefinition, type ControllerParts, checkDefinition, checkParts } from './definition.ts'
import { ControllerStoppedError, SourceNotSyncedError, StillRunningError } from './errors.ts'
import { type Explanation, explanationOf, type KeyShard } from './explanation.ts'
import { guardedLimiter } from './guarded-limiter.ts'
import { type KeyState, KeyStates } from './key-state.ts'
import { Reconciler } from './reconciler.ts'
import { sharded } from './sharded.ts'
import { type NamedConnection, unsynced, unsyncedLine, untilSynced } from './syncing.ts'

/** How a controller is started. */
export interface StartOptions {
  /** The client that reconciles write with, for example that of a leader's term. @default the controller's */
  readonly client?: Client | undefined
  /** Aborts the start. */
  readonly signal?: AbortSignal | undefined
  /** How long sources may take to close if the start fails, in milliseconds. @default 30_000 */
  readonly stopTimeoutMs?: number | undefined
}

/** How a controller is stopped. */
export interface StopOptions {
  /** The reason. Running reconciles find it in their signal. @default a `ControllerStoppedError` */
  readonly reason?: Error | undefined
  /** How long running reconciles and sources may take to end, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number | undefined
}

/** `starting`: it waits for its sources. `stopping`: reconciles are still running. */
export type ControllerState = 'idle' | 'starting' | 'running' | 'stopping' | 'stopped'

/**
 * One controller of an operator. It gets events of objects through its sources, queues the keys of primary objects, and calls `reconcile` for each.
 * It can also be used without an operator:
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { Controller } from '@wherry/controller'
 * import { DynamicCache } from '@wherry/dynamic-cache'
 * import { NarrowCache } from '@wherry/narrow-cache'
 *
 * const client = await Client.connect()
 * const [cache, narrow] = [new DynamicCache({ client }), new NarrowCache({ client })]
 * const reconcile = (): void => {}
 * const controller = new Controller({ name: 'settings', for: configMaps, reconcile }, { client, cache, narrow })
 * await controller.start()
 * await controller.stop()
 * ```
 */
export class Controller<C, S extends Scope = Scope> {
  readonly name: string
  /** The views that the controller declares, each once, the view of its primary objects first. For owned objects, the view that is watched. */
  readonly views: readonly View[]
  readonly #definition: ControllerDefinition<C, S>
  /** The view of its primary objects. */
  readonly #view: View<C, S>
  readonly #parts: ControllerParts
  readonly #shard: ControllerShard | undefined
  readonly #queue: WorkQueue
  readonly #states = new KeyStates()
  #activity = 0
  /** Whether `explain` was called: from then on causes name the fields that changed. */
  #isExplained = false
  readonly #reads: TrackedReads
  readonly #applies: ControllerApplies
  readonly #sources: readonly ControllerSource[]
  readonly #stopping = new AbortController()
  /** The holds of the views, in the order of the views. */
  readonly #holds: Hold<unknown>[] = []
  #primary: PrimaryObjects | undefined
  /** How many runs have begun. */
  #begun = 0
  /** The last time that all keys were queued: how many runs had begun by then, and whether it was for the objects that exist at the start. */
  #allQueued: { readonly begun: number; readonly isInitial: boolean } | undefined
  readonly #connections: NamedConnection[] = []
  /** The debouncers of the sources that have one. */
  readonly #debouncers: Debouncer[] = []
  readonly #loops: Loops
  #reconciler: Reconciler<C, S> | undefined
  #recorder: EventRecorder | undefined
  #working: Promise<void> = Promise.resolve()
  #unmeasure: (() => void) | undefined
  #state: ControllerState = 'idle'
  #stopped: Promise<void> | undefined

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(definition: ControllerDefinition<C, S>, parts: ControllerParts)
  // An operator also passes the part of the controller that a shard runs (rule C7).
  constructor(given: ControllerDefinition<C, S>, parts: ControllerParts, shard?: ControllerShard) {
    checkDefinition(given as unknown as ControllerDefinition<never, never>)
    checkParts(parts)
    const definition = shard === undefined ? given : sharded(given, shard)
    this.#shard = shard
    this.#definition = definition
    this.#parts = parts
    this.name = definition.name
    const { sources = [], caches = [], predicates = [], debounce } = definition
    this.#view = primaryView(definition.for)
    const primaries = definition.for === 'singleton' ? [] : [primary(definition.for, predicates)]
    const waiting = debounce === undefined ? primaries : primaries.map(one => debounced(one, debounce))
    const assigned = shard?.assigned
    const releasing = assigned === undefined ? [] : [released(assigned.drained)]
    this.#sources = [...waiting, ...releasing, ...sources, ...caches.map(cached)]
    assigned?.watch(key => this.#informer?.version(key) !== undefined)
    const { name, ignoreTimes } = definition
    const applier = { name, ignoreTimes, for: this.#view as unknown as View }
    this.#applies = new ControllerApplies(
      applier,
      parts,
      this.#sources,
      creation => this.#lost(creation),
      shard && (view => shard.narrow(view)),
    )
    this.views = this.#applies.views
    const { environment } = parts.client
    this.#queue = new WorkQueue({
      clock: environment.clock,
      rateLimiter: definition.rateLimiter && guardedLimiter(definition.rateLimiter, environment, this.name),
      observer: parts.metrics?.queueObserver(this.name),
      onError: (error, { phase }) => environment.onError(error, { phase: `${this.name} ${phase}` }),
    })
    this.#reads = new TrackedReads({
      client: parts.client,
      cache: parts.cache,
      narrow: parts.narrow,
      writes: parts.writes,
      declared: this.views,
      alsoListed: () => this.#sources.flatMap(({ cached = [] }) => cached),
      onChange: (key, { view, object, change, from, to }) =>
        this.#enqueue(key, { source: 'read', change, view, object, from, to }, false),
      poll: parts.poll,
      name: `controller/${this.name}`,
    })
    this.#loops = new Loops({
      ...{ controller: this.name, environment, causality: causalityOf(this.#reads.writes) },
      notify: (key, reason, message) => {
        // A singleton has no primary object that events could be about.
        if (this.#isSingleton) return
        const object = identityOf(parsedKey(this.#view.resource, key), this.#informer?.version(key))
        const recorder = this.#parts.events ?? this.#recorder
        recorder?.record(this.#view as unknown as View, object, { type: 'Warning', reason, message })
      },
      read: async (view, key) => {
        const named = parsedKey(view.resource, key)
        return readByName(parts.client, readAs(everything(view), 'full'), named, { signal: this.#stopping.signal })
      },
    })
  }

  get state(): ControllerState {
    return this.#state
  }

  /**
   * A counter of the controller's activity. If it has not changed between two calls, and nothing was pending at both, the controller did nothing
   * between them.
   */
  get activity(): number {
    return this.#activity
  }

  /** The keys of the views that are not watched yet, except views of resources that may be defined later, by the cache's options. */
  get unwatched(): readonly string[] {
    const watched = this.#holds.filter(({ informer: { hasSynced, isAbsent } }) => hasSynced || isAbsent)
    const keys = new Set(watched.map(({ informer }) => informer.view.key))
    return this.views.map(({ key }) => key).filter(key => !keys.has(key))
  }

  get reads(): TrackedReads {
    return this.#reads
  }

  /** Starts to cache its views without reconciling: this is all that a candidate for leadership does. Idempotent. */
  prepare(): void {
    if (this.#stopping.signal.aborted) return
    // The cache may refuse a view; the views before it are held by then.
    for (const view of this.views.slice(this.#holds.length)) {
      this.#holds.push(this.#parts.cache.hold(view, `controller/${this.name}`))
    }
    if (!this.#isSingleton) this.#primary ??= this.#reads.primary(this.views[0] as View)
  }

  /** Whether the controller has no primary objects, and its name as its only key. */
  get #isSingleton(): boolean {
    return this.#definition.for === 'singleton'
  }

  /** The informer of the primary objects, while the controller holds it. */
  get #informer(): CachedInformer<C, S> | undefined {
    if (this.#isSingleton) return undefined
    return this.#holds[0]?.informer as CachedInformer<C, S> | undefined
  }

  /**
   * Starts to watch and to reconcile. Resolves when all sources have synced and the workers have started (rule C3).
   *
   * Rejects with a {@link SourceNotSyncedError} that names the sources that did not sync within `syncTimeoutMs`, with the signal's reason, or with
   * a {@link UsageError}. The controller is stopped then.
   */
  async start(options: StartOptions = {}): Promise<void> {
    checkOptions('start', options, {
      client: having('a Client', 'get', 'create'),
      signal: abortSignal,
      stopTimeoutMs: milliseconds(),
    })
    if (this.#state !== 'idle') {
      throw new UsageError('CONTROLLER_USED', `the controller ${this.name} was started already: create another one`)
    }
    const { client = this.#parts.client, signal, stopTimeoutMs } = options
    this.#state = 'starting'
    try {
      signal?.throwIfAborted()
      this.prepare()
      this.#reconciler = this.#reconcilerWith(client)
      const ended = anySignal(this.#stopping.signal, signal)
      if (options.client !== undefined) await this.#noteOtherLeaders(client, ended)
      for (const source of this.#sources) {
        this.#stopping.signal.throwIfAborted()
        const connected = {
          name: source.name,
          connection: source.connect(this.#target(source)),
          hasSynced: false,
        }
        this.#connections.push(connected)
        // Connecting the source has stopped the controller, which did not have the connection yet.
        if (this.#stopping.signal.aborted) this.#leave([], await this.#closeSources([connected], stopTimeoutMs))
      }
      const { syncTimeoutMs = 120_000 } = this.#definition
      await untilSynced(this.name, this.#connections, this.#parts.client.environment, syncTimeoutMs, ended)
      this.#stopping.signal.throwIfAborted()
      this.#begin()
    } catch (error) {
      await this.stop({ timeoutMs: stopTimeoutMs })
      throw error
    }
  }

  /**
   * Stops the controller. After the call no reconcile starts, and the signals of running reconciles are aborted. Resolves when they have ended and
   * everything is closed, after `timeoutMs` at most. If a reconcile calls it, it resolves at once. Idempotent.
   */
  async stop(options: StopOptions = {}): Promise<void> {
    checkOptions('stop', options, { reason: having('an Error', 'toString'), timeoutMs: milliseconds() })
    this.#stopped ??= this.#stop(options)
    // Otherwise the stop would wait for the reconcile that called it.
    if (!isReconciling()) await this.#stopped
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** Makes a key run, as if something that it depends on had changed. */
  enqueue(key: KeyOf<S>): void {
    const { text } = checkedKey({ resource: this.#view.resource }, key, undefined, 'enqueue')
    this.#enqueue(text, reportedCause, false)
  }

  /**
   * A line for each key that runs, or waits for a retry, for a write or for further events, and a line with the number of queued keys. Empty if the
   * controller is idle. Keys that wait for `requeueAfterMs` count as idle.
   */
  pending(): readonly string[] {
    const running = this.#queue.unfinished().map(({ key }) => `${key} is being reconciled`)
    const queued = this.#queue.size > 0 ? [`${this.#queue.size} queued`] : []
    const waiting = [...this.#states].flatMap(([key, state]) => {
      const { isRetrying, waitsFor } = state
      const failure = failureOf(state)
      const why = failure === undefined ? '' : `: ${failure.message}`
      return [
        ...(isRetrying ? [`${key} waits to be tried again${why}`] : []),
        ...(waitsFor === undefined ? [] : [`${key} waits to write ${[...waitsFor].join(', ')}${why}`]),
      ]
    })
    const debounced = this.#debouncers.flatMap(one => [...one.keys()].map(key => `${key} waits for further events`))
    return [...running, ...queued, ...waiting, ...debounced].map(line => `${this.name}: ${line}`)
  }

  /** Whether the controller is reconciling a key. */
  get isReconciling(): boolean {
    return this.#queue.unfinished().length > 0
  }

  /** The error of a key that failed and waits for its next run; `undefined` if there is no such key. */
  get failure(): Error | undefined {
    for (const state of this.#states.values()) {
      const failure = state.isRetrying || state.waitsFor !== undefined ? failureOf(state) : undefined
      if (failure !== undefined) return failure
    }
    return undefined
  }

  /** A text that says what keeps the controller from reconciling; `undefined` if nothing does. */
  get obstacle(): string | undefined {
    const { name, state } = this
    if (state === 'running') return undefined
    if (state === 'stopping' || state === 'stopped') return `${name} is ${state}`
    const sources = unsynced(this.#connections).map(unsyncedLine)
    const missing = sources.length > 0 ? sources : this.unwatched
    if (missing.length > 0) return `${name} is ${state}: it waits for the first state of ${missing.join(', ')}`
    return state === 'idle' ? `${name} waits to lead` : `${name} is starting`
  }

  /** The loops of the last minute: keys that run again and again because of their own writes or requests. */
  get loops(): readonly Loop[] {
    return this.#loops.all
  }

  /** Explains a key: its dependencies, the cause of its last run, and how that run ended. */
  explain(key: KeyOf<S> | string): Explanation {
    this.#isExplained = true
    const { resource } = this.#view
    const asked = typeof key === 'string' ? parsedKey(resource, key) : key
    const { text } = checkedKey({ resource }, asked, undefined, 'explain')
    const { informers } = this.#parts.cache.report()
    const about = {
      controller: this.name,
      key: text,
      exists: this.#isSingleton ? text === this.name : this.#informer?.version(text) !== undefined,
      waitsFor: this.#reconciler?.openCalls(text) ?? [],
      loop: this.#loops.of(text),
      shard: this.#shardOf(text),
      reads: this.#reads.dependencies(text),
      watched: this.views.map(({ key: view }) => ({ view, informer: informers.find(one => one.view === view) })),
    }
    const debounced = this.#debouncers.flatMap(one => one.waits(text) ?? one.waits(allKeys) ?? [])
    return explanationOf(about, this.#states.get(text), this.#queue, debounced[0])
  }

  #shardOf(key: string): KeyShard | undefined {
    if (this.#shard === undefined) return undefined
    const { ring, name } = this.#shard
    const isReleasing = this.#drainedVersion(key) !== undefined
    const has = isReleasing ? 'releases' : this.#informer?.version(key) === undefined ? 'no' : 'yes'
    return { ring, name, has }
  }

  /**
   * Another process may have led until now, and its last writes may not have reached the informers yet. The server's present state
   * counts as written by this process, so that no reconcile sees an older state.
   */
  async #noteOtherLeaders(client: Client, ended: AbortSignal): Promise<void> {
    const { cache } = this.#parts
    for (const view of this.views) {
      const informer = informerOf(cache, view)
      if (informer?.hasSynced !== true) continue
      try {
        const found = await serverDifference(client, informer, ended)
        for (const object of found?.newer ?? []) this.#reads.writes.wrote(view, object)
        for (const [key, uid] of found?.gone ?? []) {
          this.#reads.writes.deleted(view, parsedKey(view.resource, key), uid)
        }
      } catch (error) {
        if (ended.aborted) throw ended.reason
        client.environment.onError(asError(error), { phase: `start ${this.name}`, resource: view.key })
      }
    }
  }

  #reconcilerWith(client: Client): Reconciler<C, S> {
    const view = this.#view
    const { narrow, log, events, runs } = this.#parts
    const { environment } = this.#parts.client
    if (events === undefined) this.#recorder = new EventRecorder({ client, controller: this.name })
    return new Reconciler({
      definition: this.#definition,
      client: client.withWriteListeners(narrow, this.#reads.writes, this.#writes),
      loops: this.#loops,
      traces: this.#parts.traces,
      reads: this.#reads,
      applies: this.#applies,
      log: log ?? environmentLogger(environment),
      events: events ?? (this.#recorder as EventRecorder),
      identity: key => identityOf(parsedKey(view.resource, key), this.#informer?.version(key)),
      queue: this.#queue,
      runs,
      states: this.#states,
      shard: this.#shard,
      drainedVersion: key => this.#drainedVersion(key),
      get: (key, signal) => {
        // Somebody may enqueue another name, which is no key of a singleton.
        if (this.#isSingleton) return key === this.name ? (noObject as C) : undefined
        if (this.#primary?.isBehind(key) !== true) return this.#informer?.get(key)
        return this.#primary.read(key, signal()) as Promise<C | undefined>
      },
    })
  }

  /** Receives each write of a run of this controller. */
  get #writes(): WriteListener {
    const noted = (note: (run: CurrentRun) => void): void => {
      const run = reconciling.getStore()
      if (run?.isOver === false) note(run)
    }
    return {
      wrote: (view, answer) => noted(run => this.#loops.wrote(run, view, answer)),
      deleted: (view, key) => noted(run => this.#loops.deleted(run, view, keyText(key))),
    }
  }

  #target(source: ControllerSource): ControllerSourceTarget {
    const { cache, client } = this.#parts
    const debouncer = this.#debouncer(source)
    const isNaming = (): boolean => this.#isExplained || this.#parts.runs?.isRead === true
    const enqueue = (key: string, cause: Cause, isInitial: boolean): void => {
      if (isInitial || debouncer === undefined) this.#enqueue(key, cause, isInitial)
      else debouncer.add(key, cause)
    }
    return {
      controller: this.name,
      primary: this.#view.resource,
      cache,
      manager: Manager => this.#manager(Manager),
      environment: client.environment,
      applied: this.#applies.objects,
      enqueue,
      unlessOwn: (view, key, object, notify) => {
        const id = objectId(view, key)
        this.#applies.unseen.shown(id)
        this.#applies.ownEvents.received(id, versionOf(object), notify)
      },
      gone: (key, last) => {
        if (this.#shard?.assigned?.wasReleased(key) !== true) this.#reconciler?.gone(key, last as C)
      },
      accepts: key => isKeyOf(this.#view, key),
      isTraced: this.#parts.traces !== undefined,
      get namesChanges() {
        return isNaming()
      },
      all: () => this.#all(),
      enqueueAll: (cause, isInitial) => {
        if (isInitial || debouncer === undefined) this.#enqueueAll(cause, isInitial)
        else debouncer.add(allKeys, cause)
      },
    }
  }

  #manager(Manager: typeof WatchManager): WatchManager {
    const { manager } = this.#parts
    if (typeof manager === 'function') return manager(Manager)
    if (manager !== undefined) return manager
    throw new UsageError(
      'NO_MANAGER',
      `a source of the controller ${this.name} needs a WatchManager: give the controller one`,
    )
  }

  /** Makes a key run: an object that it has created was deleted before an informer had seen it, so no event reports the deletion. */
  #lost({ view, key, by }: Creation): void {
    for (const { connection } of this.#connections) connection.lost?.(view, key)
    const cause: Cause = { ...plainCause('owns', 'deleted'), view: view.key, object: key }
    this.#enqueue(by, cause, false)
  }

  #debouncer({ debounce }: ControllerSource): Debouncer | undefined {
    if (debounce === undefined) return undefined
    const { clock } = this.#parts.client.environment
    const debouncer = new Debouncer(debounce, clock, (key, cause) => {
      if (key === allKeys) this.#enqueueAll(cause, false)
      else this.#enqueue(key, cause, false)
    })
    this.#debouncers.push(debouncer)
    return debouncer
  }

  #all(): Iterable<string> {
    return this.#isSingleton ? [this.name] : (this.#informer?.keys() ?? [])
  }

  /** Queues all keys. If no run has begun since the last time, the keys are still queued; the event of a new primary object has queued its key. */
  #enqueueAll(cause: Cause, isInitial: boolean): void {
    const last = this.#allQueued
    if (last?.begun === this.#begun && (isInitial || !last.isInitial)) return
    this.#allQueued = { begun: this.#begun, isInitial }
    for (const key of this.#all()) this.#enqueue(key, cause, isInitial)
  }

  /** Whether a key is this shard's, or there is something to do for it here. The event of a primary object that is still to come makes its key run. */
  #isHere(key: string): boolean {
    const shard = this.#shard
    if (shard === undefined || this.#informer?.version(key) !== undefined) return true
    if (this.#states.get(key)?.gone !== undefined) return true
    return shard.assigned?.hasGivenUp(key) === true || this.#drainedVersion(key) !== undefined
  }

  #drainedVersion(key: string): string | undefined {
    const drained = this.#shard?.assigned?.drained
    return drained && informerOf(this.#parts.cache, drained)?.version(key)?.resourceVersion
  }

  #enqueue(key: string, cause: Cause, isInitial: boolean): void {
    if (this.#queue.state !== 'open' || !this.#isHere(key)) return
    const state = this.#states.obtain(key)
    // Two sources may report one change. A run that was handed out for the first report, and has not begun, will see the whole change.
    const isAboutToRun = state.pending !== undefined && this.#queue.dueInMs(key) === undefined
    state.add(cause)
    state.drive = this.#loops.caused(key, state.drive, cause)
    const afterMs = this.#loops.waitMs(key, cause)
    if (afterMs > 0) this.#queue.add(key, { afterMs })
    else if (!isAboutToRun) this.#queue.add(key, isInitial ? initially : undefined)
    this.#activity += 1
  }

  #begin(): void {
    const { concurrency = 1 } = this.#definition
    const { metrics, client } = this.#parts
    const { clock, metrics: measured } = client.environment
    beginMeasuring(measured, this.name, concurrency)
    this.#unmeasure = metrics?.queue(this.name, this.#queue)
    const reconciler = this.#reconciler as Reconciler<C, S>
    this.#state = 'running'
    client.environment.log('info', 'has synced, and reconciles', { controller: this.name })
    if (this.#isSingleton) this.#enqueue(this.name, startCause, true)
    this.#working = work(this.#queue, concurrency, clock, async key => {
      this.#begun += 1
      for (const debouncer of this.#debouncers) {
        debouncer.begun(key)
        if (this.#isSingleton) debouncer.begun(allKeys)
      }
      await reconciler.run(key)
      this.#activity += 1
    })
  }

  async #stop({ reason = new ControllerStoppedError(this.name), timeoutMs = stopMs }: StopOptions): Promise<void> {
    const { environment } = this.#parts.client
    this.#state = 'stopping'
    this.#stopping.abort(reason)
    this.#loops.close()
    this.#unmeasure?.()
    for (const debouncer of this.#debouncers) debouncer.close()
    const queueStopped = this.#queue.stop()
    this.#reconciler?.stop(reason)
    const [sources] = await Promise.all([
      this.#closeSources(this.#connections, timeoutMs),
      within(Promise.all([queueStopped, this.#working]), timeoutMs, environment.clock),
    ])
    const running = this.#queue.unfinished().map(({ key }) => key)
    this.#leave(running, sources)
    // The client of a lost term sends nothing any more, so waiting would not help.
    await this.#recorder?.close(reason instanceof LeadershipLostError ? { timeoutMs: 0 } : {})
    await this.#reads.close()
    // After this, explain() has nothing left to report.
    await Promise.all(this.#holds.splice(0).map(hold => hold.release()))
    await this.#applies.close()
    this.#state = 'stopped'
    this.#activity += 1
  }

  /** Closes sources. Resolves when they are closed, or with the names of the sources that are not closed after `timeoutMs`. */
  async #closeSources(connections: readonly NamedConnection[], timeoutMs = stopMs): Promise<readonly string[]> {
    const open = new Set(connections)
    const { clock, onError } = this.#parts.client.environment
    const closing = connections.map(async one => {
      try {
        await one.connection.close()
      } catch (thrown) {
        onError(asError(thrown, 'a close threw'), { phase: `source ${one.name}` })
      }
      open.delete(one)
    })
    await within(Promise.all(closing), timeoutMs, clock)
    return [...open].map(({ name }) => name)
  }

  /** Reports reconciles and sources that did not end in time. */
  #leave(keys: readonly string[], sources: readonly string[]): void {
    if (keys.length + sources.length === 0) return
    const error = new StillRunningError(this.name, keys, sources)
    this.#parts.client.environment.onError(error, { phase: `stop ${this.name}` })
  }
}

/** The key that stands for all keys in a {@link Debouncer}. It has a space, which no key has. */
const allKeys = 'every key'

/** How long a stop waits for reconciles and sources by default, in milliseconds. */
const stopMs = 30_000

const initially = { priority: Priority.low }
const reportedCause = plainCause('enqueue', 'told')
const startCause = plainCause('start', 'told')

/** Counted for each controller, with no other label. */
const counters = [
  'controller_runtime_reconcile_errors_total',
  'controller_runtime_reconcile_timeouts_total',
  'controller_runtime_terminal_reconcile_errors_total',
]

/** Sets the metrics to 0 at the start: a rate needs two values, so without this an alert would miss the first failure. */
function beginMeasuring(metrics: Metrics, controller: string, concurrency: number): void {
  for (const result of ['success', 'error', 'requeue_after']) {
    metrics.count('controller_runtime_reconcile_total', { controller, result }, 0)
  }
  for (const name of counters) metrics.count(name, { controller }, 0)
  metrics.gauge('controller_runtime_active_workers', 0, { controller })
  metrics.gauge('wherry_hot_keys', 0, { controller })
  metrics.gauge('controller_runtime_max_concurrent_reconciles', concurrency, { controller })
}

/** Whether a text can be the key of an object of a view. */
function isKeyOf(view: View, text: string): boolean {
  try {
    return isWithin(view, checkedKey(view, parsedKey(view.resource, text)).text)
  } catch {
    return false
  }
}

/** The error of the last run of a key. For a write that is delayed because the server refused it, the refusal. */
function failureOf({ lastRun }: KeyState): Error | undefined {
  const { error } = lastRun ?? {}
  if (error === undefined) return undefined
  return error instanceof ApplyDelayedError && error.cause instanceof Error ? error.cause : asError(error)
}
