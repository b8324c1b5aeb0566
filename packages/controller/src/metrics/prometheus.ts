import { type MetricLabels, type Metrics, OptionTypeError } from '@wherry/client'
import { checkOptions, flag, having, peerProblem, text } from '@wherry/client/internal'
import type { WorkQueueObserver } from '@wherry/work-queue'
import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { definitions, type MetricDefinition } from './definitions.ts'

/** The part of prom-client's `Registry` that is used. Declared here, so that the types need no prom-client either. */
export interface PrometheusRegistry {
  readonly contentType: string
  registerMetric(metric: never): void
  metrics(): Promise<string>
}

/** Options of {@link prometheusMetrics}. */
export interface PrometheusOptions {
  /** Where metrics are registered. @default a new registry */
  readonly registry?: PrometheusRegistry | undefined
  /** Adds metrics of the process: CPU, memory, event loop, garbage collection. @default true */
  readonly processMetrics?: boolean | undefined
}

/** prom-client, an optional peer dependency, is not installed, or can't be loaded. */
export class PromClientMissingError extends Error {
  override readonly name = 'PromClientMissingError'
  readonly code = 'PROM_CLIENT_MISSING'

  constructor(cause: unknown) {
    super(peerProblem('metrics need', 'prom-client', cause), { cause })
  }
}

/**
 * Metrics in Prometheus' format, with the names and labels that dashboards of controller-runtime expect (rule C8). Pass the result as `metrics` of
 * a client's environment.
 *
 * Only this call loads prom-client. You can also measure metrics of other names: they take the labels of their first measurement.
 *
 * @throws PromClientMissingError
 *
 * @example
 * ```ts
 * import { Operator, prometheusMetrics } from '@wherry/controller'
 *
 * const metrics = await prometheusMetrics()
 * const operator = await Operator.connect({ name: 'game-operator', metrics, health: { host: '0.0.0.0', port: 8080 } })
 * setInterval(async () => console.log(await metrics.text()), 60_000).unref()
 * await operator.run()
 * ```
 */
export async function prometheusMetrics(options: PrometheusOptions = {}): Promise<PrometheusMetrics> {
  checkOptions('prometheus', options, {
    registry: having('a Registry of prom-client', 'registerMetric', 'metrics'),
    processMetrics: flag,
  })
  const library = await import('prom-client').catch(cause => {
    throw new PromClientMissingError(cause)
  })
  const registry = (options.registry as Registry | undefined) ?? new library.Registry()
  if (options.processMetrics ?? true) library.collectDefaultMetrics({ register: registry })
  return new Registered(library, registry)
}

/** The part of a `WorkQueue` that is read for metrics. */
export interface MeasuredQueue {
  depths(): ReadonlyMap<number, number>
  /** The longest first. */
  unfinished(): readonly { readonly runningMs: number }[]
}

type Library = typeof import('prom-client')

/** The result of {@link prometheusMetrics}. */
export interface PrometheusMetrics extends Metrics {
  readonly registry: PrometheusRegistry
  /** The registry's content type: `text/plain` or OpenMetrics. */
  readonly contentType: string
  /** The observer of a controller's queue, for the counters of `workqueue_*`. {@link PrometheusMetrics.queue} measures the rest. */
  queueObserver<K extends {}>(controller: string): WorkQueueObserver<K>
  /** Reads a queue's depth and runs whenever metrics are read, until you call the returned function. */
  queue(controller: string, queue: MeasuredQueue): () => void
  /** All metrics in Prometheus' format. */
  text(): Promise<string>
}

interface Measured {
  readonly queue: MeasuredQueue
  /** The priorities that keys have had. A priority that no key has now shows 0, as dashboards expect. */
  readonly priorities: Set<number>
}

/** The gauges that are read from a queue when metrics are read. */
const queueGauges: Readonly<Record<string, (of: Measured) => { value: number; priority?: string }[]>> = {
  workqueue_depth: ({ queue, priorities }) => {
    const depths = queue.depths()
    for (const priority of depths.keys()) priorities.add(priority)
    return Array.from(priorities, priority => ({ value: depths.get(priority) ?? 0, priority: `${priority}` }))
  },
  workqueue_unfinished_work_seconds: ({ queue }) => [
    { value: queue.unfinished().reduce((sum, { runningMs }) => sum + runningMs / 1000, 0) },
  ],
  workqueue_longest_running_processor_seconds: ({ queue }) => [
    { value: (queue.unfinished()[0]?.runningMs ?? 0) / 1000 },
  ],
}

class Registered implements PrometheusMetrics {
  readonly registry: Registry
  readonly #library: Library
  readonly #metrics = new Map<string, Counter | Gauge | Histogram>()
  /** By controller. */
  readonly #queues = new Map<string, Measured>()

  constructor(library: Library, registry: Registry) {
    this.#library = library
    this.registry = registry
    for (const [name, definition] of Object.entries(definitions)) this.#make(name, definition)
  }

  count(name: string, labels: MetricLabels = {}, by = 1): void {
    const metric = this.#find(name, 'counter', labels) as Counter
    metric.inc({ ...labels }, by)
  }

  gauge(name: string, value: number, labels: MetricLabels = {}): void {
    const metric = this.#find(name, 'gauge', labels) as Gauge
    metric.set({ ...labels }, value)
  }

  forget(name: string, labels: MetricLabels = {}): void {
    this.#metrics.get(name)?.remove({ ...labels })
  }

  observe(name: string, value: number, labels: MetricLabels = {}): void {
    const metric = this.#find(name, 'histogram', labels) as Histogram
    metric.observe({ ...labels }, value)
  }

  queueObserver<K extends {}>(controller: string): WorkQueueObserver<K> {
    text('queueObserver.controller', controller)
    const labels = { name: controller, controller }
    return {
      added: () => this.count('workqueue_adds_total', labels),
      retried: () => this.count('workqueue_retries_total', labels),
      taken: (_, queuedMs) => this.observe('workqueue_queue_duration_seconds', queuedMs / 1000, labels),
      done: (_, workedMs) => this.observe('workqueue_work_duration_seconds', workedMs / 1000, labels),
    }
  }

  queue(controller: string, queue: MeasuredQueue): () => void {
    text('queue.controller', controller)
    having('a WorkQueue', 'depths', 'unfinished')('queue', queue)
    if (this.#queues.has(controller)) throw new OptionTypeError('queue.controller', 'a name of its own', controller)
    const labels = { name: controller, controller }
    for (const name of ['workqueue_adds_total', 'workqueue_retries_total']) this.count(name, labels, 0)
    const measured = { queue, priorities: new Set([0]) }
    this.#queues.set(controller, measured)
    return () => {
      if (this.#queues.get(controller) === measured) this.#queues.delete(controller)
    }
  }

  get contentType(): string {
    return this.registry.contentType
  }

  text(): Promise<string> {
    return this.registry.metrics()
  }

  /** Sets a gauge to the present state of all queues. */
  #measure(name: string): void {
    const gauge = this.#metrics.get(name) as Gauge
    gauge.reset()
    for (const [controller, measured] of this.#queues) {
      for (const { value, ...labels } of queueGauges[name]?.(measured) ?? []) {
        gauge.set({ name: controller, controller, ...labels }, value)
      }
    }
  }

  #find(name: string, kind: MetricDefinition['kind'], labels: MetricLabels): Counter | Gauge | Histogram {
    return this.#metrics.get(name) ?? this.#make(name, { kind, labels: Object.keys(labels), help: name })
  }

  #make(name: string, { kind, labels, help, buckets }: MetricDefinition): Counter | Gauge | Histogram {
    const { Counter, Gauge, Histogram } = this.#library
    const parts = { name, help, labelNames: [...labels], registers: [this.registry] }
    const metric =
      kind === 'counter'
        ? new Counter(parts)
        : kind === 'gauge'
          ? new Gauge({ ...parts, ...(name in queueGauges && { collect: () => this.#measure(name) }) })
          : new Histogram({ ...parts, ...(buckets !== undefined && { buckets: [...buckets] }) })
    this.#metrics.set(name, metric)
    return metric
  }
}
