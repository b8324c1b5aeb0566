import { performance } from 'node:perf_hooks'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'

/**
 * Counts events until there are as many as objects. `watch` begins to watch and calls its argument for each
 * event; what it returns ends the watch.
 */
export async function measureWatch(
  context: SubjectContext,
  watch: (event: () => void, failed: (error: unknown) => void) => Promise<() => void> | (() => void),
): Promise<Metrics> {
  let events = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const begin = performance.now()
  const stop = await watch(() => {
    if (++events === context.objects) resolve()
  }, reject)
  await promise
  const seconds = (performance.now() - begin) / 1000
  stop()
  return { events_per_s: events / seconds }
}
