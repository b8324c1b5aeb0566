import type { Bench, Target } from '../../harness/bench.ts'

const metrics = ['mb_per_s', 'small_us', 'configmaps_mb_per_s', 'pods_mb_per_s', 'csvs_mb_per_s']
const libraries = ['json-canonicalize', 'canonicalize', 'fast-json-stable-stringify', 'object-hash']
const subject = (name: string, module: string) => ({
  name,
  module: new URL(`./${module}.ts`, import.meta.url),
  metrics,
  options: { library: name },
})

/** At least so many times as fast as that one. */
function bound(metric: string, times: number, other: string): Target {
  const by = metric.endsWith('_us') ? { atMost: Math.round(100 / times) / 100 } : { atLeast: times }
  return { subject: 'wherry', metric, ...by, times: { subject: other } }
}

/** What the digest of an object costs. */
export const hashBench: Bench = {
  name: 'hash',
  measures:
    'processor time of SHA-256 of the canonical JSON of 2 KB ConfigMaps, 3.5 KB Pods and ClusterServiceVersions without their icons; small_us: of one ConfigMap; limit: of JSON.stringify, unsorted: a plain loop, and no digest of content; best-library: in each metric the best of the libraries, each measured in a process of its own',
  transport: 'none',
  objects: 200,
  of: 'configmaps-pods-csvs',
  subjects: [
    subject('wherry', 'wherry'),
    subject('limit', 'limit'),
    ...libraries.map(name => subject(name, 'library')),
  ],
  best: { name: 'best-library', of: libraries },
  targets: metrics.flatMap(metric => [bound(metric, 0.5, 'limit'), bound(metric, 1.2, 'best-library')]),
}
