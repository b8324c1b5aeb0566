import type { Bench } from '../../harness/bench.ts'

/** Relists of what has not changed. */
export const relistBench: Bench = {
  name: 'relist',
  measures:
    '200 relists of unchanged ConfigMaps, each because the watch was answered that its resourceVersion is too old, without the backoff between: the median time of one but for the first 20, of 20 first syncs of other stores in the same process after them, the updates and deletes that a handler received, and what the heap grew by for each, after a full collection',
  transport: 'plain http, HTTP/1.1 on loopback, from a server that only sends bytes made before; 1,930 bytes an object',
  objects: 20_000,
  of: 'configmaps',
  server: { tls: false, canned: 'expired' },
  runTimeoutMs: 600_000,
  subjects: [
    {
      name: 'relist',
      module: new URL('./relist.ts', import.meta.url),
      metrics: ['relist_ms', 'sync_ms', 'events', 'heap_slope_bytes'],
      options: { relists: 200 },
    },
  ],
  targets: [
    { subject: 'relist', metric: 'relist_ms', atMost: 1, times: { subject: 'relist', metric: 'sync_ms' } },
    { subject: 'relist', metric: 'events', atMost: 0 },
    { subject: 'relist', metric: 'heap_slope_bytes', atMost: 1024 },
  ],
}
