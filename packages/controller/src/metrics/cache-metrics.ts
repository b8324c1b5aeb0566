import type { Environment, Timer } from '@wherry/client'
import type { CacheReport } from '@wherry/dynamic-cache'
import type { TrackedReadsReport } from '../reads/report.ts'

/** What is measured from time to time. */
export interface Measured {
  cache(): CacheReport
  /** By the name of the controller. */
  reads(): Iterable<readonly [controller: string, report: TrackedReadsReport]>
}

/** How often, in milliseconds. */
const everyMs = 10_000

const ofViews = ['objects', 'received_bytes', 'cursors', 'synced', 'stale_seconds'] as const
const ofReads = ['keys', 'dependencies', 'objects', 'polled'] as const

/** Measures caches, and how far they are behind, every ten seconds. */
export class CacheMetrics {
  readonly #environment: Environment
  readonly #measured: Measured
  /** The views that are shown, and since when the watch of each is down, on the monotonic clock. */
  readonly #downSince = new Map<string, number | undefined>()
  #timer: Timer | undefined

  constructor(environment: Environment, measured: Measured) {
    this.#environment = environment
    this.#measured = measured
  }

  start(): void {
    this.#measure()
    this.#timer = this.#environment.clock.timer(everyMs, () => this.start())
  }

  /** Nothing is cached any more. */
  stop(): void {
    this.#timer?.cancel()
    this.#forget(new Set())
    const { metrics } = this.#environment
    metrics.forget?.('wherry_cache_watches')
    for (const [controller] of this.#measured.reads()) {
      for (const name of ofReads) metrics.forget?.(`wherry_reads_${name}`, { controller })
    }
  }

  #measure(): void {
    const { clock, metrics } = this.#environment
    const now = clock.monotonic()
    const report = this.#measured.cache()
    metrics.gauge('wherry_cache_watches', report.watches)
    // A resource that may come later is not missed before.
    const informers = report.informers.filter(({ state, whenUnknown }) => state !== 'missing' || whenUnknown !== 'wait')
    for (const { view, state, synced, objects, receivedBytes, cursors } of informers) {
      const downSince = state === 'watching' ? undefined : (this.#downSince.get(view) ?? now)
      this.#downSince.set(view, downSince)
      const stale_seconds = (now - (downSince ?? now)) / 1000
      const values = { objects, received_bytes: receivedBytes, cursors, synced: synced ? 1 : 0, stale_seconds }
      for (const name of ofViews) metrics.gauge(`wherry_cache_${name}`, values[name], { view })
    }
    this.#forget(new Set(informers.map(({ view }) => view)))
    for (const [controller, report] of this.#measured.reads()) {
      for (const name of ofReads) metrics.gauge(`wherry_reads_${name}`, report[name], { controller })
    }
  }

  /** What is cached no more is not shown. */
  #forget(views: ReadonlySet<string>): void {
    const { metrics } = this.#environment
    for (const view of this.#downSince.keys()) {
      if (views.has(view)) continue
      this.#downSince.delete(view)
      for (const name of ofViews) metrics.forget?.(`wherry_cache_${name}`, { view })
    }
  }
}
