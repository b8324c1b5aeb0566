import type { Bench } from '../../harness/bench.ts'

const metrics = [
  ...['resync_writes', 'resync_requests', 'resync_ms', 'heap_per_copy_bytes', 'peak_rss_bytes'],
  ...['repair_writes', 'repair_reads', 'repair_ms', 'restart_writes'],
]
const events = ['event_us_100', 'event_us_10000']
const module = (name: string) => new URL(`./${name}.ts`, import.meta.url)

/** Copies of 50 sources, and what it costs to keep them as they should be. */
export const copiesBench: Bench = {
  name: 'copies',
  measures:
    '50 ConfigMaps copied into as many namespaces as it takes: one resync of all copies, with the requests that the server counts; the heap that holds them; the repair of one edit by hand; the writes after a restart; the processor time for one copy’s event, at 100 and at 10,000 copies; always: an update of every copy, from a full cache; apply: by @wherry/copies, one server-side apply each',
  transport: 'TLS, HTTP/2',
  objects: 10_000,
  of: 'configmap-copies',
  runTimeoutMs: 240_000,
  subjects: [
    { name: 'always', module: module('always'), metrics },
    { name: 'apply', module: module('apply'), metrics: [...metrics, ...events] },
  ],
  targets: [
    { subject: 'apply', metric: 'resync_writes', atMost: 0 },
    { subject: 'apply', metric: 'resync_requests', atMost: 0 },
    { subject: 'apply', metric: 'heap_per_copy_bytes', atMost: 450 },
    { subject: 'apply', metric: 'repair_writes', atMost: 1 },
    { subject: 'apply', metric: 'repair_reads', atMost: 0 },
    { subject: 'apply', metric: 'repair_ms', atMost: 1000 },
    { subject: 'apply', metric: 'restart_writes', atMost: 50 },
    { subject: 'apply', metric: 'event_us_10000', atMost: 1.5, times: { subject: 'apply', metric: 'event_us_100' } },
  ],
}
