import type { Bench } from '../../harness/bench.ts'
import { CSVS, PODS } from '../sync/measure.ts'
import { names, subject } from '../sync/subjects.ts'

const metrics = ['heap_bytes', 'rss_bytes', 'peak_rss_bytes', 'peak_above_heap_bytes']

/** What an informer takes. */
export const memoryBench: Bench = {
  name: 'memory',
  measures:
    'memory after the first sync of an informer, all objects held, above the start of the process, the client included: heap with external memory and RSS after a full collection, and the greatest RSS until then; of all ConfigMaps, of a fifth as many pods, and of a fiftieth as many ClusterServiceVersions (projection: without their icons); limit: a plain loop into a Map; wherry-full: with managedFields, as the others have them; limit of configmaps-metadata: the same Map of what a metadata view has',
  transport:
    'plain http, HTTP/1.1 on loopback, no gzip; ConfigMaps of 1,930 bytes, 18 % managedFields; pods of 3,500; ClusterServiceVersions of 122 KB, 88 % icons',
  objects: 100_000,
  of: 'configmaps',
  server: { tls: false, pods: PODS, clusterServiceVersions: CSVS },
  subjects: [
    ...names.map(name => subject(name, metrics, { measure: 'memory' })),
    subject('limit', metrics, { measure: 'memory', view: 'metadata' }, 'configmaps-metadata'),
    ...['client-node', 'wherry-full', 'wherry-default', 'wherry-projection'].map(name =>
      subject(name, metrics, { measure: 'memory', kind: 'pods' }, 'pods'),
    ),
    ...['client-node', 'wherry-full', 'wherry-default', 'wherry-projection'].map(name =>
      subject(name, metrics, { measure: 'memory', kind: 'clusterserviceversions' }, 'clusterserviceversions'),
    ),
  ],
  targets: [
    { subject: 'wherry-default', metric: 'heap_bytes', atMost: 0.62, times: { subject: 'client-node' } },
    { subject: 'wherry-default', metric: 'peak_rss_bytes', atMost: 0.5, times: { subject: 'client-node' } },
    { subject: 'wherry-metadata', metric: 'heap_bytes', atMost: 0.15, times: { subject: 'client-node' } },
    { subject: 'wherry-metadata', metric: 'peak_above_heap_bytes', atMost: 100e6 },
  ],
}
