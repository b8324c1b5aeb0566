import type { Clock } from '../clock.ts'
import type { Store } from './store.ts'

/**
 * Compacts every `intervalMs` what was there an interval ago, as an API server does with its etcd: so
 * continue tokens and old states live for one to two intervals. Watch caches keep as long.
 */
export function compactEvery(intervalMs: number, store: Store, clock: Clock): void {
  const revision = store.revision
  clock.timer(intervalMs, () => {
    store.compact(revision)
    store.forgetLogs(revision)
    compactEvery(intervalMs, store, clock)
  })
}
