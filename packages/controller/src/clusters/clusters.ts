import type { ClientSettings, Timer } from '@wherry/client'
import { asError, Backoff, callback, checkOptions, having, text } from '@wherry/client/internal'
import { aborted } from '@wherry/informer/internal'
import { LeadershipLostError } from '../leader/errors.ts'
import type { ComponentContext, ComponentDeclaration, OperatorComponent } from '../operator/component.ts'
import type { Operator } from '../operator/operator.ts'
import type { OperatorSettings } from '../operator/options.ts'
import { type Cluster, type ClusterReport, type ClusterState, Engagement, type Engaging } from './engagement.ts'
import type { ClusterProvider, FoundClusters } from './provider.ts'
import { JointQueues, SummedMetrics } from './summed-metrics.ts'

export type { Cluster, ClusterReport, ClusterState }

/** The options of {@link Clusters}. */
export interface ClustersOptions {
  /** Finds the clusters: {@link kubeconfigSecrets}, {@link clusterApiSecrets}, {@link clusterProfiles}, {@link kubeconfigFiles}, or your own provider. */
  readonly provider: ClusterProvider
  /**
   * Declares the controllers of a cluster. Called when the cluster's operator is created: when the cluster comes, when its connection has changed, and
   * after a failure. If it returns a promise, the operator runs when that has resolved. If it throws or rejects, the cluster has failed, and it is
   * called again with backoff. The operator is run and closed for you.
   */
  readonly declare: (operator: Operator, cluster: Cluster) => void
  /** The name of the component. @default 'clusters' */
  readonly name?: string | undefined
  /** How the clients of the clusters work. @default that of a `Client` */
  readonly client?: Omit<ClientSettings, 'environment'> | undefined
  /** How the operators of the clusters work. @default that of an `Operator` */
  readonly operator?: Omit<OperatorSettings, 'leader' | 'shards' | 'health'> | undefined
}

/** The interval of the checks of the clusters' states, for the log and the metrics, in milliseconds. */
const everyMs = 10_000

const states: readonly ClusterState[] = ['invalid', 'starting', 'running', 'disconnected', 'failed', 'stopping']

/**
 * Runs the same controllers in many clusters that come and go: a component of the operator of the home cluster.
 *
 * **Flow.** The provider finds clusters, for example by Secrets in the home cluster. For each of them, `declare` declares the controllers of an
 * operator, which runs until the provider removes the cluster, or until the home operator stops. If the home operator elects a leader, only the
 * leader does all this.
 *
 * **Guarantees.** Each cluster has its own client, caches, queues and retries, so a cluster that is down, slow or refuses its credentials delays no
 * other. It is retried until it is removed. `onGone` is not called when a cluster goes away: its objects are not known to be deleted. If a connection
 * changes, all reconciles with the former one have ended before the first with the new one.
 *
 * **Caveats.** All operators run in one process, and share its processor and its memory. Metrics have no label for the cluster; each log line names it.
 *
 * **Errors.** Errors of clusters go to `onError` with the field `cluster`, and never end the run of the home operator.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import { Operator } from '@wherry/controller'
 * import { Clusters, kubeconfigSecrets } from '@wherry/controller/clusters'
 *
 * const operator = await Operator.connect({ name: 'settings-operator', leader: true })
 * operator.addComponent(new Clusters({
 *   provider: kubeconfigSecrets({ namespace: 'fleet' }),
 *   declare: (operator, cluster) => void operator.controller('settings').for(configMaps)
 *     .reconcile(({ key }) => console.log(`${key.name} of ${cluster.name}`)),
 * }))
 * await operator.run()
 * ```
 */
export class Clusters implements OperatorComponent {
  readonly name: string
  readonly needLeaderElection = true
  readonly #options: ClustersOptions
  readonly #engagements = new Map<string, Engagement>()
  readonly #stop = new AbortController()
  #context: ComponentContext | undefined
  #engaging: Engaging | undefined
  #providing: Promise<void> | undefined
  #timer: Timer | undefined

  /**
   * Does no I/O.
   * @throws OptionTypeError, OptionRangeError
   */
  constructor(options: ClustersOptions) {
    const settings = having('an object of options')
    const checks = {
      provider: having('a provider, such as kubeconfigSecrets(…)', 'provide'),
      declare: callback,
      name: text,
      client: settings,
      operator: settings,
    }
    checkOptions('clusters', options, checks, ['provider', 'declare'])
    this.name = options.name ?? 'clusters'
    this.#options = options
  }

  /** The clusters that the provider has, sorted by name, and those that are just ending. */
  report(): readonly ClusterReport[] {
    return [...this.#engagements.values()].map(one => one.report()).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /**
   * The operator of a cluster, for its client and its caches. `undefined` if the provider does not have the cluster, and while the cluster has no
   * operator, as between two attempts. Another operator follows after a failure or a change, so do not keep it.
   */
  operator(cluster: string): Operator | undefined {
    return this.#engagements.get(cluster)?.operator
  }

  /** The home operator calls it. */
  async start(context: ComponentContext): Promise<void> {
    const { client: home, name, term, metrics, traces } = context
    const { declare, client = {}, operator = {} } = this.#options
    this.#context = context
    this.#engaging = {
      ...{ home, term, declare, client, operator, traces, operatorName: name },
      sums: new SummedMetrics(home.environment.metrics),
      queues: metrics && new JointQueues(metrics),
    }
    term?.signal.addEventListener('abort', () => this.#lose(term.signal.reason), { once: true })
    this.#look()
    this.#providing = this.#provide(context)
  }

  declare(): ComponentDeclaration {
    return { rights: this.#options.provider.rights ?? [] }
  }

  /** The home operator calls it. Resolves when all reconciles of all clusters have ended, and all connections are closed. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the operator stops'))
    this.#timer?.cancel()
    await Promise.all([this.#providing, ...[...this.#engagements.keys()].map(name => this.#remove(name))])
    const { metrics } = this.#context?.client.environment ?? {}
    for (const state of states) metrics?.forget?.('wherry_clusters', { state })
  }

  /** Calls the provider until it has ended, again after each failure. */
  async #provide({ client }: ComponentContext): Promise<void> {
    const { signal } = this.#stop
    const backoff = new Backoff(client.environment)
    const engagements = this.#engagements
    const found: FoundClusters = {
      client,
      signal,
      get names() {
        return [...engagements.values()].filter(one => one.isWanted).map(({ name }) => name)
      },
      set: (name, connection) => {
        having('a connection of a cluster')('clusters.set', connection)
        this.#engagement('clusters.set', name)?.set(connection)
      },
      invalid: (name, error) => this.#engagement('clusters.invalid', name)?.invalid(asError(error)),
      remove: name => void this.#remove(name),
    }
    while (!signal.aborted) {
      try {
        await this.#options.provider.provide(found)
        await aborted(signal)
      } catch (thrown) {
        if (signal.aborted) return
        client.environment.onError(asError(thrown, 'the provider of clusters failed'), { phase: 'clusters' })
        await backoff.wait(signal).catch(() => {})
      }
    }
  }

  /** The engagement of a cluster that the provider has; `undefined` after the end. */
  #engagement(option: string, name: string): Engagement | undefined {
    text(option, name)
    if (this.#stop.signal.aborted) return undefined
    const known = this.#engagements.get(name)
    if (known !== undefined) return known
    const made = new Engagement(name, this.#engaging as Engaging)
    this.#engagements.set(name, made)
    return made
  }

  async #remove(name: string): Promise<void> {
    const engagement = this.#engagements.get(name)
    if (engagement === undefined) return
    await engagement.remove()
    // The cluster may have been set again meanwhile.
    if (!engagement.isWanted && this.#engagements.get(name) === engagement) this.#engagements.delete(name)
  }

  /** A lost lease ends the calls under way. An orderly stop lets reconciles end. */
  #lose(reason: unknown): void {
    if (!(reason instanceof LeadershipLostError)) return
    for (const engagement of this.#engagements.values()) engagement.lose(reason)
  }

  #look(): void {
    const { clock, metrics } = (this.#context as ComponentContext).client.environment
    const counts = new Map(states.map(state => [state, 0]))
    for (const { state } of this.report()) counts.set(state, (counts.get(state) ?? 0) + 1)
    for (const [state, count] of counts) metrics.gauge('wherry_clusters', count, { state })
    this.#timer = clock.timer(everyMs, () => this.#look())
  }
}
