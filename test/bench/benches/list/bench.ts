import type { Bench, Subject } from '../../harness/bench.ts'

const subject = (name: string): readonly Subject[] => {
  const module = new URL(`./${name}.ts`, import.meta.url)
  return [
    { name, module, metrics: ['list_ms', 'peak_rss_bytes'] },
    { name, module, metrics: ['slice_ms', 'gc_ms'], options: { slices: true } },
  ]
}

/** One whole list, its items decoded and dropped. */
export const listBench: Bench = {
  name: 'list',
  measures:
    'one list of all ConfigMaps at resourceVersion=0, items decoded and dropped; limit: JSON.parse of the body read whole; peak RSS above the start of the process, the client included; slices and GC pauses in runs of their own',
  transport: 'plain http, HTTP/1.1 on loopback, no gzip; 1,930 bytes an object, 18 % managedFields',
  objects: 100_000,
  of: 'configmaps',
  server: { tls: false },
  subjects: [...subject('wherry'), ...subject('client-node'), ...subject('limit')],
  targets: [
    { subject: 'wherry', metric: 'list_ms', atMost: 1.5, times: { subject: 'limit' } },
    { subject: 'wherry', metric: 'peak_rss_bytes', atMost: 80e6 },
    { subject: 'wherry', metric: 'slice_ms', atMost: 20 },
  ],
}
