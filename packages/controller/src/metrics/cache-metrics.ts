import type { Environment, Timer } from '@wherry/client'
import type { DynamicCache } from '@wherry/dynamic-cache'
import type { TrackedReads } from '../reads/tracked-reads.ts'

/** How often caches are measured, in milliseconds. */
const everyMs = 10_000

const ofViews = ['objects', 'received_bytes', 'cursors', 'synced', 'stale_seconds'] as const
const ofReads = ['keys', 'dependencies', 'objects', 'polled'] as const

/** A controller, as far as its reads are measured. */
interface Reader {
  readonly name: string
  readonly reads: Pick<TrackedReads, 'report'>
}

/** Measures a cache, its lag, and the reads of controllers: at once, and every ten seconds. Returns a function that ends this. */
export function measureCaches(
  { clock, metrics }: Environment,
  cache: DynamicCache,
  controllers: readonly Reader[],
): () => void {
  /** The views that are shown, and since when the watch of each is down, on the monotonic clock. */
  let downSince = new Map<string, number | undefined>()
  let timer: Timer
  const forget = (views: Iterable<string>): void => {
    for (const view of views) for (const name of ofViews) metrics.forget?.(`wherry_cache_${name}`, { view })
  }
  const measure = (): void => {
    const before = downSince
    downSince = new Map()
    const now = clock.monotonic()
    const report = cache.report()
    metrics.gauge('wherry_cache_watches', report.watches)
    // A view of a resource that is not defined yet is not measured.
    const informers = report.informers.filter(({ state, whenUnknown }) => state !== 'missing' || whenUnknown !== 'wait')
    for (const { view, state, synced, objects, receivedBytes, cursors } of informers) {
      const since = state === 'watching' ? undefined : (before.get(view) ?? now)
      downSince.set(view, since)
      const stale_seconds = (now - (since ?? now)) / 1000
      const values = { objects, received_bytes: receivedBytes, cursors, synced: synced ? 1 : 0, stale_seconds }
      for (const name of ofViews) metrics.gauge(`wherry_cache_${name}`, values[name], { view })
    }
    forget([...before.keys()].filter(view => !downSince.has(view)))
    for (const { name: controller, reads } of controllers) {
      const report = reads.report()
      for (const name of ofReads) metrics.gauge(`wherry_reads_${name}`, report[name], { controller })
    }
    timer = clock.timer(everyMs, measure)
  }
  measure()
  return () => {
    timer.cancel()
    forget(downSince.keys())
    metrics.forget?.('wherry_cache_watches')
    for (const { name: controller } of controllers) {
      for (const name of ofReads) metrics.forget?.(`wherry_reads_${name}`, { controller })
    }
  }
}
