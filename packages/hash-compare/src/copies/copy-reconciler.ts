import {
  type ApiError,
  Backoff,
  isApiError,
  isForbidden,
  isNotFound,
  isResourceNotFound,
  type KubernetesObject,
  type PartialObjectMetadata,
  type View,
} from '@wherry/client'
import { abortSignal, checkOptions } from '@wherry/client/checks'
import { namespaces } from '@wherry/client/resources/core'
import { ExponentialRateLimiter, WorkQueue } from '@wherry/work-queue'
import PQueue from 'p-queue'
import { isWriteConflict } from '../apply/write-conflict.ts'
import { hashAtIngest } from '../ingest/hash-at-ingest.ts'
import type { CopyHold, CopyInformer, CopyRegistration } from './copy-cache.ts'
import type { CopyEvent } from './copy-event.ts'
import { type Attempt, CopyWriter, unseenMs } from './copy-writer.ts'
import { Damper } from './damper.ts'
import { Decider, type Observed } from './decision.ts'
import { CopiesNotRunningError } from './errors.ts'
import { Fixpoints } from './fixpoints.ts'
import { copySetLabel, copySourceLabel, sourceId, sourceIdOf } from './marks.ts'
import { Meter } from './meter.ts'
import { type CopyReconcilerOptions, checkedTargets } from './options.ts'
import { OwnWrites } from './own-writes.ts'
import { CopyPlan, type PlannedWork } from './plan.ts'
import type { CopyReport } from './report.ts'
import { Source } from './source.ts'
import { copyItem, namespaceItem, sourceItem, type WorkItem, workItem } from './work-item.ts'

/** How long work goes on before the event loop is given back. */
const sliceMs = 10

interface Waiter {
  readonly what: 'synced' | 'settled'
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/** What is held while it is open. */
interface Opened<P, T extends KubernetesObject> {
  readonly holds: readonly CopyHold<unknown>[]
  readonly registrations: readonly CopyRegistration[]
  readonly decider: Decider<P, T>
  readonly sources: CopyInformer<P>
  readonly namespaces: CopyInformer<PartialObjectMetadata>
  readonly copies: CopyInformer<Observed<T>>
}

/**
 * Keeps copies of sources in namespaces: creates what is missing, writes what differs, deletes what is no longer wanted, and makes
 * no request for what is as it should be.
 *
 * Work is queued by copy: the event of one costs the same whether there are ten or ten thousand (rule H7). What is written is
 * decided by hashes of what was observed, so an edit by hand is seen with no read (rule H3). What the server makes of a copy, by
 * defaults, pruning or webhooks, is learned from its answers, after a restart from one dry run for a source (rule H6); a copy that
 * somebody else keeps changing is repaired ever more slowly, and told of once. Writes carry uid and resourceVersion; what fails is
 * told (`onEvent`, the environment's `onError`, {@link CopyReconciler.report}) and tried again (rules H5, H8).
 *
 * All its state is in the API server: copies carry two labels and an annotation that say whose they are. An object of a copy's
 * name without them is another's, and left alone (`CopyNameTakenError`).
 *
 * ```ts
 * const copies = new CopyReconciler({
 *   name: 'settings', client, cache, source: configMaps.within({ namespaces: ['shared'] }), copies: configMaps,
 *   targets: { tenant: 'true' }, build: ({ data }) => ({ data }), parts: parts({ spec: specPart() }),
 * })
 * copies.start()
 * await copies.settled()
 * ```
 */
export class CopyReconciler<P, T extends KubernetesObject> {
  readonly #options: CopyReconcilerOptions<P, T>
  readonly #isTarget: (source: P, namespace: PartialObjectMetadata) => boolean
  readonly #sameResource: boolean
  readonly #sourceView: View<P>
  readonly #copyView: View<Observed<T>, 'namespaced'>
  readonly #sources = new Map<string, Source<P, T>>()
  readonly #queue: WorkQueue
  readonly #pool: PQueue
  readonly #meter: Meter
  readonly #damper: Damper
  readonly #ownWrites = new OwnWrites()
  readonly #writer: CopyWriter<P, T>
  readonly #failing = new Map<string, Error>()
  readonly #waiters = new Set<Waiter>()
  readonly #end = new AbortController()
  #opened: Opened<P, T> | undefined
  #running: Promise<void> | undefined
  #synced = false
  /** All that was there at first has been looked at. */
  #warm = false
  #closing: Promise<void> | undefined

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: CopyReconcilerOptions<P, T>) {
    this.#isTarget = checkedTargets(options)
    this.#options = options
    const { name, client, source, copies, parts, mode = 'ingest', concurrency = 10, maxRetryMs = 60_000 } = options
    const { clock, metrics } = client.environment
    this.#sameResource =
      source.resource.group === copies.resource.group && source.resource.plural === copies.resource.plural
    this.#sourceView = this.#sameResource ? source.within({ labels: `!${copySetLabel}` }) : source
    const ours = copies.within({ labels: { [copySetLabel]: name } })
    const kept = { labels: [copySetLabel, copySourceLabel] }
    this.#copyView = (mode === 'full' ? ours : ours.project(...hashAtIngest<T, string>(parts, kept))) as View<
      Observed<T>,
      'namespaced'
    >
    this.#queue = new WorkQueue({
      clock,
      rateLimiter: new ExponentialRateLimiter({ baseMs: 50, maxMs: maxRetryMs }),
    })
    this.#pool = new PQueue({ concurrency })
    this.#meter = new Meter(metrics, name)
    this.#damper = new Damper(options.damping)
    this.#writer = new CopyWriter({
      options,
      signal: this.#end.signal,
      meter: this.#meter,
      damper: this.#damper,
      ownWrites: this.#ownWrites,
      synced: () => this.#opened?.copies.lastSyncedResourceVersion,
      isWarm: () => this.#warm,
      emit: event => this.#emit(event),
    })
  }

  /**
   * Begins. Does nothing where it has begun already.
   * @throws CopiesNotRunningError once it was closed, and what the cache throws.
   */
  start(): void {
    this.#open()
    this.#running ??= this.#run()
  }

  /** Resolves when all sources, namespaces and copies are known and work has begun. Rejects as {@link settled} does. */
  synced(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.#wait('synced', options)
  }

  /**
   * Resolves when nothing is queued, runs, or waits for another try: all copies are as they should be, as far as has been heard.
   * While something goes on failing, or a copy is damped, it waits: bound it by a signal.
   *
   * Rejects with the signal's reason, and with a `CopiesNotRunningError` when it is closed or was not started.
   */
  settled(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.#wait('settled', options)
  }

  /** Looks at every copy again. No request is made for those that are as they should be. Does nothing unless it is started. */
  resync(): void {
    if (this.#opened === undefined) return
    for (const id of this.#sources.keys()) this.#queue.add(sourceItem(id))
    for (const key of this.#opened.copies.keys()) this.#addCopy(this.#opened.copies.get(key), key)
  }

  /**
   * What it would do, as things are now, without doing it; it need not be started. A dry run is made where what the server makes
   * of a source's copies is not known.
   *
   * Rejects with the signal's reason, where the caches can't be read, and once it is closed.
   */
  async plan(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<CopyPlan> {
    checkOptions('plan', options, { signal: abortSignal })
    const opened = this.#open()
    await this.#allSynced(opened, options.signal)
    const work: PlannedWork[] = []
    const failed = new Map<string, Error>()
    const seen = new Set<string>()
    let equal = 0
    const look = async (item: string): Promise<void> => {
      if (seen.has(item)) return
      seen.add(item)
      const { id, namespace, name } = workItem(item) as Extract<WorkItem, { readonly what: 'copy' }>
      const key = `${namespace}/${name}`
      try {
        let decision = opened.decider.decide(id, namespace, name)
        if (decision.what === 'write' && this.#writer.mustLearn(decision)) {
          await this.#writer.learn(decision)
          decision = opened.decider.decide(id, namespace, name)
        }
        if (decision.what !== 'nothing') {
          const action = decision.what === 'write' ? 'update' : decision.what
          const differing = decision.what === 'write' ? decision.differing : []
          work.push({ key, source: this.#sources.get(id)?.mark.key, action, parts: differing })
        } else if (decision.because === 'equal') equal += 1
      } catch (error) {
        options.signal?.throwIfAborted()
        if (this.#end.signal.aborted) throw error
        failed.set(key, error as Error)
      }
    }
    for (const source of [...this.#sources.values()]) {
      for (const namespace of [...opened.namespaces.keys()]) {
        try {
          for (const name of this.#namesIn(source, namespace)) await look(copyItem(source.mark.id, namespace, name))
        } catch (error) {
          failed.set(source.mark.key, error as Error)
        }
      }
    }
    for (const key of [...opened.copies.keys()]) {
      const id = sourceIdOf(opened.copies.get(key) ?? {})
      const slash = key.indexOf('/')
      if (id !== undefined) await look(copyItem(id, key.slice(0, slash), key.slice(slash + 1)))
    }
    return new CopyPlan(work, equal, failed)
  }

  /** What it does at present, for metrics and for people. */
  report(): CopyReport {
    const { clock } = this.#options.client.environment
    return {
      name: this.#options.name,
      state: this.#closing ? 'closed' : this.#running === undefined ? 'idle' : this.#synced ? 'running' : 'syncing',
      sources: this.#sources.size,
      copies: this.#opened?.copies.size ?? 0,
      queued: this.#queue.size,
      waiting: this.#queue.delayed,
      running: this.#queue.running,
      failing: new Map([...this.#failing].map(([item, error]) => [this.#keyOf(workItem(item)), error])),
      flapping: this.#damper.flapping(clock.monotonic()),
      ...this.#meter.counts,
    }
  }

  /**
   * Ends it: what runs is aborted, what is queued is dropped, and the copies stay as they are. Idempotent. Resolves when no request
   * is under way, nothing will call back, and the cache is let go of.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    const reason = new CopiesNotRunningError(this.#options.name, 'closed')
    this.#end.abort(reason)
    const opened = this.#opened
    for (const registration of opened?.registrations ?? []) registration.remove()
    for (const waiter of [...this.#waiters]) waiter.reject(reason)
    await this.#queue.stop()
    await this.#running
    this.#opened = undefined
    await Promise.all((opened?.holds ?? []).map(hold => hold.release()))
  }

  #open(): Opened<P, T> {
    if (this.#closing !== undefined) throw new CopiesNotRunningError(this.#options.name, 'closed')
    this.#opened ??= this.#hold()
    return this.#opened
  }

  #hold(): Opened<P, T> {
    const { name, cache, parts } = this.#options
    const holder = `copies ${name}`
    const holds: CopyHold<unknown>[] = []
    const hold = <C>(view: View<C>): CopyInformer<C> => {
      const held = cache.hold(view, holder)
      holds.push(held)
      return held.informer
    }
    try {
      const sources = hold(this.#sourceView)
      const spaces = hold(namespaces.metadata() as View<PartialObjectMetadata>)
      const copies = hold(this.#copyView as View<Observed<T>>)
      const registrations = [
        sources.addHandler({
          add: (object, { key, isInInitialList }) => this.#sourceIs(key, object, isInInitialList),
          update: (object, _, { key }) => this.#sourceIs(key, object, false),
          delete: (_, { key }) => this.#sourceIs(key, undefined, false),
        }),
        spaces.addHandler({
          add: (_, { key }) => this.#queue.add(namespaceItem(key)),
          update: (_, __, { key }) => this.#queue.add(namespaceItem(key)),
          delete: () => {},
        }),
        copies.addHandler({
          add: (object, { key }) => this.#copyIs(key, object),
          update: (object, old, { key }) => {
            if (sourceIdOf(old) !== sourceIdOf(object)) this.#addCopy(old, key)
            this.#copyIs(key, object)
          },
          delete: (object, { key }) => {
            this.#ownWrites.gone(key)
            this.#sources.get(sourceIdOf(object) ?? '')?.fixpoints.forget(key)
            this.#addCopy(object, key)
          },
        }),
      ]
      const decider = new Decider({
        parts,
        isTarget: this.#isTarget,
        sameResource: this.#sameResource,
        sources: this.#sources,
        sourceInformer: sources,
        namespaces: spaces,
        copies,
      })
      return { holds, registrations, decider, sources, namespaces: spaces, copies }
    } catch (error) {
      for (const one of holds) one.release().catch(failure => this.#tell(failure, 'release'))
      throw error
    }
  }

  #sourceIs(key: string, current: P | undefined, isInitial: boolean): void {
    const id = sourceId(key)
    let source = this.#sources.get(id)
    if (source === undefined) {
      if (current === undefined) return
      const mark = { set: this.#options.name, id, key }
      // So many desired states are known at once; where each copy has its own, a few of each.
      const most = this.#options.adapt === undefined && this.#options.copyName === undefined ? 32 : 16_384
      source = new Source(mark, this.#options, new Fixpoints(most), isInitial)
      this.#sources.set(id, source)
    }
    source.isCold &&= isInitial
    source.set(current)
    this.#queue.add(sourceItem(id))
  }

  #copyIs(key: string, object: Observed<T>): void {
    this.#ownWrites.saw(key, object.metadata?.resourceVersion)
    this.#addCopy(object, key)
  }

  #addCopy(object: Observed<T> | undefined, key: string): void {
    const id = object && sourceIdOf(object)
    const slash = key.indexOf('/')
    if (id !== undefined) this.#queue.add(copyItem(id, key.slice(0, slash), key.slice(slash + 1)))
  }

  /** Works until it is closed. Never rejects. */
  async #run(): Promise<void> {
    const { environment } = this.#options.client
    const { clock } = environment
    const { signal } = this.#end
    const opened = this.#opened as Opened<P, T>
    const backoff = new Backoff(environment)
    while (!signal.aborted && !this.#synced) {
      try {
        await this.#allSynced(opened, signal)
        this.#synced = true
      } catch (error) {
        if (signal.aborted) return
        this.#tell(error, 'sync')
        for (const waiter of [...this.#waiters]) waiter.reject(error)
        await backoff.wait(signal).catch(() => {})
      }
    }
    this.#settle()
    let begin = clock.monotonic()
    for (;;) {
      if (clock.monotonic() - begin >= sliceMs) {
        await clock.turn()
        begin = clock.monotonic()
      }
      let item = this.#queue.tryTake()
      if (item === undefined) {
        item = await this.#queue.take()
        begin = clock.monotonic()
      }
      if (item === undefined) break
      if (this.#now(opened, item)) continue
      this.#pool.add(() => this.#later(opened, item))
      await this.#pool.onSizeLessThan(1)
    }
    await this.#pool.onIdle()
  }

  /** Does what needs no request. Gives whether that was all. */
  #now({ decider, namespaces: spaces }: Opened<P, T>, text: string): boolean {
    const item = workItem(text)
    try {
      if (item.what === 'copy') {
        const decision = decider.decide(item.id, item.namespace, item.name)
        if (decision.what !== 'nothing') return false
        if (decision.because === 'equal') this.#meter.skipped()
        this.#finish(text, decision.because === 'unplaced' ? { afterMs: unseenMs } : 'done')
        return true
      }
      if (item.what === 'source') this.#spreadSource(item.id, spaces.keys())
      else for (const source of this.#sources.values()) this.#spread(source, [item.namespace])
      this.#finish(text, 'done')
    } catch (error) {
      this.#failed(text, error)
    }
    return true
  }

  async #later({ decider }: Opened<P, T>, text: string): Promise<void> {
    const item = workItem(text) as Extract<WorkItem, { readonly what: 'copy' }>
    try {
      this.#finish(text, await this.#writer.attempt(decider, item.id, item))
    } catch (error) {
      this.#failed(text, error)
    }
  }

  #finish(item: string, attempt: Attempt): void {
    if (attempt === 'again') this.#queue.addRateLimited(item)
    else {
      this.#queue.forget(item)
      this.#failing.delete(item)
      if (attempt !== 'done') this.#queue.add(item, attempt)
    }
    this.#queue.done(item)
    this.#settle()
  }

  #failed(item: string, thrown: unknown): void {
    const error = thrown instanceof Error ? thrown : new Error('what was thrown is no Error', { cause: thrown })
    const key = this.#keyOf(workItem(item))
    this.#queue.addRateLimited(item)
    if (!this.#end.signal.aborted) {
      if (isPassing(error)) {
        this.#meter.conflict()
        this.#emit({ type: 'conflict', key, error })
      } else {
        this.#meter.failed()
        this.#failing.set(item, error)
        this.#tell(error, 'copy', key)
        this.#emit({ type: 'failed', key, error, failures: this.#queue.failures(item) })
      }
    }
    this.#queue.done(item)
    this.#settle()
  }

  /** Queues every copy that a source has or had. */
  #spreadSource(id: string, spaces: Iterable<string>): void {
    const source = this.#sources.get(id)
    if (source === undefined) return
    this.#spread(source, spaces)
    source.spread = source.current
    if (source.current === undefined) this.#sources.delete(id)
  }

  #spread(source: Source<P, T>, spaces: Iterable<string>): void {
    for (const namespace of spaces) {
      for (const name of this.#namesIn(source, namespace)) {
        this.#queue.add(copyItem(source.mark.id, namespace, name))
      }
    }
  }

  /** What the copy of a source is called in a namespace, now and when work was last spread for it. */
  #namesIn(source: Source<P, T>, namespace: string): Set<string> {
    const states = [source.current, source.spread].filter(state => state !== undefined)
    return new Set(states.map(state => source.nameIn(namespace, state)))
  }

  #keyOf(item: WorkItem): string {
    switch (item.what) {
      case 'copy':
        return `${item.namespace}/${item.name}`
      case 'source':
        return this.#sources.get(item.id)?.mark.key ?? item.id
      case 'namespace':
        return item.namespace
    }
  }

  async #allSynced(
    { sources, namespaces: spaces, copies, registrations }: Opened<P, T>,
    signal?: AbortSignal,
  ): Promise<void> {
    await Promise.all([sources, spaces, copies].map(informer => informer.whenSynced({ signal })))
    await Promise.all(registrations.map(registration => registration.whenSynced({ signal })))
  }

  async #wait(what: Waiter['what'], options: { readonly signal?: AbortSignal | undefined }): Promise<void> {
    checkOptions(what, options, { signal: abortSignal })
    const { signal } = options
    signal?.throwIfAborted()
    if (this.#running === undefined || this.#closing !== undefined) {
      throw new CopiesNotRunningError(this.#options.name, this.#closing ? 'closed' : 'not started')
    }
    if (this.#holds(what)) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { what, resolve, reject }
    const aborted = (): void => reject(signal?.reason)
    this.#waiters.add(waiter)
    signal?.addEventListener('abort', aborted, { once: true })
    try {
      await promise
    } finally {
      this.#waiters.delete(waiter)
      signal?.removeEventListener('abort', aborted)
    }
  }

  #holds(what: Waiter['what']): boolean {
    const { size, delayed, running } = this.#queue
    return this.#synced && (what === 'synced' || (size === 0 && delayed === 0 && running === 0))
  }

  #settle(): void {
    if (!this.#synced) return
    if (this.#queue.size === 0 && this.#queue.running === 0) this.#warm = true
    for (const waiter of [...this.#waiters]) {
      if (this.#holds(waiter.what)) waiter.resolve()
    }
  }

  #emit(event: CopyEvent): void {
    if (this.#end.signal.aborted) return
    try {
      this.#options.onEvent?.(event)
    } catch (error) {
      this.#tell(error, 'onEvent', event.key)
    }
  }

  #tell(thrown: unknown, phase: string, key?: string): void {
    const error = thrown instanceof Error ? thrown : new Error('what was thrown is no Error', { cause: thrown })
    this.#options.client.environment.onError(error, { resource: this.#copyView.key, phase, key })
  }
}

/** Whether what was refused is as well as unseen: another state is on its way from the server. */
function isPassing(error: unknown): error is ApiError {
  if (isWriteConflict(error) || (isNotFound(error) && !isResourceNotFound(error))) return true
  return isForbidden(error) && isApiError(error) && error.causes.some(({ reason }) => reason === 'NamespaceTerminating')
}
