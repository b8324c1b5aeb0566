import type { Bench } from '../../harness/bench.ts'
import { work } from '../../harness/work.ts'
import { CSVS } from './measure.ts'
import { names, subject } from './subjects.ts'

/** The first state of an informer. */
export const syncBench: Bench = {
  name: 'sync',
  measures:
    'the first sync of an informer of all ConfigMaps, to the last object stored and delivered to a handler; limit: a plain loop, JSON.parse of the body read whole, into a Map, without a handler; wherry-full: with managedFields, as the others have them; the longest delay of the event loop meanwhile, the one that 1 in 1,000 is beyond, and the longest collection; slices in runs of their own',
  transport:
    'plain http, HTTP/1.1 on loopback, no gzip; ConfigMaps of 1,930 bytes, 18 % managedFields; a fiftieth as many ClusterServiceVersions of 122 KB, 88 % icons',
  objects: 100_000,
  of: 'configmaps',
  server: { tls: false, clusterServiceVersions: CSVS },
  subjects: [
    ...names.map(name => subject(name, ['sync_ms', 'stall_ms', 'delay_p999_ms', 'gc_ms'], { measure: 'time' })),
    ...['client-node', 'wherry-full', 'wherry-default', 'wherry-projection'].map(name =>
      subject(
        name,
        ['sync_ms', 'stall_ms'],
        { measure: 'time', kind: 'clusterserviceversions' },
        'clusterserviceversions',
      ),
    ),
    subject('wherry-full', ['slice_ms'], { measure: 'slices' }),
    subject('wherry-default', ['slice_ms'], { measure: 'slices' }),
    work('parse_ms'),
  ],
  targets: [
    { subject: 'wherry-full', metric: 'sync_ms', atMost: 1.25, times: { subject: 'limit' } },
    { subject: 'wherry-full', metric: 'slice_ms', atMost: 8, times: { subject: 'work', metric: 'parse_ms' } },
    { subject: 'wherry-default', metric: 'slice_ms', atMost: 8, times: { subject: 'work', metric: 'parse_ms' } },
  ],
}
