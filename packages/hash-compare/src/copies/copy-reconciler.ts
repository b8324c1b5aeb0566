import { Backoff, type KubernetesObject, type PartialObjectMetadata } from '@wherry/client'
import { abortSignal, checkOptions } from '@wherry/client/checks'
import { ExponentialRateLimiter, WorkQueue } from '@wherry/work-queue'
import { Claims } from './claims.ts'
import type { CopyContext } from './context.ts'
import { CopyViews, sameResource } from './copy-views.ts'
import { CopyWorker } from './copy-worker.ts'
import { CopyWriter } from './copy-writer.ts'
import { Damper } from './damper.ts'
import { Decider } from './decision.ts'
import { CopiesNotRunningError, CopiesNotSettledError } from './errors.ts'
import { Foresight } from './foresight.ts'
import { Hearing } from './hearing.ts'
import { Meter } from './meter.ts'
import { copyView } from './observed.ts'
import { type CopyReconcilerOptions, checkedTargets } from './options.ts'
import { OwnWrites } from './own-writes.ts'
import type { CopyPlan } from './plan.ts'
import { planned } from './planner.ts'
import type { CopyReport } from './report.ts'
import { Sources } from './sources.ts'
import { errorOf, Teller } from './teller.ts'
import { Waiters } from './waiters.ts'
import { sourceItem } from './work-item.ts'

/** What is held while it is open. */
interface Opened<P, T extends KubernetesObject> {
  readonly views: CopyViews<P, T>
  readonly decider: Decider<P, T>
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
 * With the mode `annotations` nothing but metadata is watched, and what is decided by are hashes that stand on the copies. **Blind
 * spot:** of a copy that was changed while this process did not run, or so shortly before it ended that it was not repaired yet, only
 * the generation, the labels and the annotations tell: not a change of its status, nor of the data of what has no generation, such as
 * ConfigMaps and Secrets. It is seen when the copy, or its source, changes again.
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
  readonly #context: CopyContext<P, T>
  readonly #isTarget: (source: P, namespace: PartialObjectMetadata) => boolean
  readonly #sources: Sources<P, T>
  readonly #queue: WorkQueue
  readonly #hearing: Hearing<P, T>
  readonly #foresight: Foresight<P, T>
  readonly #worker: CopyWorker<P, T>
  readonly #waiters = new Waiters<'synced' | 'settled'>(what => this.#holds(what))
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
    const { name, client, parts, damping, onEvent, concurrency = 10, maxRetryMs = 60_000 } = options
    const { environment } = client
    const { signal } = this.#end
    const meter = new Meter(environment.metrics, name)
    const teller = new Teller({ environment, onEvent, resource: copyView(options).key, signal })
    this.#sources = new Sources(options)
    this.#context = {
      options,
      signal,
      meter,
      teller,
      damper: new Damper(damping),
      ownWrites: new OwnWrites(),
      claims: options.mode === 'annotations' ? new Claims(parts) : undefined,
      synced: () => this.#opened?.views.copies.lastSyncedResourceVersion,
      isWarm: () => this.#warm,
    }
    this.#foresight = new Foresight(this.#context)
    this.#queue = new WorkQueue({
      clock: environment.clock,
      rateLimiter: new ExponentialRateLimiter({ baseMs: 50, maxMs: maxRetryMs }),
    })
    this.#hearing = new Hearing(this.#context, this.#sources, this.#queue)
    this.#worker = new CopyWorker({
      queue: this.#queue,
      concurrency,
      clock: environment.clock,
      signal,
      sources: this.#sources,
      writer: new CopyWriter(this.#context, this.#foresight),
      meter,
      teller,
      onDone: () => this.#settle(),
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
   * Rejects with a `CopiesNotSettledError` that names what is left when the signal ends the wait, with what keeps the caches from being
   * read, and with a `CopiesNotRunningError` when it is closed or was not started.
   */
  settled(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.#wait('settled', options)
  }

  /** Looks at every copy again. No request is made for those that are as they should be. Does nothing unless it is started. */
  resync(): void {
    const copies = this.#opened?.views.copies
    if (copies === undefined) return
    for (const { mark } of this.#sources.all()) this.#queue.add(sourceItem(mark.id))
    for (const key of copies.keys()) this.#hearing.lookAt(key, copies.get(key))
  }

  /**
   * What it would do, as things are now, without doing it; it need not be started. A dry run is made where what the server makes
   * of a source's copies is not known, and with the mode `annotations` a read of each copy that may differ.
   *
   * Rejects with the signal's reason, where the caches can't be read, and once it is closed.
   */
  async plan(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<CopyPlan> {
    checkOptions('plan', options, { signal: abortSignal })
    const { views, decider } = this.#open()
    await views.synced(options.signal)
    const throwIfEnded = (): void => {
      options.signal?.throwIfAborted()
      this.#end.signal.throwIfAborted()
    }
    return planned({ sources: this.#sources, views, decider, foresight: this.#foresight, throwIfEnded })
  }

  /** What it does at present, for metrics and for people. */
  report(): CopyReport {
    const { options, damper, meter } = this.#context
    return {
      name: options.name,
      state: this.#closing ? 'closed' : this.#running === undefined ? 'idle' : this.#synced ? 'running' : 'syncing',
      sources: this.#sources.size,
      copies: this.#opened?.views.copies.size ?? 0,
      queued: this.#queue.size,
      waiting: this.#queue.delayed,
      running: this.#queue.running,
      failing: this.#worker.failing,
      flapping: damper.flapping(options.client.environment.clock.monotonic()),
      ...meter.counts,
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
    const reason = new CopiesNotRunningError(this.#context.options.name, 'closed')
    this.#end.abort(reason)
    const views = this.#opened?.views
    views?.remove()
    this.#waiters.reject(reason)
    await this.#queue.stop()
    await this.#running
    this.#opened = undefined
    await views?.release()
  }

  #open(): Opened<P, T> {
    const { options, claims, teller } = this.#context
    if (this.#closing !== undefined) throw new CopiesNotRunningError(options.name, 'closed')
    if (this.#opened !== undefined) return this.#opened
    const views = new CopyViews(options, this.#hearing, error => teller.tell(error, 'release'))
    const decider = new Decider({
      parts: options.parts,
      isTarget: this.#isTarget,
      sameResource: sameResource(options),
      sources: this.#sources,
      sourceInformer: views.sources,
      namespaces: views.namespaces,
      copies: views.copies,
      claims,
    })
    this.#opened = { views, decider }
    return this.#opened
  }

  /** Works until it is closed. Never rejects. */
  async #run(): Promise<void> {
    const { options, teller, signal } = this.#context
    const { views, decider } = this.#opened as Opened<P, T>
    const backoff = new Backoff(options.client.environment)
    while (!signal.aborted && !this.#synced) {
      try {
        await views.synced(signal)
        this.#synced = true
      } catch (error) {
        if (signal.aborted) return
        teller.tell(error, 'sync')
        this.#waiters.reject(error)
        await backoff.wait(signal).catch(() => {})
      }
    }
    this.#settle()
    await this.#worker.run(decider, views)
  }

  async #wait(what: 'synced' | 'settled', options: { readonly signal?: AbortSignal | undefined }): Promise<void> {
    checkOptions(what, options, { signal: abortSignal })
    const { signal } = options
    if (this.#running === undefined || this.#closing !== undefined) {
      throw new CopiesNotRunningError(this.#context.options.name, this.#closing ? 'closed' : 'not started')
    }
    try {
      await this.#waiters.wait(what, signal)
    } catch (error) {
      if (!signal?.aborted || error !== signal.reason) throw error
      throw new CopiesNotSettledError(this.#context.options.name, what, await this.#pending(signal), error)
    }
  }

  /** What keeps it from having settled, a line each. */
  async #pending(aborted: AbortSignal): Promise<readonly string[]> {
    // A view that has not synced rejects with an error that says so.
    if (!this.#synced) {
      const wait = this.#opened?.views.synced(aborted)
      return (
        wait?.then(
          () => [],
          error => [errorOf(error).message],
        ) ?? []
      )
    }
    const { queued, waiting, running, failing, flapping } = this.report()
    return [
      `${queued} queued, ${running} running, ${waiting} waiting for another try`,
      ...[...failing].map(([key, { message }]) => `${key}: ${message}`),
      ...flapping.map(key => `${key}: somebody else keeps changing it`),
    ]
  }

  #holds(what: 'synced' | 'settled'): boolean {
    const { size, delayed, running } = this.#queue
    return this.#synced && (what === 'synced' || (size === 0 && delayed === 0 && running === 0))
  }

  #settle(): void {
    if (this.#queue.size === 0 && this.#queue.running === 0) this.#warm = true
    this.#waiters.notice()
  }
}
