import { performance } from 'node:perf_hooks'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { memoryAbove } from '../../harness/memory.ts'
import { type PauseWatch, watchPauses, watchSlices } from '../../harness/pauses.ts'

/** What a subject has once it has read all. */
export interface Held {
  /** How many objects it holds. */
  objects(): number
  close(): Promise<void> | void
}

/** Which objects a subject reads. */
export type Kind = 'configmaps' | 'pods' | 'clusterserviceversions'

export function kindOf({ options }: SubjectContext): Kind {
  return (options.kind as Kind | undefined) ?? 'configmaps'
}

/** Pods are there for every fifth ConfigMap. */
export const PODS = 0.2
/** ClusterServiceVersions, of 122 KB in the mean, for every fiftieth. */
export const CSVS = 0.02

const shares: Readonly<Record<Kind, number>> = { configmaps: 1, pods: PODS, clusterserviceversions: CSVS }

/**
 * Measures one first sync, in a process that has done nothing else, by `options.measure`: `time` (and the delay of the event
 * loop meanwhile), `slices`, or `memory`, while all is held. Before slices are measured, `touch` sends a small request: Node loads its HTTP modules on
 * the first request of a process, and that is no part of a sync.
 */
export async function measureSync(
  context: SubjectContext,
  sync: () => Promise<Held>,
  touch?: () => Promise<unknown>,
): Promise<Metrics> {
  const { measure } = context.options
  if (measure === 'slices') await touch?.()
  const stop = measure === 'slices' ? watchSlices() : undefined
  const pauses = measure === 'time' ? watchPauses() : undefined
  await sampled(pauses)
  const begin = performance.now()
  const held = await sync()
  const sync_ms = performance.now() - begin
  await sampled(pauses)
  const stalls = { ...(await pauses?.stop()), ...(await stop?.()) }
  const above = measure === 'memory' ? memoryAbove(context.start) : undefined
  const wanted = Math.round(context.objects * shares[kindOf(context)])
  if (held.objects() !== wanted) throw new Error(`${held.objects()} objects, not ${wanted}`)
  await held.close()
  return {
    sync_ms,
    ...stalls,
    ...above,
    ...(above && { peak_above_heap_bytes: above.peak_rss_bytes - above.heap_bytes }),
  }
}

/** Resolves when the loop's delay was taken again: a long turn at the end would be missed. */
async function sampled(pauses: PauseWatch | undefined): Promise<void> {
  const before = pauses?.samples() ?? 0
  while (pauses !== undefined && pauses.samples() <= before) await new Promise(resolve => setTimeout(resolve, 1))
}
