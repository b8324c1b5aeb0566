import type { MetricLabels, Metrics } from '@wherry/client'
import { OptionTypeError } from '@wherry/client'
import { checkOptions, flag, having, text } from '@wherry/client/checks'
import type { WorkQueueObserver } from '@wherry/work-queue'
import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { definitions, type MetricDefinition, renamed } from './definitions.ts'

/** What is needed of a `Registry` of prom-client. Said here, so that the types do without that package as the code does. */
export interface PrometheusRegistry {
  readonly contentType: string
  registerMetric(metric: never): void
  metrics(): Promise<string>
}

/** Options of {@link prometheusMetrics}. */
export interface PrometheusOptions {
  /** Where metrics are registered. @default a registry of its own */
  readonly registry?: PrometheusRegistry | undefined
  /** Also the process' own: CPU, memory, event loop, garbage collection. @default true */
  readonly processMetrics?: boolean | undefined
}

/** prom-client is not installed. It is an optional peer dependency. */
export class PromClientMissingError extends Error {
  override readonly name = 'PromClientMissingError'
  readonly code = 'PROM_CLIENT_MISSING'

  constructor(cause: unknown) {
    super('metrics need prom-client: npm install prom-client', { cause })
  }
}

/**
 * Measurements as Prometheus reads them, under the names and labels that dashboards of controller-runtime know (rule C8).
 * Give it to a client as its environment's `metrics`.
 *
 * prom-client is loaded by this call, and only by it. Metrics of other names can be measured too: they take the labels of
 * their first measurement.
 *
 * @throws PromClientMissingError
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

/** What of a `WorkQueue` is asked when metrics are read. */
export interface MeasuredQueue {
  depths(): ReadonlyMap<number, number>
  /** The longest first. */
  unfinished(): readonly { readonly runningMs: number }[]
}

type Library = typeof import('prom-client')

/** What {@link prometheusMetrics} gives. */
export interface PrometheusMetrics extends Metrics {
  readonly registry: PrometheusRegistry
  /** `text/plain` or OpenMetrics, as the registry has it. */
  readonly contentType: string
  /** What a queue is given to be measured as `workqueue_*` of a controller; {@link PrometheusMetrics.queue} gives the rest. */
  queueObserver<K extends {}>(controller: string): WorkQueueObserver<K>
  /** Asks a queue for its depth and its runs whenever metrics are read, until the function that is returned is called. */
  queue(controller: string, queue: MeasuredQueue): () => void
  /** All metrics as Prometheus reads them. */
  text(): Promise<string>
}

class Registered implements PrometheusMetrics {
  readonly registry: Registry
  readonly #library: Library
  readonly #metrics = new Map<string, Counter | Gauge | Histogram>()
  /** By controller, with the priorities that had keys: none is one that shows 0, as dashboards have it. */
  readonly #queues = new Map<string, { readonly queue: MeasuredQueue; readonly priorities: Set<number> }>()

  constructor(library: Library, registry: Registry) {
    this.#library = library
    this.registry = registry
    for (const [name, definition] of Object.entries(definitions)) this.#make(name, definition)
  }

  count(name: string, labels: MetricLabels = {}, by = 1): void {
    const metric = this.#find(name, 'counter', labels) as Counter
    metric.inc(labelsOf(name, labels), by)
  }

  gauge(name: string, value: number, labels: MetricLabels = {}): void {
    const metric = this.#find(name, 'gauge', labels) as Gauge
    metric.set(labelsOf(name, labels), value)
  }

  observe(name: string, value: number, labels: MetricLabels = {}): void {
    const metric = this.#find(name, 'histogram', labels) as Histogram
    metric.observe(labelsOf(name, labels), value)
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
    const gauges = [
      'workqueue_depth',
      'workqueue_unfinished_work_seconds',
      'workqueue_longest_running_processor_seconds',
    ]
    for (const name of gauges) (this.#metrics.get(name) as Gauge).reset()
    for (const [name, { queue, priorities }] of this.#queues) {
      const labels = { name, controller: name }
      const depths = queue.depths()
      for (const priority of depths.keys()) priorities.add(priority)
      for (const priority of priorities)
        this.gauge('workqueue_depth', depths.get(priority) ?? 0, { ...labels, priority: `${priority}` })
      const running = queue.unfinished().map(({ runningMs }) => runningMs / 1000)
      const [longest = 0] = running
      this.gauge(
        'workqueue_unfinished_work_seconds',
        running.reduce((sum, seconds) => sum + seconds, 0),
        labels,
      )
      this.gauge('workqueue_longest_running_processor_seconds', longest, labels)
    }
    return this.registry.metrics()
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
          ? new Gauge(parts)
          : new Histogram({ ...parts, ...(buckets !== undefined && { buckets: [...buckets] }) })
    this.#metrics.set(name, metric)
    return metric
  }
}

function labelsOf(name: string, labels: MetricLabels): Record<string, string> {
  const names = renamed[name]
  if (names === undefined) return { ...labels }
  return Object.fromEntries(Object.entries(labels).map(([label, value]) => [names[label] ?? label, value]))
}
