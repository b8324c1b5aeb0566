import type { Bench, Subject } from '../../harness/bench.ts'

const metrics = ['sync_ms', 'object_us', 'rss_bytes', 'peak_rss_bytes', 'gc_ms']

type Plural = 'configmaps' | 'pods'

const wherry = (plural: Plural, share: number): Subject => ({
  name: `wherry-${plural}-${share * 100}%`,
  module: new URL('./wherry.ts', import.meta.url),
  metrics,
  options: { plural, share },
  // V8's own bound is 4 GB.
  nodeOptions: ['--max-old-space-size=16384'],
  input: plural,
})

const peer = (plural: Plural): Subject => ({
  name: `client-go-${plural}-20%`,
  module: new URL('./client-go.ts', import.meta.url),
  metrics: ['sync_ms', 'object_us', 'rss_bytes', 'peak_rss_bytes'],
  options: { plural, share: 0.2 },
  input: plural,
})

/** The first state of very many objects. */
export const millionBench: Bench = {
  name: 'million',
  measures:
    'the first sync of an informer of a tenth, a fifth and all of the ConfigMaps, and of the Pods: time until all are stored and delivered to a handler, the same for each object, RSS (absolute) after a collection, the greatest RSS until then, the longest collection; client-go: the cache of controller-runtime, as a process of its own from its start',
  transport:
    'plain http, HTTP/1.1 on loopback, from a server that makes its answers while it sends them; ConfigMaps of 1,930 bytes, 18 % managedFields; Pods of 3,500 bytes; client-go is timed from the start of its process',
  objects: 1_000_000,
  of: 'objects',
  server: { tls: false, canned: 'many' },
  runTimeoutMs: 600_000,
  subjects: (['configmaps', 'pods'] as const).flatMap(plural => [
    ...[0.1, 0.2, 1].map(share => wherry(plural, share)),
    peer(plural),
  ]),
  smallest: { objects: 1_000 },
  targets: (['configmaps', 'pods'] as const).flatMap(plural => [
    { subject: `wherry-${plural}-100%`, metric: 'object_us', atMost: 1.25, times: { subject: `wherry-${plural}-10%` } },
    { subject: `wherry-${plural}-20%`, metric: 'rss_bytes', atMost: 1, times: { subject: `client-go-${plural}-20%` } },
  ]),
}
