import { Client, type ClientSettings, type ClusterAccess, type GuardedClient } from '@wherry/client'
import { asError, Backoff, fromKubeconfigText } from '@wherry/client/internal'
import type { InformerState } from '@wherry/informer'
import { aborted } from '@wherry/informer/internal'
import type { Term } from '../leader/term.ts'
import { environmentLogger } from '../logging/logger.ts'
import { Operator } from '../operator/operator.ts'
import type { OperatorSettings } from '../operator/options.ts'
import type { Traces } from '../tracing/traces.ts'
import { clusterEnvironment } from './cluster-environment.ts'
import { ClusterKubeconfigError } from './errors.ts'
import type { ClusterConnection } from './provider.ts'
import { SeldomErrors } from './seldom-errors.ts'
import type { ClusterMetrics, JointQueues, SummedMetrics } from './summed-metrics.ts'

/** A cluster, for the function that declares its controllers. */
export interface Cluster {
  /** The name by which the provider knows the cluster. */
  readonly name: string
}

/**
 * - `invalid`: the provider has never had a usable connection of it.
 * - `starting`: its operator waits for the first state of its sources.
 * - `running`: all its watches are open.
 * - `disconnected`: it was running, and a watch is down. It is retried; the cached objects stay.
 * - `failed`: its operator has ended with an error, and starts again with backoff. It stays `failed` until the operator runs.
 * - `stopping`: it was removed or changed, and its reconciles end.
 */
export type ClusterState = 'invalid' | 'starting' | 'running' | 'disconnected' | 'failed' | 'stopping'

/** A cluster, as {@link Clusters.report} shows it. */
export interface ClusterReport {
  readonly name: string
  readonly state: ClusterState
  /** When the state was first noticed, in milliseconds since 1970. */
  readonly since: number
  /** The URL of its API server; `undefined` if it is `invalid`. */
  readonly server: string | undefined
  /** Why it is not `running`, or why its changed connection can't be used. */
  readonly error: Error | undefined
}

/** The parts that all clusters of an operator share. */
export interface Engaging {
  /** The home cluster's client. */
  readonly home: Client
  /** The name of each cluster's operator. */
  readonly operatorName: string
  readonly term: Term | undefined
  readonly declare: (operator: Operator, cluster: Cluster) => void
  readonly client: Omit<ClientSettings, 'environment'>
  readonly operator: Omit<OperatorSettings, 'leader' | 'shards' | 'health'>
  readonly sums: SummedMetrics
  readonly queues: JointQueues | undefined
  readonly traces: Traces | undefined
}

type Kubeconfig = Extract<ClusterConnection, { readonly kubeconfig: string }>

/** A usable connection, and its client. */
interface Engaged {
  readonly connection: ClusterConnection
  readonly client: Client
  readonly guard: GuardedClient | undefined
}

/** One cluster: the operator that works with it, for as long as the provider has it, and again after each failure. */
export class Engagement {
  readonly name: string
  readonly #with: Engaging
  readonly #metrics: ClusterMetrics
  readonly #environment: Client['environment']
  readonly #backoff: Backoff
  /** The connection that was set last. */
  #latest: ClusterConnection | undefined
  /** The connection that an operator runs with, or is to run with. */
  #engaged: Engaged | undefined
  #operator: Operator | undefined
  /** Aborted when the operator that runs, or the wait for the next one, has to end. */
  #round = new AbortController()
  #loop: Promise<void> | undefined
  #failure: Error | undefined
  /** Why the latest connection can't be used. */
  #unusable: Error | undefined
  #state: ClusterState = 'invalid'
  #since: number

  constructor(name: string, engaging: Engaging) {
    const { home, sums } = engaging
    this.name = name
    this.#with = engaging
    this.#metrics = sums.cluster()
    const errors = new SeldomErrors(home.environment.clock)
    this.#environment = clusterEnvironment(home.environment, name, this.#metrics, errors)
    this.#backoff = new Backoff(this.#environment)
    this.#since = home.environment.clock.now()
  }

  /** The operator that runs now. */
  get operator(): Operator | undefined {
    return this.#operator
  }

  /** Whether the provider has the cluster. */
  get isWanted(): boolean {
    return this.#latest !== undefined || this.#engaged !== undefined || this.#unusable !== undefined
  }

  /** Never throws. */
  set(connection: ClusterConnection): void {
    if (isSame(connection, this.#latest)) return
    this.#latest = connection
    this.#unusable = undefined
    if (this.#engaged !== undefined && isSame(connection, this.#engaged.connection)) return
    void this.#take(connection)
  }

  invalid(error: Error): void {
    this.#latest = undefined
    this.#unusable = error
    // The provider reports each change once.
    this.#with.home.environment.onError(error, { phase: 'cluster', cluster: this.name })
    this.look()
  }

  /** No reconcile begins after the call. Resolves when all have ended, and the connections are closed. */
  async remove(): Promise<void> {
    this.#latest = undefined
    this.#unusable = undefined
    this.#engage(undefined)
    await this.#loop
    if (this.isWanted) return
    this.#metrics.end()
  }

  /** Ends the calls that are under way, because the lease is lost. */
  lose(reason: Error): void {
    this.#engaged?.guard?.end(reason)
  }

  report(): ClusterReport {
    this.look()
    const { name } = this
    const failed = this.#state === 'running' ? undefined : (this.#lastError ?? this.#failure)
    const error = this.#unusable ?? failed
    return { name, state: this.#state, since: this.#since, server: this.#engaged?.client.server, error }
  }

  /** Notices the present state, and logs it if it has changed. */
  look(): void {
    const state = this.#stateNow()
    if (state === 'running') this.#failure = undefined
    if (state === this.#state) return
    this.#state = state
    this.#since = this.#environment.clock.now()
    const level = state === 'running' || state === 'starting' || state === 'stopping' ? 'info' : 'warn'
    this.#environment.log(level, `the cluster is ${state}`, { server: this.#engaged?.client.server })
  }

  #stateNow(): ClusterState {
    if (this.#operator !== undefined && this.#round.signal.aborted) return 'stopping'
    if (this.#operator?.state === 'running')
      return this.#operator.cache.report().informers.every(isUp) ? 'running' : 'disconnected'
    if (this.#engaged === undefined) return 'invalid'
    return this.#failure === undefined ? 'starting' : 'failed'
  }

  get #lastError(): Error | undefined {
    return this.#operator?.cache.report().informers.find(one => one.lastError !== undefined)?.lastError
  }

  /** Makes the client of a connection, and engages it unless another one was set meanwhile. Never rejects. */
  async #take(connection: ClusterConnection): Promise<void> {
    try {
      const engaged = await this.#connect(connection)
      if (this.#latest === connection) this.#engage(engaged)
      else await engaged.client.close()
    } catch (thrown) {
      if (this.#latest === connection) this.invalid(asError(thrown, 'no client can be made'))
    }
  }

  async #connect(connection: ClusterConnection): Promise<Engaged> {
    const { term, operatorName } = this.#with
    const environment = this.#environment
    const settings = { fieldManager: operatorName, ...this.#with.client }
    const client =
      'kubeconfig' in connection
        ? new Client({ ...settings, access: await this.#accessOf(connection), environment })
        : new Client({ ...settings, ...connection, environment: { ...environment, ...connection.environment } })
    const guard = term && client.guardedBy(() => term.check())
    return { connection, client, guard }
  }

  async #accessOf({ kubeconfig, context, source = `cluster ${this.name}` }: Kubeconfig): Promise<ClusterAccess> {
    try {
      return await fromKubeconfigText(kubeconfig, { context, clock: this.#environment.clock })
    } catch (thrown) {
      throw new ClusterKubeconfigError(source, asError(thrown, 'it was refused').message)
    }
  }

  /** Ends the operator that runs, and runs one with the new connection, if there is one. */
  #engage(next: Engaged | undefined): void {
    const former = this.#engaged
    if (former === next) return
    this.#engaged = next
    this.#round.abort(
      new Error(next === undefined ? 'the cluster was removed' : 'the connection of the cluster changed'),
    )
    // From the call on no reconcile begins.
    const closed = this.#operator?.close()
    this.look()
    const before = this.#loop
    this.#loop = this.#after(before, closed, former).then(() => this.#run(next))
  }

  async #after(loop: Promise<void> | undefined, closed: Promise<void> | undefined, former: Engaged | undefined) {
    await closed
    await loop
    await former?.client.close()
  }

  /** Runs operators with this connection until another one is engaged. Never rejects. */
  async #run(engaged: Engaged | undefined): Promise<void> {
    this.#failure = undefined
    this.#backoff.reset()
    while (engaged !== undefined && this.#engaged === engaged) {
      this.#round = new AbortController()
      const { signal } = this.#round
      try {
        await this.#runOperator(engaged, signal)
        // A reconcile may have closed its operator.
        if (!signal.aborted) await aborted(signal)
      } catch (thrown) {
        if (signal.aborted) return
        this.#failure = asError(thrown, 'the operator of the cluster failed')
        this.#environment.onError(this.#failure, { phase: 'cluster' })
        this.look()
        await this.#backoff.wait(signal).catch(() => {})
      }
    }
  }

  async #runOperator({ client, guard }: Engaged, signal: AbortSignal): Promise<void> {
    const { operatorName, declare, traces, queues } = this.#with
    const operator = new Operator({
      ...this.#with.operator,
      name: operatorName,
      client: guard?.client ?? client,
      log: environmentLogger(this.#environment),
      metrics: queues?.over(this.#metrics),
      traces,
    })
    try {
      this.#operator = operator
      const declared: unknown = declare(operator, { name: this.name })
      if (declared instanceof Promise) await Promise.race([declared, aborted(signal)])
      signal.throwIfAborted()
      this.look()
      await operator.run({ signals: false })
    } finally {
      await operator.close()
      this.#operator = undefined
    }
  }
}

/** Whether an informer has all its objects and an open watch, or the cluster does not serve its resource. */
function isUp({ state }: { readonly state: InformerState }): boolean {
  return state === 'watching' || state === 'missing'
}

/** Whether two connections have the same values, and the same objects. */
function isSame(a: ClusterConnection, b: ClusterConnection | undefined): boolean {
  if (b === undefined) return false
  const [left, right] = [a, b] as Readonly<Record<string, unknown>>[]
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every(key => Object.is(left?.[key], right?.[key]))
}
