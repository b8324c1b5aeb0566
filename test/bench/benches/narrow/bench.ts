import type { Bench, Subject } from '../../harness/bench.ts'
import { work } from '../../harness/work.ts'

const entries = (count: number): Subject => ({
  name: `entries-${count}`,
  module: new URL('./entries.ts', import.meta.url),
  metrics: [
    'rss_per_entry_bytes',
    'heap_per_entry_bytes',
    'heap_above_object_bytes',
    'opens_per_s',
    'connections',
    'server_bytes_per_entry',
  ],
  options: { count },
})

const read = (name: 'cached' | 'first' | 'list', metric: string): Subject => ({
  name,
  module: new URL(`./${name}.ts`, import.meta.url),
  metrics: [metric],
})

const informer = (name: string, metadata: boolean): Subject => ({
  name,
  module: new URL('./informer.ts', import.meta.url),
  metrics: ['heap_bytes', 'rss_bytes'],
  options: { metadata },
})

/** What a narrow cache costs by the entry. */
export const narrowBench: Bench = {
  name: 'narrow',
  measures:
    'a narrow cache: so many objects got at once, none of them escalated: how many are opened a second, and what each adds to heap with external memory (object included, and above the object alone), to RSS, both above a client that has read 200, and to the RSS of an embedded server of its own; gets of 100 cached objects for 2 s; first gets, beside one that stays subscribed, and lists of one name by the client, one after the other for 2 s, each after a warm-up of 1 s; and what informers of all objects, whole and metadata, hold',
  transport: 'TLS 1.3 on loopback, HTTP/2',
  objects: 20_000,
  of: 'configmaps',
  server: { tls: true },
  subjects: [
    ...[1, 10, 100, 1000, 5000].map(entries),
    informer('metadata-informer', true),
    informer('full-informer', false),
    read('cached', 'gets_per_s'),
    read('first', 'get_us'),
    read('list', 'get_us'),
    work('cycles_per_s', 'pieces_per_s'),
  ],
  smallest: {
    objects: 1300,
    subjects: ['entries-1', 'entries-100', 'metadata-informer', 'full-informer', 'cached', 'first', 'list', 'work'],
  },
  targets: [
    { subject: 'entries-5000', metric: 'opens_per_s', atLeast: 4, times: { subject: 'work', metric: 'pieces_per_s' } },
    { subject: 'entries-5000', metric: 'heap_above_object_bytes', atMost: 5000 },
    { subject: 'entries-5000', metric: 'rss_per_entry_bytes', atMost: 26_000 },
    { subject: 'cached', metric: 'gets_per_s', atLeast: 0.25, times: { subject: 'work', metric: 'cycles_per_s' } },
    { subject: 'first', metric: 'get_us', atMost: 1.25, times: { subject: 'list' } },
  ],
}
