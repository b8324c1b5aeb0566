import type { Bench, Subject } from '../../harness/bench.ts'

const subject = (name: string): Subject => ({
  name,
  module: new URL(`./${name}.ts`, import.meta.url),
  metrics: ['ready_ms', 'rss_bytes', 'events_per_s', 'watches'],
})

/** The case study: kinds that are synced, audited and constrained at run time. */
export const policyBench: Bench = {
  name: 'policy',
  measures:
    'examples/policy-sync with 20 kinds that are synced and audited and 20 kinds of constraints, and client-node with one informer for each registrar and kind: ready_ms until all is in memory for each registrar, events_per_s while as many objects again come until each of the two registrars has received them, the RSS then, and the watches that the server has open. Both audit what the registrar audit has, by the same policies and as often',
  transport: 'TLS 1.3 on loopback, HTTP/2 (client-node: HTTP/1.1); an embedded server of its own for each run',
  objects: 20_000,
  of: 'parts',
  runTimeoutMs: 600_000,
  subjects: [subject('wherry'), subject('client-node')],
  targets: [
    { subject: 'wherry', metric: 'ready_ms', atMost: 1, times: { subject: 'client-node' } },
    { subject: 'wherry', metric: 'rss_bytes', atMost: 1, times: { subject: 'client-node' } },
    { subject: 'wherry', metric: 'events_per_s', atLeast: 1, times: { subject: 'client-node' } },
  ],
}
