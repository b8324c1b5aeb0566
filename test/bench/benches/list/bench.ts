import type { Bench, Subject } from '../../harness/bench.ts'
import { work } from '../../harness/work.ts'

const subject = (name: string, options: Subject['options'] = {}, file = name): readonly Subject[] => {
  const module = new URL(`./${file}.ts`, import.meta.url)
  return [
    { name, module, metrics: ['list_ms', 'peak_rss_bytes'], options },
    { name, module, metrics: ['slice_ms', 'gc_ms'], options: { ...options, slices: true } },
  ]
}

const wherry = (view: 'full' | 'default') => subject(`wherry-${view}`, { view }, 'wherry')

/** One whole list, its items decoded and dropped. */
export const listBench: Bench = {
  name: 'list',
  measures:
    'one list of all ConfigMaps at resourceVersion=0, items decoded and dropped; limit: a plain loop, JSON.parse of the body read whole; wherry-full: with managedFields, as the others have them; peak RSS above the start of the process, the client included; slices and GC pauses in runs of their own',
  transport:
    'TLS 1.3 on loopback, HTTP/2 (client-node and limit: HTTP/1.1), no gzip; 1,930 bytes an object, 18 % managedFields',
  objects: 100_000,
  of: 'configmaps',
  server: { tls: true },
  subjects: [...wherry('full'), ...wherry('default'), ...subject('client-node'), ...subject('limit'), work('parse_ms')],
  targets: [
    { subject: 'wherry-full', metric: 'list_ms', atMost: 1.5, times: { subject: 'limit' } },
    { subject: 'wherry-default', metric: 'peak_rss_bytes', atMost: 80e6 },
    { subject: 'wherry-full', metric: 'slice_ms', atMost: 4, times: { subject: 'work', metric: 'parse_ms' } },
    { subject: 'wherry-default', metric: 'slice_ms', atMost: 4, times: { subject: 'work', metric: 'parse_ms' } },
  ],
}
