import type { Bench } from '../../harness/bench.ts'

/** How long nobody reconciles when the leader changes. */
export const handoverBench: Bench = {
  name: 'handover',
  measures:
    'two replicas of an operator that caches every ConfigMap and answers each change of one of them, as processes of their own: from the last answer of the leader to the first of the next one, when the leader gets SIGTERM (the longest of 3) and when it is killed; answers of a former leader after the first of the next one; RSS (absolute, without the pages of files) of the leader and of the standby, each after a collection',
  transport: 'a real API server, TLS 1.3 and HTTP/2 on loopback; a change every 20 ms; a lease of 15 s',
  objects: 20_000,
  of: 'configmaps',
  server: { tls: true, real: true },
  runTimeoutMs: 600_000,
  subjects: [
    {
      name: 'replicas',
      module: new URL('./replicas.ts', import.meta.url),
      metrics: ['rolling_gap_ms', 'kill_gap_ms', 'overlaps', 'leader_rss_bytes', 'standby_rss_bytes'],
    },
  ],
  targets: [
    { subject: 'replicas', metric: 'rolling_gap_ms', atMost: 1000 },
    // The lease, and a second.
    { subject: 'replicas', metric: 'kill_gap_ms', atMost: 16_000 },
    { subject: 'replicas', metric: 'overlaps', atMost: 0 },
    {
      subject: 'replicas',
      metric: 'standby_rss_bytes',
      atMost: 1.1,
      times: { subject: 'replicas', metric: 'leader_rss_bytes' },
    },
  ],
}
