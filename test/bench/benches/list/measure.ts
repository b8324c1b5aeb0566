import { performance } from 'node:perf_hooks'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { peakRss } from '../../harness/memory.ts'
import { watchSlices } from '../../harness/pauses.ts'

/** A list, as a subject does it. */
export interface Lister {
  /** A small request first, so that modules are loaded and a connection is there. */
  touch(): Promise<unknown>
  /** The whole list; resolves with the number of its items. */
  list(): Promise<number>
}

/**
 * Times the list, in a process that has done nothing else; or, for a run of that kind, measures its
 * slices, after a small request: a module that is loaded on the first one is no part of a list.
 */
export async function measureList(context: SubjectContext, lister: Lister): Promise<Metrics> {
  const slices = context.options.slices === true
  if (slices) await lister.touch()
  const stop = slices ? watchSlices() : undefined
  const begin = performance.now()
  const items = await lister.list()
  const list_ms = performance.now() - begin
  if (items !== context.objects) throw new Error(`${items} items, not ${context.objects}`)
  return { list_ms, peak_rss_bytes: peakRss() - context.start.rss, ...(await stop?.()) }
}
