import type { Bench, Subject } from '../../harness/bench.ts'

const metrics = [
  ...['deliveries_per_s', 'rss_bytes', 'received_bytes', 'requests', 'added_requests'],
  'heap_per_registrar_bytes',
]

const wherry = (registrars: number): Subject => ({
  name: `wherry-${registrars}`,
  module: new URL('./wherry.ts', import.meta.url),
  metrics: [...metrics, 'events_per_s'],
  options: { registrars },
})

const latency = (name: string, stalls: boolean): Subject => ({
  name,
  module: new URL('./latency.ts', import.meta.url),
  metrics: ['p50_us', 'p99_us'],
  options: { stalls },
  input: 'configmaps-1000',
})

/** One watch for many consumers. */
export const fanoutBench: Bench = {
  name: 'fanout',
  measures:
    'N registrars of one resource with managedFields, and N informers of client-node: deliveries_per_s of five rounds in which every object changes once, each change delivered to each of the N, and memory and requests then; heap_per_registrar_bytes of one more that has received all (of 1,000 more registrars, of the N - 1 informers after the first); events_per_s of ten such rounds with one registrar that receives them and N - 1 that are not read. stalled: from the store to the sinks of nine registrars at 20,000 changes a second of 1,000 objects, while a tenth one stalls',
  transport: 'plain http, HTTP/1.1 on loopback; 1,930 bytes an object, from a server that does nothing else',
  objects: 10_000,
  runTimeoutMs: 600_000,
  of: 'configmaps',
  subjects: [
    ...[wherry(1), wherry(10), wherry(100), wherry(1000)],
    {
      name: 'client-node-10',
      module: new URL('./client-node.ts', import.meta.url),
      metrics,
      options: { registrars: 10 },
    },
    ...[latency('stalled', true), latency('unstalled', false)],
  ],
  targets: [
    { subject: 'wherry-1000', metric: 'events_per_s', atLeast: 0.9, times: { subject: 'wherry-1' } },
    { subject: 'wherry-1000', metric: 'added_requests', atMost: 0 },
    { subject: 'wherry-1000', metric: 'heap_per_registrar_bytes', atMost: 2048 },
    { subject: 'stalled', metric: 'p50_us', atMost: 1.2, times: { subject: 'unstalled' } },
    { subject: 'stalled', metric: 'p99_us', atMost: 2, times: { subject: 'unstalled' } },
  ],
}
