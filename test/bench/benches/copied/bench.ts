import type { Bench, Subject } from '../../harness/bench.ts'

const events = ['join', 'leave', 'labels', 'statuses', 'revision', 'edit'].map(event => `${event}_writes`)
const phases = ['start', 'resync', 'events', 'restart'].flatMap(phase => [`${phase}_writes`, `${phase}_reads`])

const subject = (name: string): Subject => ({
  name,
  module: new URL(`./${name}.ts`, import.meta.url),
  metrics: ['heap_bytes', 'rss_bytes', 'peak_rss_bytes', ...phases, ...events, 'edit_undone'],
})

/** The case study: copies of ClusterServiceVersions, kept in four ways. */
export const copiedBench: Bench = {
  name: 'copied',
  measures:
    '50 ClusterServiceVersions copied into as many namespaces as it takes: heap and RSS once all copies are made, and the requests that the server counts, each a line of its audit log, for the start, one resync, ten minutes of events and a restart. The events: a namespace joins; one leaves; ten get another label; the statuses of ten sources change; the spec of a source changes; a copy is edited by hand. always: each copy is applied whenever it is looked at, and none is cached; whole: copies are cached and compared whole; metadata: their metadata, with a hash in an annotation; copies: @wherry/copies',
  transport: 'TLS, HTTP/2; an embedded server of its own for each run',
  objects: 10_000,
  of: 'csv-copies',
  runTimeoutMs: 600_000,
  subjects: ['always', 'whole', 'metadata', 'copies'].map(subject),
  targets: [
    { subject: 'copies', metric: 'resync_writes', atMost: 0 },
    { subject: 'copies', metric: 'resync_reads', atMost: 0 },
    { subject: 'copies', metric: 'labels_writes', atMost: 0 },
    { subject: 'copies', metric: 'statuses_writes', atMost: 0 },
    { subject: 'copies', metric: 'edit_writes', atMost: 1 },
    { subject: 'copies', metric: 'events_reads', atMost: 0 },
    { subject: 'copies', metric: 'restart_writes', atMost: 50 },
    { subject: 'copies', metric: 'heap_bytes', atMost: 1, times: { subject: 'metadata' } },
    { subject: 'copies', metric: 'rss_bytes', atMost: 0.5, times: { subject: 'whole' } },
  ],
}
