import type { Bench, Subject } from '../../harness/bench.ts'

const subject = (name: string, input?: string): Subject => ({
  name,
  module: new URL(`./${name}.ts`, import.meta.url),
  metrics: ['ready_ms', 'cpu_ms', 'rss_bytes', 'peak_bytes'],
  input,
})

const wherry = (program: 'wherry' | 'wherry-widgets', view: 'full' | 'default', input?: string): Subject => ({
  ...subject(program, input),
  name: `${program}-${view}`,
  options: { view },
})

/** A whole operator, from the start of its process. */
export const reconcileBench: Bench = {
  name: 'reconcile',
  measures:
    'an operator with a reconcile that reads its object out of the cache and does nothing, as a process of its own: time and processor time from its start until every object was reconciled, then its RSS (absolute) after a collection, and the most that it was until then; Node with the options that `wherry manifests` writes into Deployments, in plain-node without; on ConfigMaps, and beside controller-runtime on custom resources with the same data, so that both read JSON; main-thread: as default, with a V8 that compiles on the main thread; full: with managedFields, as the others have them; default: without; read: as default, with a reader of operator.runs(); traces: as default, with traces of runs, to the SDK of OpenTelemetry, which drops all that it is sent; sdk: as default, with that SDK loaded and no traces of runs',
  transport: 'a real API server, TLS 1.3 and HTTP/2 on loopback',
  objects: 20_000,
  of: 'configmaps',
  server: { tls: true, real: true },
  runTimeoutMs: 600_000,
  subjects: [
    wherry('wherry', 'full'),
    wherry('wherry', 'default'),
    { ...subject('wherry'), name: 'wherry-plain-node', options: { view: 'default', plain: true } },
    { ...subject('wherry'), name: 'wherry-read', options: { view: 'default', runs: true } },
    { ...subject('wherry'), name: 'wherry-sdk', options: { view: 'default', traces: 'sdk' } },
    { ...subject('wherry'), name: 'wherry-traces', options: { view: 'default', traces: true } },
    subject('client-node'),
    wherry('wherry-widgets', 'full', 'widgets'),
    wherry('wherry-widgets', 'default', 'widgets'),
    {
      ...subject('wherry-widgets', 'widgets'),
      name: 'wherry-widgets-main-thread',
      options: { view: 'default', mainThread: true },
    },
    subject('controller-runtime', 'widgets'),
  ],
  targets: [
    { subject: 'wherry-full', metric: 'ready_ms', atMost: 0.7, times: { subject: 'client-node' } },
    { subject: 'wherry-full', metric: 'rss_bytes', atMost: 0.7, times: { subject: 'client-node' } },
    { subject: 'wherry-traces', metric: 'cpu_ms', atMost: 1.05, times: { subject: 'wherry-sdk' } },
    { subject: 'wherry-widgets-full', metric: 'ready_ms', atMost: 1.2, times: { subject: 'controller-runtime' } },
    { subject: 'wherry-widgets-full', metric: 'rss_bytes', atMost: 1.3, times: { subject: 'controller-runtime' } },
    { subject: 'wherry-widgets-default', metric: 'rss_bytes', atMost: 1, times: { subject: 'controller-runtime' } },
  ],
}
