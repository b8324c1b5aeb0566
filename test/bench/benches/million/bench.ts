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

const peer = (name: 'client-go' | 'kube-rs', plural: Plural): Subject => ({
  name: `${name}-${plural}-20%`,
  module: new URL(`./${name}.ts`, import.meta.url),
  metrics: ['sync_ms', 'object_us', 'rss_bytes', 'peak_rss_bytes'],
  options: { plural, share: 0.2 },
  input: plural,
})

/** The first state of very many objects. */
export const millionBench: Bench = {
  name: 'million',
  measures:
    'the first sync of an informer of a tenth, a fifth and all of the ConfigMaps, and of the Pods: time until all are stored and delivered to a handler, the same for each object, RSS (absolute) after a collection, the greatest RSS until then, the longest collection; client-go: the cache of controller-runtime; kube-rs: the store of its reflector; each a process of its own, from its start',
  transport:
    'plain http, HTTP/1.1 on loopback, from a server that makes its answers while it sends them; ConfigMaps of 1,930 bytes, 18 % managedFields; Pods of 3,500 bytes; client-go and kube-rs are timed from the start of their process',
  objects: 1_000_000,
  of: 'objects',
  server: { tls: false, canned: 'many' },
  runTimeoutMs: 600_000,
  subjects: (['configmaps', 'pods'] as const).flatMap(plural => [
    ...[0.1, 0.2, 1].map(share => wherry(plural, share)),
    peer('client-go', plural),
    peer('kube-rs', plural),
  ]),
  // A release build of kube-rs takes minutes. The tests of the clients compile the program.
  smallest: {
    objects: 1_000,
    subjects: ['configmaps', 'pods'].flatMap(plural => [
      ...['10%', '20%', '100%'].map(share => `wherry-${plural}-${share}`),
      `client-go-${plural}-20%`,
    ]),
  },
  targets: (['configmaps', 'pods'] as const).flatMap(plural => [
    { subject: `wherry-${plural}-100%`, metric: 'object_us', atMost: 1.25, times: { subject: `wherry-${plural}-10%` } },
    { subject: `wherry-${plural}-20%`, metric: 'rss_bytes', atMost: 1, times: { subject: `client-go-${plural}-20%` } },
  ]),
}
