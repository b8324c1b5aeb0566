import type { Bench } from '../../harness/bench.ts'

const subject = (name: string, input?: string) => ({
  name,
  module: new URL(`./${name}.ts`, import.meta.url),
  metrics: ['ready_ms', 'cpu_ms', 'rss_bytes'],
  input,
})

/** A whole operator, from the start of its process. */
export const reconcileBench: Bench = {
  name: 'reconcile',
  measures:
    'an operator whose reconcile reads its object out of the cache and does nothing, as a process of its own: time and processor time from its start until every object was reconciled, then its RSS (absolute) after a collection; on ConfigMaps, and beside controller-runtime on custom resources with the same data, so that both read JSON',
  transport: 'a real API server, TLS 1.3 and HTTP/2 on loopback',
  objects: 20_000,
  of: 'configmaps',
  server: { tls: true, real: true },
  runTimeoutMs: 600_000,
  subjects: [
    subject('wherry'),
    subject('client-node'),
    subject('wherry-widgets', 'widgets'),
    subject('controller-runtime', 'widgets'),
  ],
  targets: [
    { subject: 'wherry', metric: 'ready_ms', atMost: 0.7, times: { subject: 'client-node' } },
    { subject: 'wherry', metric: 'rss_bytes', atMost: 0.7, times: { subject: 'client-node' } },
    { subject: 'wherry-widgets', metric: 'ready_ms', atMost: 1.2, times: { subject: 'controller-runtime' } },
    { subject: 'wherry-widgets', metric: 'rss_bytes', atMost: 1.3, times: { subject: 'controller-runtime' } },
  ],
}
