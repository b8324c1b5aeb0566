import type { Bench } from '../../harness/bench.ts'

const subject = (name: string) => ({
  name,
  module: new URL('./operator.ts', import.meta.url),
  metrics: ['ready_ms', 'cpu_ms', 'rss_bytes'],
  options: { mode: name },
})

/** The cold start of an operator with very many objects, each of which needs one other. */
export const coldBench: Bench = {
  name: 'cold',
  measures:
    'an operator that reads for every ConfigMap the Secret of its name, as a process of its own: from its start until each was reconciled; by tracked reads of single Secrets, and from an informer of all of them; RSS (absolute) after a collection; 32 reconciles at a time',
  transport:
    'TLS 1.3 and HTTP/2 on loopback; 1,930 bytes a ConfigMap, 18 % managedFields, and Secrets with the same data',
  objects: 20_000,
  of: 'configmaps',
  server: { tls: true, secrets: true },
  runTimeoutMs: 600_000,
  subjects: [subject('tracked'), subject('informer')],
  targets: [{ subject: 'tracked', metric: 'ready_ms', atMost: 1.5, times: { subject: 'informer' } }],
}
