import type { Bench, Subject } from '../../harness/bench.ts'

const direct = ['p50_us', 'p99_us', 'per_s', 'rss_bytes']
const throughApiServer = ['api_p50_us', 'api_p99_us', 'api_per_s']

const subject = (name: string, metrics: readonly string[], options: Subject['options'] = {}): Subject => ({
  name,
  module: new URL(`./${name.replace(/-.*view$/, '')}.ts`, import.meta.url),
  metrics,
  options: { requests: 2_000, ...options },
})

const peer = { subject: 'controller-runtime' }

/** A validating webhook that reads one cached object. */
export const webhookBench: Bench = {
  name: 'webhook',
  measures:
    "a validating webhook that reads one object out of the operator's cache, as a process of its own with all ConfigMaps in its cache: latency of a recorded request of a real API server, 200 a second over HTTP/1.1; how many it answers a second to 8 clients; its RSS (absolute) then, without a collection; api_: the same of dry-run creations through the API server; none: without a webhook; Node is started as the images and the Deployments of new projects start it; concurrent: as full view, with a V8 that compiles on its other threads; full view: with managedFields, as controller-runtime has them",
  transport: 'TLS 1.3 on loopback; HTTP/1.1 to the webhook, HTTP/2 to a real API server',
  objects: 5_000,
  of: 'configmaps',
  server: { tls: true, real: true },
  runTimeoutMs: 600_000,
  subjects: [
    subject('wherry-full-view', [...direct, ...throughApiServer], { view: 'full' }),
    subject('wherry-default-view', [...direct, ...throughApiServer], { view: 'default' }),
    subject('wherry-concurrent-view', direct, { view: 'full', concurrent: true }),
    subject('controller-runtime', [...direct, ...throughApiServer]),
    subject('none', throughApiServer),
  ],
  smallest: { options: { requests: 20 } },
  targets: [
    { subject: 'wherry-full-view', metric: 'p50_us', atMost: 1.5, times: peer },
    { subject: 'wherry-full-view', metric: 'p99_us', atMost: 1.5, times: peer },
    { subject: 'wherry-full-view', metric: 'per_s', atLeast: 0.8, times: peer },
    { subject: 'wherry-full-view', metric: 'rss_bytes', atMost: 1.3, times: peer },
    { subject: 'wherry-full-view', metric: 'api_p50_us', atMost: 1.5, times: peer },
    { subject: 'wherry-full-view', metric: 'api_p99_us', atMost: 1.5, times: peer },
    { subject: 'wherry-full-view', metric: 'api_per_s', atLeast: 0.8, times: peer },
  ],
}
