import type { Environment, Timer, View } from '@wherry/client'
import {
  abortSignal,
  asError,
  callback,
  checkOptions,
  guarded,
  having,
  integer,
  milliseconds,
  systemEnvironment,
  text,
  viewCheck,
} from '@wherry/client/internal'
import { late, within } from '@wherry/informer/internal'
import type { WatchedCache } from './cache.ts'
import { FairScheduler } from './delivery/fair-scheduler.ts'
import { Call, CallContext, Running } from './delivery/running.ts'
import { SinkLimits } from './delivery/sink-limits.ts'
import { RegistrarNameTakenError, SinkStillRunningError, WatchManagerClosedError } from './errors.ts'
import { WatchMetrics } from './metrics.ts'
import type { Registrar, RegistrarOptions, WaitOptions } from './registrar.ts'
import { RegistrarOfViews } from './registrar-of-views.ts'
import type { Shared } from './shared.ts'
import type { Sink, SinkFunction } from './sink.ts'
import { callbackSink } from './sinks/callback.ts'
import { SubscriptionIndex } from './subscription-index.ts'

/** How a watch manager works. */
export interface WatchManagerOptions {
  /** The cache that holds the informers: a dynamic cache, or another {@link WatchedCache}. */
  readonly cache: WatchedCache
  /** The client's. @default that of a real process */
  readonly environment?: Environment | undefined
  /** How long `remove` and `close` wait for running calls to a sink, in milliseconds; `Infinity`: without limit. @default 30_000 */
  readonly closeTimeoutMs?: number | undefined
  /** The interval at which metrics are written, in milliseconds; 1 or more. @default 10_000 */
  readonly metricsMs?: number | undefined
}

/** The result of {@link WatchManager.ifWatching}. */
export type IfWatching<T> = { readonly watching: true; readonly value: T } | { readonly watching: false }

/**
 * Shares one watch of each view among any number of registrars.
 *
 * **Flow.** A registrar adds, removes and replaces views. The manager counts which registrars use a view, and holds the view in the cache as long as one
 * does. It delivers each change to the sink of each registrar. Nothing is watched before {@link start}; views that are added earlier are pending.
 *
 * **Guarantees.** Each registrar receives the first state of each of its views, then every later state or a newer state of the same object, at the pace of
 * its own sink: a slow sink delays no other. After `remove` has resolved, its sink receives nothing of that view.
 *
 * **Caveats.** Several changes of one object that wait for a slow sink are delivered as one. Previous states are not kept.
 *
 * **Errors.** A failed call of a sink is repeated with backoff, for that object alone, and `onError` gets the error. `synced()` of a registrar rejects with a
 * {@link ViewsFailedError} that lists the views that can't be watched now; they stay intended, and are retried.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
 * import { DynamicCache } from '@wherry/dynamic-cache'
 * import { WatchManager } from '@wherry/watch-manager'
 *
 * const client = await Client.connect()
 * const manager = new WatchManager({ cache: new DynamicCache({ client }), environment: client.environment })
 * manager.start()
 * const audit = manager.registrar<ConfigMap>('audit', event => console.log(event.type, event.key ?? ''))
 * await audit.add(configMaps)
 * await audit.synced()
 * await manager.close()
 * ```
 */
export class WatchManager {
  readonly #registrars = new Map<string, RegistrarOfViews<never>>()
  readonly #shared: Shared & { started: boolean }
  readonly #metrics: WatchMetrics
  readonly #metricsMs: number
  /** The functions of {@link ifWatching} that are under way. */
  readonly #running = new Running()
  readonly #starts = new Set<() => void>()
  #timer: Timer | undefined
  #closing = false
  #closed = false

  constructor(options: WatchManagerOptions) {
    checkOptions('watchManager', options, {
      cache: having('a cache with hold(view, holder)', 'hold'),
      environment: having('an environment', 'random', 'onError', 'onWarning', 'log'),
      closeTimeoutMs: milliseconds({ infinite: true }),
      metricsMs: milliseconds({ min: 1 }),
    })
    having('a cache with hold(view, holder)', 'hold')('watchManager.cache', options.cache)
    const environment = guarded(options.environment ?? systemEnvironment())
    const scheduler = new FairScheduler(environment.clock, error =>
      environment.onError(asError(error), { phase: 'delivery' }),
    )
    this.#metrics = new WatchMetrics(environment.metrics)
    this.#metricsMs = options.metricsMs ?? 10_000
    this.#shared = {
      cache: options.cache,
      environment,
      scheduler,
      context: new CallContext(),
      subscriptions: new SubscriptionIndex(),
      closeTimeoutMs: options.closeTimeoutMs ?? 30_000,
      started: false,
      whenStarted: signal => this.#whenStarted(signal),
    }
  }

  /** `idle`: not started. `closing`: `close` was called, and something is still running. */
  get state(): 'idle' | 'started' | 'closing' | 'closed' {
    if (this.#closing) return this.#closed ? 'closed' : 'closing'
    return this.#shared.started ? 'started' : 'idle'
  }

  /** The views of all registrars, each once. */
  get intended(): readonly View[] {
    return this.#shared.subscriptions.intended()
  }

  /** The intended views that are watched: their first state is in the cache, and changes arrive. */
  get watched(): readonly View[] {
    return this.#shared.subscriptions.watched()
  }

  /** Starts to watch. Idempotent. @throws WatchManagerClosedError */
  start(): void {
    this.#checkOpen()
    if (this.#shared.started) return
    this.#shared.started = true
    for (const subscription of this.#shared.subscriptions.all()) subscription.begin()
    for (const started of [...this.#starts]) started()
    this.#report()
  }

  /**
   * Creates a registrar: a name, a sink, and a set of views, empty at first. A function is a sink for all events, one at a time. Without a sink,
   * the registrar only holds its views.
   *
   * @throws RegistrarNameTakenError while a registrar of that name exists, until its `close` has resolved (rule W1)
   * @throws WatchManagerClosedError
   */
  registrar<C = unknown>(name: string, sink?: Sink<C> | SinkFunction<C>, options: RegistrarOptions = {}): Registrar<C> {
    text('name', name)
    const wait = milliseconds({ min: 1 })
    checkOptions('registrar', options, { maxRetrying: integer(1), retryInitialMs: wait, retryMaxMs: wait })
    const limits = sink === undefined ? undefined : this.#limits<C>(name, sink, options)
    this.#checkOpen()
    if (this.#registrars.has(name)) throw new RegistrarNameTakenError(name)
    const registrar = new RegistrarOfViews<C>(name, this.#shared, limits, () => {
      this.#registrars.delete(name)
      this.#metrics.closed(registrar)
    })
    this.#registrars.set(name, registrar as RegistrarOfViews<never>)
    return registrar
  }

  /**
   * Calls `fn` if the view is watched, and keeps it watched until the result of `fn` has settled, even if the view is removed meanwhile. Otherwise
   * `fn` is not called, and the result says so. Rejects with what `fn` throws.
   */
  async ifWatching<T>(view: View, fn: () => T): Promise<IfWatching<Awaited<T>>> {
    viewCheck('view', view)
    callback('fn', fn)
    const { cache, context, environment, subscriptions } = this.#shared
    if (![...subscriptions.of(view.key)].some(subscription => subscription.watched)) return { watching: false }
    const hold = context.outside(() => cache.hold(view, 'ifWatching'))
    const call = new Call(context.current)
    this.#running.begin(call, view.key)
    try {
      return { watching: true, value: await context.within(call, fn) }
    } finally {
      try {
        await context.outside(() => hold.release())
      } catch (error) {
        environment.onError(asError(error), { phase: 'release ifWatching', resource: view.key })
      }
      this.#running.end(call)
    }
  }

  /**
   * Closes all registrars, as {@link Registrar.close} does, and waits for functions of {@link ifWatching}; both for at most `closeTimeoutMs` or
   * until `signal` is aborted, and not for a call that this is called from. Idempotent.
   */
  async close(options: WaitOptions = {}): Promise<void> {
    checkOptions('close', options, { signal: abortSignal })
    this.#closing = true
    this.#timer?.cancel()
    const { context, environment, closeTimeoutMs: timeoutMs, subscriptions } = this.#shared
    const { current } = context
    const functions = this.#running.callsOutside(current)
    const [idle] = await Promise.all([
      within(this.#running.idle(current), timeoutMs, environment.clock, options.signal),
      ...[...this.#registrars.values()].map(registrar => registrar.close(options)),
    ])
    if (idle === late) {
      const error = new SinkStillRunningError('ifWatching', functions.join(', '), functions)
      environment.onError(error, { phase: 'close' })
    }
    if (this.#closed) return
    this.#closed = true
    this.#metrics.overall(subscriptions)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #limits<C>(name: string, given: Sink<C> | SinkFunction<C>, options: RegistrarOptions): SinkLimits<C> {
    const sink = typeof given === 'function' ? callbackSink(given) : given
    having('a sink, an object with event(event), or a function', 'event')('sink', sink)
    if (sink.concurrency !== undefined) integer(1)('sink.concurrency', sink.concurrency)
    for (const method of ['rescoped', 'removed', 'closed'] as const) {
      if (sink[method] !== undefined) callback(`sink.${method}`, sink[method])
    }
    const { maxRetrying = 1000, retryInitialMs = 100, retryMaxMs = 30_000 } = options
    if (retryMaxMs < retryInitialMs) milliseconds({ min: retryInitialMs })('registrar.retryMaxMs', retryMaxMs)
    return new SinkLimits(name, sink, this.#shared, { maxRetrying, retryInitialMs, retryMaxMs })
  }

  /** Writes the metrics, now and from time to time. */
  #report(): void {
    this.#metrics.overall(this.#shared.subscriptions)
    for (const registrar of this.#registrars.values()) this.#metrics.registrar(registrar)
    this.#timer = this.#shared.environment.clock.timer(this.#metricsMs, () => this.#report())
  }

  #whenStarted(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#shared.started) return resolve()
      const over = (): void => {
        this.#starts.delete(over)
        signal.removeEventListener('abort', over)
        if (signal.aborted) reject(signal.reason)
        else resolve()
      }
      this.#starts.add(over)
      signal.addEventListener('abort', over, { once: true })
    })
  }

  #checkOpen(): void {
    if (this.#closing) throw new WatchManagerClosedError()
  }
}
