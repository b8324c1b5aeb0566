import { type Client, isResourceNotFound, OptionTypeError, type Scope, type View } from '@wherry/client'
import {
  abortSignal,
  anything,
  type Check,
  checkOptions,
  flag,
  integer,
  oneOf,
  targetsOf,
  viewCheck,
} from '@wherry/client/internal'
import { InformerStoppedError } from './errors.ts'
import type { InformerState } from './informer-state.ts'
import { Lifecycle, type LifecycleEvents } from './lifecycle.ts'
import { clientCheck, type ReadingOptions, readingChecks } from './reflector/options.ts'
import { ReflectorSet } from './reflector/reflector-set.ts'
import { StreamingSupport } from './reflector/streaming-support.ts'
import { isPermanent } from './reflector/transitions.ts'
import type { SharedInformer } from './shared-informer.ts'
import type { IndexFunction } from './store/indices.ts'
import { Store } from './store/store.ts'
import { StoreReader } from './store-reader.ts'
import { SyncWaiters, whyNotSynced } from './synced.ts'

/** The options of an {@link Informer}. */
export interface InformerOptions<C, S extends Scope = Scope> extends ReadingOptions {
  /** Lists and watches. */
  readonly client: Pick<Client, 'raw' | 'environment'>
  /** Its view: a resource, a scope and a projection. */
  readonly view: View<C, S>
  /** Indices by name, for lists. You can add more later. @default none */
  readonly indices?: Readonly<Record<string, IndexFunction<C>>> | undefined
  /**
   * Freezes stored objects deeply, so that code which changes one fails (rule R37). Costs time. Parts that several objects share (equal labels,
   * short annotations, owners, finalizers) are always frozen.
   * @default true unless `NODE_ENV` is `production`
   */
  readonly freeze?: boolean | undefined
  /** The maximum number of deleted objects that are kept for slow cursors. @default the larger of 10,000 and the largest number of objects so far */
  readonly maxTombstones?: number | undefined
  /** The maximum size of the deleted objects that are kept, in bytes as received. @default 32 MiB */
  readonly maxTombstoneBytes?: number | undefined
  /** The known support of the server for streaming lists; informers of one client share it. @default that of this informer */
  readonly streaming?: StreamingSupport | undefined
}

/** How long {@link Informer.whenSynced} waits. */
export interface WhenSyncedOptions {
  /** Aborts the wait. @default none */
  readonly signal?: AbortSignal | undefined
  /**
   * If the server does not know the resource: `error` rejects with the 404 at once; `wait` waits until the resource is defined. Use `wait` in a
   * program that is installed together with the resource's definition. The informer looks for the resource often for half a minute after the call,
   * and then every 30 to 60 seconds.
   * @default 'error'
   */
  readonly whenUnknown?: 'error' | 'wait' | undefined
}

const checks: Readonly<Record<keyof InformerOptions<unknown>, Check>> = {
  ...readingChecks,
  client: clientCheck,
  view: viewCheck,
  indices: anything,
  freeze: flag,
  maxTombstones: integer(0),
  maxTombstoneBytes: integer(0),
  streaming: anything,
}

/**
 * Keeps the objects of one view in memory, as they change on the server: one reflector for each namespace of the view, and one store.
 *
 * **Flow.** `start()` lists the objects and then watches them. `whenSynced()` resolves when the first list is complete. `addHandler` receives each change,
 * in the order of the server for one object. `close()` ends it.
 *
 * **Guarantees.** The store reaches each state of the server, or a later one. After a break it continues from the last event, or lists again and
 * reports the difference: each object that has gone is reported as deleted once. After `close` has resolved, no handler is called (rule R23).
 *
 * **Caveats.** Changes that follow each other fast may be seen as one during a relist. Objects in the store are shared: never change one. While the server
 * fails, the store can be read in its last state.
 *
 * **Errors.** Every failure is retried with backoff, and shows in `state` and `lastError`. It goes to `onError` too, except for failures of usual
 * operation, such as an expired resourceVersion. A refusal (401, 403, 404) that repeats is reported once.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { Informer } from '@wherry/informer'
 *
 * const informer = new Informer({ client: await Client.connect(), view: configMaps.within({ namespaces: ['arcade'] }) })
 * informer.addHandler({ update: (settings, { key }) => console.log(key, settings.data) })
 * informer.start()
 * await informer.whenSynced()
 * console.log(informer.get('arcade/settings')?.data) // from memory
 * await informer.close()
 * ```
 */
export class Informer<C, S extends Scope = Scope> extends StoreReader<C, S> implements SharedInformer<C, S> {
  readonly view: View<C, S>
  readonly #reflectors: ReflectorSet
  readonly #lifecycle: Lifecycle
  readonly #waiters = new SyncWaiters()
  #store: Store<C, S> | undefined
  #synced = false
  #state: InformerState = 'idle'
  #closing: Promise<void> | undefined

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: InformerOptions<C, S>) {
    super()
    checkOptions('informer', options, checks)
    const { client, view, initial, pageSize, maxObjectBytes } = options
    clientCheck('informer.client', client)
    viewCheck('informer.view', view)
    const { environment } = client
    this.view = view
    this.#lifecycle = new Lifecycle(error => environment.onError(error, { resource: view.key, phase: 'listener' }))
    const { freeze, indices, maxTombstones, maxTombstoneBytes } = options
    const store = new Store<C, S>({ view, environment, freeze, indices, maxTombstones, maxTombstoneBytes })
    this.#store = store
    const streaming = options.streaming === undefined ? new StreamingSupport(environment.clock) : options.streaming
    const on = {
      state: (state: InformerState) => this.#stateChanged(state),
      error: (error: Error) => this.#failed(error),
    }
    const targets = targetsOf(view)
    this.#reflectors = new ReflectorSet({ client, targets, initial, pageSize, maxObjectBytes, streaming, on })
    this.#reflectors.feed(store as Store<unknown>)
    store.onSynced(() => this.#nowSynced())
  }

  /** Starts the informer. Does nothing if it has started. @throws InformerStoppedError after `close` */
  start(): void {
    this.live()
    this.#reflectors.start()
  }

  /**
   * Stops the informer. After the call no handler, index function or listener is called, except the listeners of `closed`. Registrations and cursors
   * end, and the stored objects are dropped: reads throw an `InformerStoppedError`. Open `changes()` end.
   *
   * Idempotent; a handler may call it. Resolves when the streams are closed.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Adds a listener of lifecycle events, see `LifecycleEvents`. Returns a function that removes it. */
  on<E extends keyof LifecycleEvents>(event: E, listener: LifecycleEvents[E]): () => void {
    oneOf('state', 'synced', 'error', 'closed')('informer.on', event)
    if (typeof listener !== 'function') throw new OptionTypeError('informer.on', 'a function', typeof listener)
    return this.#lifecycle.on(event, listener)
  }

  get state(): InformerState {
    return this.#state
  }

  get lastSyncedResourceVersion(): string | undefined {
    return this.#reflectors.lastSyncedResourceVersion
  }

  get lastError(): Error | undefined {
    return this.#reflectors.lastError
  }

  get hasSynced(): boolean {
    return this.#synced && !this.#reflectors.isMissing
  }

  /** As {@link SharedInformer.whenSynced}. With `whenUnknown: 'wait'` it also waits for a resource that the server does not know. */
  async whenSynced(options: WhenSyncedOptions = {}): Promise<void> {
    checkOptions('whenSynced', options, { signal: abortSignal, whenUnknown: oneOf('error', 'wait') })
    const { signal, whenUnknown } = options
    if (this.hasSynced && this.#closing === undefined) return
    const ignores = (reason: unknown): boolean => whenUnknown === 'wait' && isResourceNotFound(reason)
    const isComing = signal?.aborted !== true && this.#reflectors.tryNow(whenUnknown === 'wait')
    const reason = this.#hopeless()
    if (reason !== undefined && !isComing && !ignores(reason)) throw reason
    await this.#waiters.wait(signal, ignores).catch(reason => {
      throw whyNotSynced(this, signal, reason)
    })
  }

  protected live(): Store<C, S> {
    if (this.#store === undefined) throw new InformerStoppedError(this.view.key)
    return this.#store
  }

  async #close(): Promise<void> {
    const stopped = new InformerStoppedError(this.view.key)
    const store = this.#store
    this.#store = undefined
    this.#state = 'stopped'
    this.#lifecycle.quiet()
    const stopping = this.#reflectors.stop()
    store?.close(stopped)
    this.#waiters.reject(stopped)
    await stopping
    this.#lifecycle.emit('closed')
    this.#lifecycle.end()
  }

  /** Why nobody should wait for the first state now. */
  #hopeless(): Error | undefined {
    if (this.#store === undefined) return new InformerStoppedError(this.view.key)
    const { lastError } = this
    return lastError !== undefined && (this.#state === 'stopped' || isPermanent(lastError)) ? lastError : undefined
  }

  #failed(error: Error): void {
    if (!this.hasSynced && isPermanent(error)) this.#waiters.reject(error)
    this.#lifecycle.emit('error', error)
  }

  #nowSynced(): void {
    this.#synced = true
    this.#waiters.resolve()
    this.#lifecycle.emit('synced')
  }

  #stateChanged(state: InformerState): void {
    this.#state = state
    // The resource may have been missing until now.
    if (state === 'watching') this.#waiters.resolve()
    if (state !== 'stopped') return this.#lifecycle.emit('state', state)
    // The reflector has stopped by itself, because its client was closed.
    this.#waiters.reject(this.lastError ?? new InformerStoppedError(this.view.key))
    void this.close()
  }
}
