import type { MetricLabels, Metrics } from '@wherry/client'
import type { WorkQueueObserver } from '@wherry/work-queue'
import type { MeasuredQueue, PrometheusMetrics } from '../metrics/prometheus.ts'

/** A gauge, summed over the clusters that have set it. */
interface Sum {
  readonly name: string
  readonly labels: MetricLabels | undefined
  value: number
  clusters: number
}

/** The metrics of one cluster. */
export interface ClusterMetrics extends Metrics {
  /** Removes the values that the cluster has set from the sums. */
  end(): void
}

/** Gauges that can't be added up. */
const notSummed: ReadonlySet<string> = new Set(['reflector_last_resource_version'])

/**
 * Metrics of any number of clusters, without a label for the cluster, so that the number of metrics does not grow with the number of clusters. Counters
 * and histograms count for all clusters together, and a gauge is the sum over the clusters. The label `host` is `clusters`.
 */
export class SummedMetrics {
  readonly #home: Metrics
  readonly #sums = new Map<string, Sum>()

  constructor(home: Metrics) {
    this.#home = home
  }

  /** The metrics of a further cluster. */
  cluster(): ClusterMetrics {
    const home = this.#home
    const own = new Map<string, number>()
    const set = (key: string, value: number | undefined): void => {
      const sum = this.#sums.get(key) as Sum
      sum.value += (value ?? 0) - (own.get(key) ?? 0)
      if (value === undefined) {
        own.delete(key)
        sum.clusters -= 1
      } else {
        if (!own.has(key)) sum.clusters += 1
        own.set(key, value)
      }
      if (sum.clusters > 0) return home.gauge(sum.name, Math.round(sum.value * 1e6) / 1e6, sum.labels)
      this.#sums.delete(key)
      home.forget?.(sum.name, sum.labels)
    }
    const forget = (key: string): void => {
      if (own.has(key)) set(key, undefined)
    }
    return {
      count: (name, labels, by) => home.count(name, withoutHost(labels), by),
      observe: (name, value, labels) => home.observe(name, value, withoutHost(labels)),
      gauge: (name, value, labels) => {
        if (notSummed.has(name)) return
        const key = keyOf(name, labels)
        if (!this.#sums.has(key)) this.#sums.set(key, { name, labels, value: 0, clusters: 0 })
        set(key, value)
      },
      forget: (name, labels) => forget(keyOf(name, labels)),
      end: () => {
        for (const key of [...own.keys()]) forget(key)
      },
    }
  }
}

/** The queues of the controllers of one name in all clusters, as one queue. */
class JointQueue implements MeasuredQueue {
  readonly queues = new Set<MeasuredQueue>()

  depths(): ReadonlyMap<number, number> {
    const sums = new Map<number, number>()
    for (const queue of this.queues)
      for (const [priority, depth] of queue.depths()) sums.set(priority, (sums.get(priority) ?? 0) + depth)
    return sums
  }

  unfinished(): readonly { readonly runningMs: number }[] {
    return [...this.queues].flatMap(queue => queue.unfinished()).sort((a, b) => b.runningMs - a.runningMs)
  }
}

/** `metrics` for the operators of several clusters, which have controllers of the same names. */
export class JointQueues {
  readonly #metrics: PrometheusMetrics
  readonly #joint = new Map<string, JointQueue>()

  constructor(metrics: PrometheusMetrics) {
    this.#metrics = metrics
  }

  /** The metrics of a cluster's operator: it measures by `metrics`, and its queues are joined with those of the other clusters. */
  over(metrics: Metrics): PrometheusMetrics {
    const home = this.#metrics
    return {
      count: (...args) => metrics.count(...args),
      gauge: (...args) => metrics.gauge(...args),
      observe: (...args) => metrics.observe(...args),
      forget: (...args) => metrics.forget?.(...args),
      registry: home.registry,
      contentType: home.contentType,
      queueObserver: <K extends {}>(controller: string): WorkQueueObserver<K> => home.queueObserver<K>(controller),
      queue: (controller, queue) => this.#add(controller, queue),
      text: () => home.text(),
    }
  }

  #add(controller: string, queue: MeasuredQueue): () => void {
    let joint = this.#joint.get(controller)
    if (joint === undefined) {
      joint = new JointQueue()
      this.#joint.set(controller, joint)
      // The joint queue is never taken away: if no cluster has the controller any more, the queue is empty.
      this.#metrics.queue(controller, joint)
    }
    const { queues } = joint
    queues.add(queue)
    return () => void queues.delete(queue)
  }
}

function withoutHost(labels: MetricLabels | undefined): MetricLabels | undefined {
  return labels !== undefined && 'host' in labels ? { ...labels, host: 'clusters' } : labels
}

function keyOf(name: string, labels: MetricLabels = {}): string {
  return JSON.stringify([name, ...Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))])
}
