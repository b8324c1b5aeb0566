import type { Bench } from '../../harness/bench.ts'
import { work } from '../../harness/work.ts'

const module = (name: string): URL => new URL(`./${name}.ts`, import.meta.url)

/** The embedded API server itself: it must not be what another benchmark measures. */
export const serverBench: Bench = {
  name: 'server',
  measures:
    'the embedded API server: filling it (generator included), whole lists and watches over all objects read by a bare socket in another process, the median of five in each run, RSS of server and objects after the fill; and random runs of 200 operations in memory',
  transport: 'plain http, HTTP/1.1 on loopback; in-memory: none',
  objects: 100_000,
  of: 'configmaps',
  subjects: [
    { name: 'embedded', module: module('embedded'), metrics: ['fill_ms', 'list_mb_per_s', 'watch_ms', 'memory_bytes'] },
    { name: 'objects', module: module('objects'), metrics: ['json_bytes'] },
    { name: 'in-memory', module: module('in-memory'), metrics: ['runs_per_s'], input: 'operations-200' },
    work('parse_ms', 'parse_mb_per_s', 'pieces_per_s'),
  ],
  targets: [
    { subject: 'embedded', metric: 'fill_ms', atMost: 1000, times: { subject: 'work', metric: 'parse_ms' } },
    { subject: 'embedded', metric: 'list_mb_per_s', atLeast: 1, times: { subject: 'work', metric: 'parse_mb_per_s' } },
    { subject: 'embedded', metric: 'watch_ms', atMost: 250, times: { subject: 'work', metric: 'parse_ms' } },
    { subject: 'embedded', metric: 'memory_bytes', atMost: 1.5, times: { subject: 'objects', metric: 'json_bytes' } },
    { subject: 'in-memory', metric: 'runs_per_s', atLeast: 0.34, times: { subject: 'work', metric: 'pieces_per_s' } },
  ],
}
