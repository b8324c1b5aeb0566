import type { Bench } from '../../harness/bench.ts'

/** Names are those of the default size: `dead` is a part of all clusters. */
const fleet = (name: string, dead: number) => ({
  name,
  module: new URL('./fleet.ts', import.meta.url),
  metrics: ['ready_ms', 'reaction_p50_us', 'reaction_p99_us', 'rss_bytes', 'peak_rss_bytes'],
  options: { dead },
})

/** One operator in many clusters. */
export const clustersBench: Bench = {
  name: 'clusters',
  measures:
    'one operator in many clusters with 5 ConfigMaps each, as a process of its own: from its start until all objects of the healthy clusters are reconciled (ready); from the request that changes a ConfigMap of a healthy cluster, chosen at random, to the start of its reconcile, 100 changes a second one after the other (reaction); its RSS (absolute) after the changes, and the peak. dead-40: of a tenth of the clusters, half have an address at which nothing listens, and half one that accepts connections and never answers',
  transport:
    'TLS 1.3 and HTTP/2 on loopback; the servers are in four processes; the requests go over other connections',
  objects: 400,
  of: 'clusters',
  runTimeoutMs: 300_000,
  subjects: [fleet('healthy-400', 0), fleet('dead-40', 0.1)],
  smallest: { objects: 20, options: { changes: 20 } },
  targets: [
    { subject: 'healthy-400', metric: 'rss_bytes', atMost: 400e6 },
    { subject: 'dead-40', metric: 'rss_bytes', atMost: 400e6 },
    { subject: 'dead-40', metric: 'reaction_p99_us', atMost: 1.25, times: { subject: 'healthy-400' } },
  ],
}
