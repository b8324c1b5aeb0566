import type { Bench, Subject } from '../../harness/bench.ts'

const metrics = ['list_ms', 'rss_bytes']

const subject = (name: string, options: Subject['options'] = {}): Subject => ({
  name,
  module: new URL(`./${name}.ts`, import.meta.url),
  metrics: name === 'none' ? ['list_ms'] : metrics,
  options: { gadgets: 2_000, lists: 5, ...options },
})

const peer = { subject: 'controller-runtime' }

export const convertBench: Bench = {
  name: 'convert',
  measures:
    'a conversion webhook, as a process of its own: how long a real API server takes to list 2,000 objects at another version than they are stored at, the median of five lists, each out of etcd and each object in a review of its own; RSS (absolute) of the webhook then; none: the same list at the version that they are stored at',
  transport: 'TLS 1.3 and HTTP/1.1 on loopback, from a real API server',
  objects: 2_000,
  of: 'configmaps',
  server: { tls: true, real: true },
  runTimeoutMs: 600_000,
  subjects: [subject('wherry'), subject('controller-runtime'), subject('none')],
  smallest: { options: { gadgets: 20, lists: 1 } },
  targets: [{ subject: 'wherry', metric: 'list_ms', atMost: 1.5, times: peer }],
}
