import type { Metrics, View } from '@wherry/client'
import type { Registrar, RegistrarStats } from './registrar.ts'
import type { SubscriptionIndex } from './subscription-index.ts'

type Reported = Pick<Registrar, 'name' | 'stats'>
type Counted = Pick<RegistrarStats, 'delivered' | 'retried' | 'resets'>

/** Writes the figures of registrars to the environment's metrics (rule W14). */
export class WatchMetrics {
  readonly #metrics: Metrics
  /** The values of the counters, by registrar. */
  readonly #counted = new Map<Reported, Counted>()

  constructor(metrics: Metrics) {
    this.#metrics = metrics
  }

  /** Writes how many types of objects all registrars want, and how many are watched. */
  overall(subscriptions: SubscriptionIndex): void {
    this.#metrics.gauge('watch_manager_intended_watch_gvk', types(subscriptions.intended()))
    this.#metrics.gauge('watch_manager_watched_gvk', types(subscriptions.watched()))
  }

  registrar(registrar: Reported): void {
    const labels = { registrar: registrar.name }
    const stats = registrar.stats()
    const counted = this.#counted.get(registrar) ?? { delivered: 0, retried: 0, resets: 0 }
    this.#metrics.gauge('watch_manager_registrar_intended_views', stats.intended, labels)
    this.#metrics.gauge('watch_manager_registrar_watched_views', stats.watched, labels)
    this.#metrics.gauge('watch_manager_registrar_lag_changes', stats.lag, labels)
    this.#metrics.gauge('watch_manager_registrar_lag_seconds', stats.lagMs / 1000, labels)
    this.#metrics.gauge('watch_manager_registrar_retrying_objects', stats.retrying, labels)
    this.#metrics.count('watch_manager_registrar_delivered_total', labels, stats.delivered - counted.delivered)
    this.#metrics.count('watch_manager_registrar_retried_total', labels, stats.retried - counted.retried)
    this.#metrics.count('watch_manager_registrar_resets_total', labels, stats.resets - counted.resets)
    this.#counted.set(registrar, stats)
  }

  /** Writes the last figures of a registrar that is closed. */
  closed(registrar: Reported): void {
    this.registrar(registrar)
    this.#counted.delete(registrar)
  }
}

function types(views: readonly View[]): number {
  return new Set(views.map(({ resource: { group, version, kind } }) => `${group}/${version}/${kind}`)).size
}
