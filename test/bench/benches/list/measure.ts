import { performance } from 'node:perf_hooks'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { peakRss } from '../../harness/memory.ts'
import { watchSlices } from '../../harness/pauses.ts'

/** Times `list`, which resolves with the number of its items; or, for a run of that kind, its slices. */
export async function measureList(context: SubjectContext, list: () => Promise<number>): Promise<Metrics> {
  const stop = context.options.slices ? watchSlices() : undefined
  const begin = performance.now()
  const items = await list()
  const list_ms = performance.now() - begin
  if (items !== context.objects) throw new Error(`${items} items, not ${context.objects}`)
  return { list_ms, peak_rss_bytes: peakRss() - context.start.rss, ...(await stop?.()) }
}
