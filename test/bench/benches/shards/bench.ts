import type { Bench } from '../../harness/bench.ts'
import { ringSizes } from '../../server/ring-sizes.ts'

const alone = { subject: 'members-1' }

/** An operator in several processes. */
export const shardsBench: Bench = {
  name: 'shards',
  measures:
    "an operator as the members of a ring of kubernetes-controller-sharding, each in a process of its own, all at once; each reconciles its share of the ConfigMaps, and then all of them three times more: what all members reconcile in a second of the processor time of each, after the first round (reconciles); objects of all members by the processor time of the busiest one until the first round has ended, with the compiler's start (started); what the busiest one has received of objects; its RSS (absolute) at the end",
  transport:
    'TLS 1.3 and HTTP/2 on loopback; the objects have the labels of their shards from the start, so no sharder runs',
  objects: 200_000,
  of: 'configmaps',
  server: { tls: true, shards: true },
  runTimeoutMs: 600_000,
  subjects: ringSizes.map(members => ({
    name: `members-${members}`,
    module: new URL('./members.ts', import.meta.url),
    metrics: ['reconciles_per_cpu_s', 'started_per_cpu_s', 'received_bytes', 'rss_bytes'],
    options: { members },
  })),
  smallest: { objects: 100 },
  targets: [
    { subject: 'members-5', metric: 'reconciles_per_cpu_s', atLeast: 4.5, times: alone },
    { subject: 'members-2', metric: 'received_bytes', atMost: 1.1 / 2, times: alone },
    { subject: 'members-5', metric: 'received_bytes', atMost: 1.1 / 5, times: alone },
  ],
}
