import type { Bench, Subject } from '../../harness/bench.ts'

const measured = ['restart_requests', 'resync_ms', 'rss_bytes']

const subject = (runtime: 'wherry' | 'controller-runtime', of: 'configmaps' | 'distinct' | 'deployments'): Subject => ({
  name: `${runtime}-${of}`,
  module: new URL(`./${runtime}.ts`, import.meta.url),
  metrics: runtime === 'wherry' ? ['heap_per_object_bytes', ...measured] : measured,
  options: { of },
  ...(of !== 'configmaps' && { input: of }),
})

/** An operator that makes one object for each of its primary objects. */
export const applyBench: Bench = {
  name: 'apply',
  measures:
    'an operator that applies and owns one object for each custom resource, as a process of its own that starts when all are as desired: the requests (but lists and watches) that the server counts for those kinds, RSS (absolute) after a collection, then the time until each key has run once more; heap per owned object, above the same process that owns and applies nothing; configmaps: 1 KB, equal shapes; distinct: ten keys of its own each; deployments: a fifth as many; controller-runtime: CreateOrUpdate, field by field, with a cache of the whole kind',
  transport: 'a real API server, TLS 1.3 and HTTP/2 on loopback',
  objects: 10_000,
  of: 'configmaps',
  server: { tls: true, real: true, empty: true },
  runTimeoutMs: 900_000,
  subjects: [
    subject('wherry', 'configmaps'),
    subject('wherry', 'distinct'),
    subject('wherry', 'deployments'),
    subject('controller-runtime', 'configmaps'),
    subject('controller-runtime', 'deployments'),
  ],
  targets: [
    { subject: 'wherry-configmaps', metric: 'restart_requests', atMost: 0 },
    { subject: 'wherry-distinct', metric: 'restart_requests', atMost: 0 },
    { subject: 'wherry-deployments', metric: 'restart_requests', atMost: 0 },
    { subject: 'wherry-configmaps', metric: 'heap_per_object_bytes', atMost: 700 },
    { subject: 'wherry-deployments', metric: 'heap_per_object_bytes', atMost: 700 },
    {
      subject: 'wherry-configmaps',
      metric: 'rss_bytes',
      atMost: 0.7,
      times: { subject: 'controller-runtime-configmaps' },
    },
    {
      subject: 'wherry-deployments',
      metric: 'rss_bytes',
      atMost: 0.7,
      times: { subject: 'controller-runtime-deployments' },
    },
  ],
}
