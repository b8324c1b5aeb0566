import type { Metrics } from '@wherry/client'

/** Counted for each controller, with no other label. */
const counters = [
  'controller_runtime_reconcile_errors_total',
  'controller_runtime_reconcile_timeouts_total',
  'controller_runtime_terminal_reconcile_errors_total',
]

/**
 * Shows what is measured of a controller before there is anything to measure, as controller-runtime does: a rate begins with the
 * second value, and the first failure is the one that an alert is for.
 */
export function beginMeasuring(metrics: Metrics, controller: string, concurrency: number): void {
  for (const result of ['success', 'error', 'requeue', 'requeue_after']) {
    metrics.count('controller_runtime_reconcile_total', { controller, result }, 0)
  }
  for (const name of counters) metrics.count(name, { controller }, 0)
  metrics.gauge('controller_runtime_active_workers', 0, { controller })
  metrics.gauge('controller_runtime_max_concurrent_reconciles', concurrency, { controller })
}
