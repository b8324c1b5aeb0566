import type { Bench, Subject } from '../../harness/bench.ts'

const subject = (name: string): Subject => ({
  name,
  module: new URL(`./${name}.ts`, import.meta.url),
  metrics: ['events_per_s'],
})

const wherry = (view: 'full' | 'default' | 'metadata', registrations: number): Subject => ({
  ...subject('wherry'),
  name: `wherry-${view}-${registrations}`,
  options: { view, registrations },
})

/** Changes through an informer. */
export const eventsBench: Bench = {
  name: 'events',
  measures:
    'changes of 10,000 ConfigMaps that an informer stores and delivers to its handlers, but for the first tenth, which warms all of them up; limit: a plain loop, a search for newlines, JSON.parse of each line, and a Map; wherry: one handler, and ten; full: with managedFields, as the others have them; default: without; metadata: of which the server sends no more',
  transport: 'plain http, HTTP/1.1 on loopback, from a server that only sends bytes made before; 1,930 bytes an object',
  objects: 100_000,
  of: 'configmaps',
  server: { tls: false, canned: 'events' },
  subjects: [
    subject('limit'),
    subject('client-node'),
    subject('kubernetes-fluent-client'),
    ...[wherry('full', 1), wherry('full', 10), wherry('default', 1), wherry('default', 10), wherry('metadata', 1)],
  ],
  targets: [
    { subject: 'wherry-full-1', metric: 'events_per_s', atLeast: 1, times: { subject: 'limit' } },
    { subject: 'wherry-default-1', metric: 'events_per_s', atLeast: 1.15, times: { subject: 'limit' } },
    { subject: 'wherry-default-10', metric: 'events_per_s', atLeast: 1, times: { subject: 'limit' } },
    { subject: 'wherry-metadata-1', metric: 'events_per_s', atLeast: 1.5, times: { subject: 'limit' } },
    { subject: 'wherry-full-10', metric: 'events_per_s', atLeast: 0.75, times: { subject: 'limit' } },
  ],
}
