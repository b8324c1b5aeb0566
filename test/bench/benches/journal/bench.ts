import type { Bench } from '../../harness/bench.ts'
import { work } from '../../harness/work.ts'

/** Many cursors on one journal. */
export const journalBench: Bench = {
  name: 'journal',
  measures:
    '1,000 cursors on one store, opened and at its end: heap of each; then every cursor reads all objects by take(100), each object having changed: reads of all cursors a second; and the time of a change with nobody waiting and with 1,000 cursors that are woken for each batch of 30 changes and take them',
  transport: 'none: the store alone',
  objects: 10_000,
  of: 'configmaps',
  subjects: [
    {
      name: 'wherry',
      module: new URL('./wherry.ts', import.meta.url),
      metrics: ['bytes_per_cursor', 'reads_per_s', 'bytes_per_object', 'idle_change_us', 'change_us'],
    },
    work('cycles_per_s'),
  ],
  targets: [
    { subject: 'wherry', metric: 'bytes_per_cursor', atMost: 256 },
    { subject: 'wherry', metric: 'reads_per_s', atLeast: 6, times: { subject: 'work', metric: 'cycles_per_s' } },
    { subject: 'wherry', metric: 'bytes_per_object', atMost: 300 },
  ],
}
