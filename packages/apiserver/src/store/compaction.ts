import type { Clock } from '../clock.ts'
import type { Store } from './store.ts'

/**
 * Every `intervalMs`, compacts to the resourceVersion of one interval ago, as an API server does with its etcd. So continue tokens and old states last for one
 * to two intervals, and so do watch caches.
 */
export function compactEvery(intervalMs: number, store: Store, clock: Clock): void {
  const revision = store.revision
  clock.timer(intervalMs, () => {
    store.compact(revision)
    store.forgetLogs(revision)
    compactEvery(intervalMs, store, clock)
  })
}
