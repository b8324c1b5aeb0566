import type { Bench, Subject } from '../../harness/bench.ts'

const subject = (name: string, optOut: boolean): Subject => ({
  name,
  module: new URL('./wherry.ts', import.meta.url),
  metrics: ['list_ms', 'peak_rss_bytes', 'received_bytes'],
  options: { optOut },
})

/** What it saves that a server leaves `managedFields` out, where the client would cut them out otherwise. */
export const optOutBench: Bench = {
  name: 'opt-out',
  measures:
    'one list of all ConfigMaps at resourceVersion=0 by the default view, items decoded and dropped; asks: from a server that leaves managedFields out of the answer, as the client asks (KEP-5958); cuts: from one that ignores that, so that the client cuts them out',
  transport: 'plain http on loopback, HTTP/1.1, no gzip; 40 % of the bytes of each object are managedFields',
  objects: 100_000,
  of: 'configmaps',
  server: { tls: false, optOut: true },
  subjects: [subject('asks', true), subject('cuts', false)],
  targets: [
    { subject: 'asks', metric: 'list_ms', atMost: 0.75, times: { subject: 'cuts' } },
    { subject: 'asks', metric: 'received_bytes', atMost: 0.75, times: { subject: 'cuts' } },
  ],
}
