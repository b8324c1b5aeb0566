import type { Bench, Subject } from '../../harness/bench.ts'

const subject = (name: string, registrations?: number): Subject => ({
  name,
  module: new URL(`./${registrations === undefined ? name : 'wherry'}.ts`, import.meta.url),
  metrics: ['events_per_s'],
  ...(registrations !== undefined && { options: { registrations } }),
})

/** Changes through an informer. */
export const eventsBench: Bench = {
  name: 'events',
  measures:
    'changes of 10,000 ConfigMaps that an informer stores and tells to its handlers, from the first one to the last; limit: a search for newlines, JSON.parse of each line, and a Map; wherry-1 and wherry-10: one handler, and ten',
  transport: 'plain http, HTTP/1.1 on loopback, from a server that only sends bytes made before; 1,930 bytes an object',
  objects: 100_000,
  of: 'configmaps',
  server: { tls: false, canned: 'events' },
  subjects: [
    subject('limit'),
    subject('client-node'),
    subject('kubernetes-fluent-client'),
    subject('wherry-1', 1),
    subject('wherry-10', 10),
  ],
  targets: [
    { subject: 'wherry-1', metric: 'events_per_s', atLeast: 0.9, times: { subject: 'limit' } },
    { subject: 'wherry-10', metric: 'events_per_s', atLeast: 0.75, times: { subject: 'limit' } },
  ],
}
