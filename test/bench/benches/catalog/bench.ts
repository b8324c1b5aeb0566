import type { Bench, Subject, Target } from '../../harness/bench.ts'

const counts = [178, 10_000, 100_000]
const module = new URL('./measure.ts', import.meta.url)
const pointers = (count: number): Subject => ({
  name: `pointers-${count}`,
  module,
  metrics: ['rss_bytes', 'ready_ms', 'poll_bytes'],
  options: { count, whole: false },
  input: `releases-${count}`,
})
const whole = (count: number): Subject => ({
  name: `whole-${count}`,
  module,
  metrics: ['rss_bytes', 'ready_ms'],
  options: { count, whole: true },
  input: `releases-${count}`,
})

/** The case study: an index of pointers, and the same releases whole. */
export const catalogBench: Bench = {
  name: 'catalog',
  measures:
    'examples/catalog: ready_ms until the index of so many releases is fetched from a registry, verified and read, connecting included; whole: until the ClusterServiceVersions of all of them are fetched as lines of JSON over TLS, verified by one digest, and parsed; the RSS above what the process had with an empty index; poll_bytes: all that an unchanged poll sends and receives over a kept connection, with TLS. Releases are made of the manifests up to 100 KB, 20 in each channel',
  transport: 'TLS 1.3 on loopback, HTTP/1.1; an embedded registry in a process of its own',
  objects: 178,
  of: 'releases',
  runTimeoutMs: 900_000,
  subjects: [...counts.map(pointers), ...counts.map(whole)],
  smallest: { subjects: ['pointers-178', 'whole-178'] },
  targets: counts.flatMap((count): Target[] => {
    const [subject, than] = [`pointers-${count}`, `whole-${count}`]
    return [
      { subject, metric: 'rss_bytes', atMost: 0.1, times: { subject: than } },
      { subject, metric: 'ready_ms', atMost: 0.1, times: { subject: than } },
      { subject, metric: 'poll_bytes', atMost: 1024 },
    ]
  }),
}
