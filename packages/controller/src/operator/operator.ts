import { Client, type KeyOf, type LogFields, OptionRangeError, OptionTypeError, type View } from '@wherry/client'
import { asError, checkOptions, flag, nodeFault, systemClock, version } from '@wherry/client/internal'
import { DynamicCache } from '@wherry/dynamic-cache'
import { aborted, late, within } from '@wherry/informer/internal'
import { NarrowCache } from '@wherry/narrow-cache'
import type { WatchManager } from '@wherry/watch-manager'
import { Controller } from '../controller/controller.ts'
import { isReconciling } from '../controller/current-run.ts'
import {
  type ControllerDefinition,
  type ControllerOptions,
  type ControllerParts,
  checkDefinition,
} from '../controller/definition.ts'
import type { Explanation } from '../controller/explanation.ts'
import { type RunRecord, RunRecords } from '../controller/run-records.ts'
import { LeaderStuckError, LeadershipLostError } from '../leader/errors.ts'
import { LeaderElection } from '../leader/leader-election.ts'
import type { LeaderElectionOptions } from '../leader/options.ts'
import type { Term } from '../leader/term.ts'
import { loggedEnvironment } from '../logging/logger.ts'
import { stderrLogger } from '../logging/stderr-logger.ts'
import { isSure } from '../loops/loop.ts'
import { SharedWrites } from '../loops/shared-writes.ts'
import { measureCaches } from '../metrics/cache-metrics.ts'
import { prometheusMetrics } from '../metrics/prometheus.ts'
import { primaryView } from '../objects/no-primary.ts'
import { tokenReview } from '../server/authorize.ts'
import { HealthServer } from '../server/health-server.ts'
import { NotYetError } from '../server/not-yet.ts'
import type { ControllerShard, Shard } from '../shards/controller-shard.ts'
import { type ShardSettings, shardSettings } from '../shards/options.ts'
import { openTelemetryTraces } from '../tracing/traces.ts'
import { UsageError } from '../usage-error.ts'
import { NamedController } from './builder.ts'
import { checkComponent, type OperatorComponent } from './component.ts'
import { type Declared, publishDeclaration } from './declaration.ts'
import { sayIfLeftAlone } from './left-alone.ts'
import { type ObservedController, publishOperator } from './observed.ts'
import {
  type ConnectOptions,
  checkConnectOptions,
  checkOperatorOptions,
  type OperatorHealthOptions,
  type OperatorOptions,
  type OperatorState,
  type RunOptions,
  runChecks,
} from './options.ts'
import { type Place, placeOf } from './place.ts'
import { onProcessSignal } from './process-signals.ts'
import { type OperatorReport, operatorReport } from './report.ts'
import { type SettledOptions, settled, settledChecks } from './settled.ts'

/**
 * Runs controllers, with what they share: a client, caches, one watch manager, and optionally leader election, metrics and a health server.
 *
 * **Flow.** {@link Operator.connect} finds the cluster. {@link Operator.controller} declares a controller. {@link Operator.run} starts all of them, and
 * returns when the process gets SIGTERM or SIGINT. Nothing is requested before `run`.
 *
 * **Guarantees.** A controller reconciles only after the first state of all its sources is in the cache. A key never runs twice at once. With leader
 * election, controllers write only within the leader's term. When `run` ends, all reconciles have ended, and all that the operator created is closed.
 *
 * **Caveats.** An operator can run once. It does not close a client that you gave it. A reconcile that ignores its signal is left behind after
 * `stopTimeoutMs`, which `onError` receives as a `StillRunningError`.
 *
 * **Errors.** `run` rejects with an error that no retry can mend, such as a {@link LeadershipLostError}. All other failures are retried with backoff,
 * and `onError` receives them.
 *
 * @example
 * ```ts
 * import { configMaps, secrets } from '@wherry/client/resources/core'
 * import { Operator } from '@wherry/controller'
 *
 * const operator = await Operator.connect({ name: 'settings-operator' })
 * operator.controller('settings').for(secrets.within({ labels: 'example.com/public' })).owns(configMaps)
 *   .reconcile(async ({ key, object, apply }) => {
 *     await apply(configMaps, { metadata: { name: key.name }, data: { keys: Object.keys(object.data ?? {}).join() } })
 *   })
 * await operator.run()
 * ```
 */
export class Operator {
  readonly name: string
  readonly client: Client
  /** The informers. Views that controllers declare are held there as `controller/NAME`. */
  readonly cache: DynamicCache
  /** The cache of single objects, which tracked reads use. */
  readonly narrow: NarrowCache
  #manager: WatchManager | undefined
  /** Whether the watch manager is to run. */
  #isWatching = false
  readonly #options: OperatorOptions
  readonly #writes: SharedWrites
  /** Whether `connect` made the client: it is then closed with the operator. */
  #ownsClient = false
  readonly #components: OperatorComponent[] = []
  /** The components that began to start, the last first. Each of them is stopped. */
  readonly #started: OperatorComponent[] = []
  /** The components that have started. */
  readonly #up = new Set<OperatorComponent>()
  readonly #named = new Map<string, NamedController | ControllerDefinition<unknown>>()
  readonly #stop = new AbortController()
  /** Aborted if it is known that the operator will not settle. */
  readonly #hopeless = new AbortController()
  readonly #runs = new RunRecords()
  #unmeasure: (() => void) | undefined
  #endChecks: (() => void) | undefined
  #controllers: readonly Controller<unknown>[] = []
  readonly #reviews: Client | undefined
  readonly #health: HealthServer | undefined
  readonly #shards: ShardSettings | undefined
  #state: OperatorState = 'idle'
  #closed: Promise<void> | undefined
  #running: Promise<void> | undefined

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: OperatorOptions) {
    checkOperatorOptions(options)
    const { client } = options
    this.name = options.name
    this.#options = options
    this.client = client
    this.narrow = new NarrowCache({ ...options.narrow, client })
    this.cache = new DynamicCache({ ...options.cache, client, narrow: this.narrow })
    this.#writes = new SharedWrites({ clock: client.environment.clock, cache: this.cache })
    // Reviews of junk tokens must not delay the lease and the writes of the operator.
    this.#reviews = options.health?.tokenReview === true ? client.withOwnConnections() : undefined
    this.#health = options.health && this.#serverOf(options.health)
    if (this.#leader !== undefined) new LeaderElection({ ...this.#leader, client })
    this.#shards = options.shards && shardSettings(options.shards, client, options.name)
  }

  /**
   * Connects to the cluster of KUBECONFIG if that is set, else to the pod's own cluster, else to that of `~/.kube/config`. Reads files, and sends
   * no request. By default the operator logs to standard error, including errors in the background.
   *
   * Rejects with a `CredentialsError` if it finds no cluster, and with a `PromClientMissingError` or an `OpenTelemetryMissingError`.
   */
  static async connect(options: ConnectOptions): Promise<Operator> {
    checkConnectOptions(options)
    const { client: settings = {}, log: given, metrics: wanted, traces: traced, ...rest } = options
    const log = given === false ? undefined : (given ?? stderrLogger())
    const metrics = wanted === true ? await prometheusMetrics() : wanted || undefined
    const traces = traced === true ? await openTelemetryTraces() : traced || undefined
    const environment = { ...(log && loggedEnvironment(log)), ...(metrics && { metrics }), ...settings.environment }
    const client = await Client.connect({ fieldManager: options.name, ...settings, environment })
    try {
      const operator = new Operator({ ...rest, client, log, metrics, traces })
      operator.#ownsClient = true
      return operator
    } catch (error) {
      await client.close()
      throw error
    }
  }

  get state(): OperatorState {
    return this.#state
  }

  /** The port of the health server; 0 if there is none, or before it listens. */
  get healthPort(): number {
    return this.#health?.port ?? 0
  }

  /**
   * Declares a controller. Its name appears in metrics, logs and events.
   *
   * @throws UsageError if the name is taken, or the operator runs already; OptionTypeError, OptionRangeError for a wrong option
   */
  controller(name: string, options?: ControllerOptions): NamedController {
    this.#checkName(name)
    const named = new NamedController(name, options)
    this.#named.set(name, named)
    return named
  }

  /** Adds a controller by its definition: the same as {@link Operator.controller} with all its steps. */
  add<C, S extends 'namespaced' | 'cluster'>(definition: ControllerDefinition<C, S>): this {
    this.#checkName(definition?.name)
    checkDefinition(definition as unknown as ControllerDefinition<never, never>)
    this.#named.set(definition.name, definition as unknown as ControllerDefinition<unknown>)
    return this
  }

  /**
   * Adds a component that runs with the controllers, such as a server: on every replica, or with `needLeaderElection` on the leader. Components start one after
   * the other in the order in which they were added, after the health server and before the controllers. They stop in the opposite order, after the
   * controllers.
   *
   * @throws UsageError if the operator runs already, or has shards and no leader for a component with `needLeaderElection`; OptionTypeError, OptionRangeError
   * for a wrong component, or a name that is taken
   */
  addComponent(component: OperatorComponent): this {
    checkComponent(component)
    if (this.#state !== 'idle') throw new UsageError('OPERATOR_USED', 'components are added before the operator is run')
    const { name, needLeaderElection = false } = component
    if (needLeaderElection && this.#shards !== undefined && this.#leader === undefined) {
      const message = `the component ${name} runs only on the leader, and an operator with shards runs in several processes: set the operator's option leader as well`
      throw new UsageError('NOT_SHARDED', message)
    }
    if (this.#components.some(one => one.name === name))
      throw new OptionRangeError('component.name', 'a name that no other component has', JSON.stringify(name))
    this.#health?.addReadyCheck(name, signal => this.#checkComponent(component, signal))
    this.#components.push(component)
    return this
  }

  /**
   * Runs the controllers until the signal is aborted, the process gets SIGTERM or SIGINT, or an unrecoverable error occurs. It starts the health
   * server, the caches, the controllers that need no leader, and then, on the leader, the others. It stops them in the opposite order: reconciles
   * have `stopTimeoutMs` to end; the last events and the lease have five seconds each in addition. When it returns, everything is closed.
   *
   * Rejects with a {@link SourceNotSyncedError}, a {@link LeadershipLostError}, the error of a component that did not start, or the error that kept the
   * health server from listening; with a {@link UsageError} if it is called twice or after `close`, or if a controller is incomplete.
   */
  async run(options: RunOptions = {}): Promise<void> {
    checkOptions('run', options, runChecks)
    if (this.#closed !== undefined)
      throw new UsageError('OPERATOR_USED', 'this operator was closed: create another one')
    if (this.#state !== 'idle')
      throw new UsageError('OPERATOR_USED', 'this operator was run already: create another one')
    const definitions = this.#definitions()
    publishDeclaration(() => this.#declared(definitions))
    this.#state = 'starting'
    const { signal, signals = true } = options
    const stop = (): void => this.#stop.abort(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
    const forget = signals ? onProcessSignal(reason => this.#stop.abort(reason)) : () => {}
    this.#running = this.#run(definitions).finally(() => {
      forget()
      signal?.removeEventListener('abort', stop)
    })
    await this.#running
  }

  /**
   * Resolves when the operator has nothing left to do: the caches match the server, and no key is queued, runs, waits for a retry, or waits to
   * write. All writes before the call have been reconciled then, so tests need no sleeps. Keys that wait for their `requeueAfterMs` do not count.
   *
   * It reads the metadata of all cached objects from the server, more than once while they change. Not for production.
   *
   * Rejects with a {@link NotSettledError} that names the unfinished work, also if the signal is aborted; its cause is the error of a reconcile that keeps
   * failing. Rejects with the error of a failed `run`. In a test of `setUpApiServer` with `rights`, it rejects as soon as the operator lacks one.
   */
  async settled(options: SettledOptions = {}): Promise<void> {
    checkOptions('settled', options, settledChecks)
    const { signal, timeoutMs = 30_000 } = options
    // A `run` that nobody awaits has failed for an incomplete controller: waiting would not help.
    if (this.#state === 'idle') this.#definitions()
    await settled({
      client: this.client,
      cache: this.cache,
      views: () => this.#watched,
      controllers: () => this.#controllers,
      state: () => this.#state,
      ended: this.#stop.signal,
      hopeless: this.#hopeless.signal,
      run: () => this.#running,
      signal,
      timeoutMs,
    })
  }

  /**
   * Explains a key of a controller: its dependencies, the cause of its last run, and how that run ended.
   *
   * @throws UsageError for an unknown controller, or before `run`
   */
  explain(controller: string, key: KeyOf | string): Explanation {
    const found = this.#controllers.find(({ name }) => name === controller)
    if (found !== undefined) return found.explain(key)
    if (this.#named.has(controller))
      throw new UsageError('OPERATOR_USED', 'there is nothing to explain: the operator was not run')
    const known = [...this.#named.keys()]
    const others = known.length === 0 ? 'is none' : `are ${known.join(', ')}`
    throw new UsageError('UNKNOWN_CONTROLLER', `there is no controller ${controller}; there ${others}`)
  }

  /**
   * Iterates over the runs that end after the call: the key, the cause, the duration and the outcome of each. For a page or a log that shows
   * an operator's work. It ends with the operator, or with the signal. A reader that falls more than 1000 runs behind loses the oldest;
   * `missed` of the next run has their number.
   *
   * ```ts
   * for await (const { controller, key, cause, outcome } of operator.runs()) console.log(controller, key, cause?.change, outcome)
   * ```
   */
  runs(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterableIterator<RunRecord, undefined> {
    return this.#runs.read(options)
  }

  /** The views that are cached, and for which controller; and the objects that are read by name. */
  report(): OperatorReport {
    return operatorReport(this.cache.report(), this.narrow.report())
  }

  /**
   * Ends the run and waits until it has ended. If a reconcile calls it, it does not wait for that reconcile. Before a run, it closes what exists.
   * Idempotent; never rejects.
   */
  async close(): Promise<void> {
    this.#closed ??= this.#close()
    // Otherwise `close` would wait for the reconcile that called it.
    if (!isReconciling()) await this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    const reason = new UsageError('OPERATOR_USED', 'the operator was closed')
    // From the call on no reconcile begins.
    if (this.#running !== undefined) for (const one of this.#controllers) void one.stop({ reason, ...this.#patience })
    this.#stop.abort(reason)
    if (this.#running !== undefined) await this.#running.catch(() => {})
    else await this.#closeAll([])
  }

  async #run(definitions: readonly ControllerDefinition<unknown>[]): Promise<void> {
    const { signal } = this.#stop
    const { client, name } = this
    const { environment } = client
    const log = (message: string, fields: LogFields = {}): void =>
      environment.log('info', message, { operator: name, ...fields })
    const stops = (): void => log('the operator stops', { reason: reasonOf(signal.reason) })
    signal.addEventListener('abort', stops, { once: true })
    let failure: { readonly error: unknown } | undefined
    const fail = (error: unknown): void => {
      if (signal.aborted) return
      failure ??= { error }
      this.#stop.abort(error)
    }
    try {
      const observed = (): readonly ObservedController[] =>
        this.#controllers.map(one => ({
          ...{ name: one.name, obstacle: one.obstacle, pending: one.pending() },
          loops: one.loops.filter(isSure).map(String),
          views: one.views.map(({ key }) => key),
        }))
      publishOperator(this, observed, error => this.#hopeless.abort(error))
      const fault = nodeFault(process.versions)
      if (fault !== undefined) environment.onWarning(fault)
      if (definitions.length + this.#components.length === 0) {
        environment.onWarning(
          `the operator ${name} has no controller, so it reconciles nothing: declare one with operator.controller(…)`,
        )
      }
      // A log shows each failure to connect, so this is only for operators without one.
      if (this.#options.log === undefined) this.#endChecks = this.#checkConnection()
      await this.#health?.start()
      // The ring is read after the start of the health server, so that a liveness probe is answered while the API server can't be reached.
      const shards = this.#shards
      const shard = shards && (await this.#startShard(shards))
      const placed = definitions.map(definition => {
        const place = this.#placeOf(definition)
        return { place, controller: this.#make(definition, place === 'shard' ? shard : undefined) }
      })
      this.#controllers = placed.map(({ controller }) => controller)
      log('the operator starts', {
        wherry: version,
        cluster: client.server,
        ...(shard && { ...(shard.ring !== undefined && { ring: shard.ring }), shard: shard.name }),
        controllers: this.#controllers.map(({ name }) => name),
        watches: [...new Set(this.#controllers.flatMap(({ views }) => views.map(({ key }) => key)))],
      })
      await this.#startComponents(
        this.#components.filter(one => !this.#leadersComponents.includes(one)),
        signal,
      )
      this.#isWatching = true
      this.#manager?.start()
      for (const controller of this.#controllers) controller.prepare()
      this.#unmeasure = measureCaches(environment, this.cache, this.#controllers)
      if (shard) environment.metrics.gauge('wherry_shard_info', 1, { ring: shard.ring ?? '', shard: shard.name })
      const at = (wanted: Place): Controller<unknown>[] =>
        placed.filter(({ place }) => place === wanted).map(({ controller }) => controller)
      const { timeoutMs: stopTimeoutMs } = this.#patience
      const starts = at('everywhere').map(controller => controller.start({ signal, stopTimeoutMs }).catch(fail))
      await Promise.all(starts)
      const lead = (
        lease: Omit<LeaderElectionOptions, 'client'> | undefined,
        place: Place,
        shard?: Shard,
      ): Promise<void> | undefined =>
        lease === undefined || signal.aborted
          ? undefined
          : this.#lead(lease, at(place), place === 'leader' ? this.#leadersComponents : [], shard).catch(error => {
              // This applies during a stop, too: another process may lead by now.
              if (error instanceof LeadershipLostError) failure ??= { error }
              if (error instanceof LeaderStuckError) this.client.environment.onError(error, { phase: 'stop' })
              fail(error)
            })
      const leading = [lead(this.#leader, 'leader'), lead(shard?.election, 'shard', shard)]
      if (!signal.aborted && this.#state === 'starting') this.#state = 'running'
      await aborted(signal)
      this.#state = 'stopping'
      await Promise.all(leading)
    } catch (error) {
      fail(error)
    }
    this.#state = 'stopping'
    this.#endChecks?.()
    await this.#closeAll(this.#controllers)
    log('the operator has ended')
    if (failure !== undefined) throw failure.error
  }

  /** An operator without shards loads none of their code. */
  async #startShard(shards: ShardSettings): Promise<Shard> {
    const { startShard } = await import('../shards/start-shard.ts')
    return startShard(shards, this.client, this.#stop.signal)
  }

  /**
   * Runs the controllers that need a lease: those of the leader (rule C5), or of a shard (rule C7), and the components of the leader. Resolves when they
   * were asked to end and have ended; rejects as the election or a start does.
   */
  async #lead(
    leader: Omit<LeaderElectionOptions, 'client'>,
    controllers: readonly Controller<unknown>[],
    components: readonly OperatorComponent[],
    shard: Shard | undefined,
  ): Promise<void> {
    const { timeoutMs } = this.#patience
    // The controllers end in time by themselves, and report what has not ended.
    const stops = components.length === 0 ? 1 : 2
    const { graceMs = stops * (timeoutMs + sendingMs) } = leader
    await new LeaderElection({ ...leader, graceMs, client: this.client }).run({
      signal: this.#stop.signal,
      lead: async term => {
        const { client, signal } = term
        try {
          await this.#startComponents(components, signal, term)
          // Rejects with the signal's reason if that is aborted meanwhile.
          await shard?.mayStart(signal).catch(error => {
            if (!signal.aborted) throw error
          })
          if (signal.aborted) return
          const starts = controllers.map(controller => controller.start({ client, signal, stopTimeoutMs: timeoutMs }))
          const failed = Promise.all(starts).then(() => undefined)
          failed.catch(() => {})
          await Promise.race([failed, aborted(signal)])
          await aborted(signal)
        } finally {
          const reason = signal.reason instanceof Error ? signal.reason : undefined
          await Promise.all(controllers.map(controller => controller.stop({ reason, timeoutMs })))
          await this.#stopComponents(components)
        }
      },
    })
  }

  /** Starts components one after the other, until the signal is aborted. */
  async #startComponents(components: readonly OperatorComponent[], signal: AbortSignal, term?: Term): Promise<void> {
    const { name, client } = this
    const { metrics, traces } = this.#options
    for (const component of components) {
      if (signal.aborted) return
      this.#started.unshift(component)
      await Promise.race([component.start({ name, client, metrics, traces, term }), aborted(signal)])
      this.#up.add(component)
    }
  }

  /** Stops those of the components that began to start, the last first. Reports and leaves behind those that take too long. */
  async #stopComponents(components: readonly OperatorComponent[]): Promise<void> {
    const { timeoutMs } = this.#patience
    const { environment } = this.client
    const { clock } = environment
    const end = clock.monotonic() + timeoutMs
    for (const component of this.#started.filter(one => components.includes(one))) {
      this.#started.splice(this.#started.indexOf(component), 1)
      this.#up.delete(component)
      const stopped = this.#closeStep(() => component.stop())
      if ((await within(stopped, Math.max(end - clock.monotonic(), 0), clock)) === late)
        environment.onError(new Error(`the component ${component.name} has not stopped within ${timeoutMs} ms`), {
          phase: 'close',
        })
    }
  }

  /** The components that run only within the leader's term. */
  get #leadersComponents(): readonly OperatorComponent[] {
    return this.#leader === undefined
      ? []
      : this.#components.filter(({ needLeaderElection = false }) => needLeaderElection)
  }

  #declared(definitions: readonly ControllerDefinition<unknown>[]): Declared {
    const { name, client } = this
    const leader = this.#leader
    const { health, metrics } = this.#options
    return {
      name,
      definitions,
      lease: leader && { name: leader.name, namespace: leader.namespace ?? client.namespace },
      shards: this.#shards && {
        ...{ ring: this.#shards.ring, count: this.#shards.count },
        namespace: this.#shards.election.namespace,
      },
      isSharded: definition => this.#placeOf(definition) === 'shard',
      health: health && {
        host: health.host ?? '127.0.0.1',
        port: health.port ?? 0,
        tls: health.tls !== undefined,
        metrics: metrics !== undefined,
        tokenReview: this.#reviews !== undefined,
      },
      components: this.#components,
    }
  }

  /** @throws UsageError for a controller that is incomplete */
  #definitions(): readonly ControllerDefinition<unknown>[] {
    const definitions = [...this.#named.values()].map(one => (one instanceof NamedController ? one.definition() : one))
    for (const definition of definitions) this.#placeOf(definition)
    return definitions
  }

  /** @throws UsageError for a controller that can't run anywhere */
  #placeOf(definition: ControllerDefinition<unknown>): Place {
    return placeOf(definition, { leads: this.#leader !== undefined, isSharded: this.#shards !== undefined })
  }

  /**
   * The operator's watch manager, for registrars of your own. The first call creates it from the class that your program imports, so an operator without
   * registrars loads none of its code.
   */
  manager(Manager: typeof WatchManager): WatchManager {
    if (this.#manager !== undefined) return this.#manager
    this.#manager = new Manager({ cache: this.cache, environment: this.client.environment })
    if (this.#isWatching) this.#manager.start()
    return this.#manager
  }

  #make(definition: ControllerDefinition<unknown>, shard: Shard | undefined): Controller<unknown> {
    const { log, metrics, poll, traces } = this.#options
    const { client, cache, narrow } = this
    const manager = (Manager: typeof WatchManager): WatchManager => this.manager(Manager)
    const own = { client, cache, narrow, manager, operator: this.name, writes: this.#writes }
    return new ControllerOfShard(
      definition,
      { ...own, log, metrics, poll, traces, runs: this.#runs },
      shard?.part(definition.name, primaryView(definition.for)),
    )
  }

  /** All views that may make keys run: those of controllers, of registrars, and of tracked reads. */
  get #watched(): readonly View[] {
    const views = [
      ...(this.#manager?.intended ?? []),
      ...this.#controllers.flatMap(({ views, reads }) => [...views, ...reads.views]),
    ]
    return [...new Map(views.map(view => [view.key, view])).values()]
  }

  get #leader(): Omit<LeaderElectionOptions, 'client'> | undefined {
    const { leader = false } = this.#options
    if (leader === false) return undefined
    return leader === true ? { name: this.name } : { ...leader, name: leader.name ?? this.name }
  }

  get #patience(): { readonly timeoutMs: number } {
    return { timeoutMs: this.#options.stopTimeoutMs ?? 30_000 }
  }

  async #closeAll(controllers: readonly Controller<unknown>[]): Promise<void> {
    const { reason } = this.#stop.signal
    const why = reason instanceof Error ? reason : undefined
    const steps = [
      () => Promise.all(controllers.map(controller => controller.stop({ reason: why, ...this.#patience }))),
      () => this.#stopComponents(this.#components),
      () => this.#manager?.close(),
      () => this.narrow.close(),
      () => this.cache.close(),
      () => this.#health?.close(),
      () => this.#reviews?.close(),
      () => this.#unmeasure?.(),
      () => (this.#ownsClient ? this.client.close() : undefined),
    ]
    for (const close of steps) await this.#closeStep(close)
    this.#runs.end()
    this.#state = 'stopped'
  }

  /** A step that fails does not keep the others from running. */
  async #closeStep(close: () => unknown): Promise<void> {
    try {
      await close()
    } catch (thrown) {
      this.client.environment.onError(asError(thrown, 'a close threw'), { phase: 'close' })
    }
  }

  /** Makes the health server. If tokens are reviewed, it uses the client for reviews. */
  #serverOf({ readyz = {}, tokenReview: isReviewed = false, ...rest }: OperatorHealthOptions): HealthServer {
    const { metrics } = this.#options
    flag('health.tokenReview', isReviewed)
    if (readyz !== null && Object.hasOwn(readyz, 'caches')) {
      throw new OptionRangeError('health.readyz', 'names other than caches, which the operator adds itself', '"caches"')
    }
    if (isReviewed && rest.authorize !== undefined) {
      throw new OptionTypeError('health.tokenReview', 'nothing if authorize is given', 'true')
    }
    return new HealthServer({
      ...{ ...rest, metrics, environment: this.client.environment },
      ...(this.#reviews !== undefined && { authorize: tokenReview(this.#reviews) }),
      readyz: { caches: () => this.#checkReady(), ...readyz },
    })
  }

  /** Throws while a controller has not started, or while a controller that waits for the leader's term lacks views in the cache. */
  #checkReady(): void {
    if (this.#state !== 'running' && this.#state !== 'starting') throw new Error(`the operator is ${this.#state}`)
    if (this.#controllers.length < this.#named.size) {
      const { ring } = this.#shards ?? {}
      throw new NotYetError(ring === undefined ? 'the operator is starting' : `the ring ${ring} has not been read`)
    }
    for (const { state, obstacle, unwatched } of this.#controllers) {
      if (obstacle === undefined) continue
      if (state === 'starting') throw new NotYetError(obstacle)
      if (unwatched.length > 0) throw new Error(obstacle)
    }
  }

  async #checkComponent(component: OperatorComponent, signal: AbortSignal): Promise<void> {
    if (!this.#up.has(component) && this.#leadersComponents.includes(component)) return
    if (!this.#up.has(component)) throw new NotYetError(`${component.name} has not been started`)
    await component.ready?.(signal)
  }

  #checkConnection(): () => void {
    const { name, client } = this
    return sayIfLeftAlone({
      ...{ name, server: client.server },
      clock: systemClock({ unref: true }),
      isConnected: () => client.connections > 0 || this.report().informers.length === 0,
      say: message => process.emitWarning(message, 'WherryWarning'),
    })
  }

  #checkName(name: string): void {
    checkControllerName(name)
    if (this.#state !== 'idle')
      throw new UsageError('OPERATOR_USED', 'controllers are declared before the operator is run')
    if (this.#named.has(name)) {
      throw new UsageError(
        'CONTROLLER_NAME_TAKEN',
        `the name ${name} is taken by another controller: choose another name`,
      )
    }
  }
}

/** The shard is no part of the public signature. */
const ControllerOfShard = Controller as unknown as new (
  definition: ControllerDefinition<unknown>,
  parts: ControllerParts,
  shard: ControllerShard | undefined,
) => Controller<unknown>

/** How much longer a stop of a leader may take, in milliseconds: waiting events are sent for 5 s at most. */
const sendingMs = 6000

/** Why a run ends, in words. */
function reasonOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason)
}

/** Checks a name that metrics, logs and events are to have. @throws OptionTypeError */
function checkControllerName(name: unknown): void {
  if (typeof name === 'string' && /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/.test(name)) return
  const takes = 'a name of letters, digits, -, _ and ., up to 63'
  throw new OptionTypeError('controller.name', takes, typeof name === 'string' ? JSON.stringify(name) : typeof name)
}
