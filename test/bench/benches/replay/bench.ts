import type { Bench } from '../../harness/bench.ts'
import { work } from '../../harness/work.ts'

/** A late registrar. */
export const replayBench: Bench = {
  name: 'replay',
  measures:
    'a registrar that comes when all objects are cached, its sink does nothing: objects_per_s until its synced, the median of nine of them; slice_ms: the longest turn of the loop in nine more, without garbage collections',
  transport: 'none: the store and the watch manager alone',
  objects: 100_000,
  of: 'configmaps',
  subjects: [
    { name: 'wherry', module: new URL('./wherry.ts', import.meta.url), metrics: ['slice_ms', 'objects_per_s'] },
    work('cycles_per_s', 'parse_ms'),
  ],
  targets: [
    { subject: 'wherry', metric: 'slice_ms', atMost: 4, times: { subject: 'work', metric: 'parse_ms' } },
    { subject: 'wherry', metric: 'objects_per_s', atLeast: 1.5, times: { subject: 'work', metric: 'cycles_per_s' } },
  ],
}
