import { performance } from 'node:perf_hooks'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { summarise } from '../../harness/statistics.ts'

/** Watches of one run: each takes about a second, in which other programs count for much. */
const WATCHES = 5

/**
 * Begins to watch, calls `event` for each event, `failed` when there can be no more. Resolves once it
 * has begun, with what ends it.
 */
export type Watcher = (event: () => void, failed: (error: unknown) => void) => Promise<() => void> | (() => void)

/** The median rate of some watches, one after the other, each until as many events came as there are objects. */
export async function measureWatch(context: SubjectContext, watch: Watcher): Promise<Metrics> {
  const rates: number[] = []
  for (let time = 0; time < WATCHES; time++) rates.push(await rateOf(context.objects, watch))
  return { events_per_s: summarise(rates).median }
}

async function rateOf(wanted: number, watch: Watcher): Promise<number> {
  let events = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const begin = performance.now()
  const stop = await watch(() => {
    if (++events === wanted) resolve()
  }, reject)
  await promise
  const seconds = (performance.now() - begin) / 1000
  stop()
  return events / seconds
}
