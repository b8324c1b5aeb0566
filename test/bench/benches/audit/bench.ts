import type { Bench, Subject, Target } from '../../harness/bench.ts'

/** How a list is read: by a bare client that only counts the bytes, or by Wherry's client, which decodes the items. */
const readers = ['json-http1', 'json-http2', 'protobuf-http1', 'client'] as const

const subject = (reader: (typeof readers)[number], isAudited: boolean): Subject => {
  const [form = '', protocol = ''] = reader.split('-')
  return {
    name: `${reader}-${isAudited ? 'audited' : 'direct'}`,
    module: new URL('./measure.ts', import.meta.url),
    metrics: isAudited ? ['list_ms', 'audit_cpu_ms', 'audit_idle_rss_bytes', 'audit_peak_rss_bytes'] : ['list_ms'],
    options: { form, protocol, isAudited, lists: 3 },
  }
}

const targetsOf = (reader: (typeof readers)[number]): readonly Target[] => [
  // No program only counts the bytes, so these subjects have no bound: they show the most that the proxy can cost.
  ...(reader === 'client'
    ? [{ subject: 'client-audited', metric: 'list_ms', atMost: 1.3, times: { subject: 'client-direct' } }]
    : []),
  { subject: `${reader}-audited`, metric: 'audit_peak_rss_bytes', atMost: 60e6 },
]

/** What a program pays for being audited. */
export const auditBench: Bench = {
  name: 'audit',
  measures:
    'a list of all ConfigMaps through the proxy of `wherry audit`, and direct: the median of three, after a first one that is not measured; json, protobuf: a bare client that counts the bytes; client: the client of Wherry, which decodes the items; of the audit itself, a process of its own: its time on processors for each list, and its RSS above that of a bare Node, before the lists and at its peak',
  transport: 'TLS 1.3 on loopback, HTTP/1.1 or HTTP/2 (client: HTTP/2), no gzip; 1,930 bytes an object',
  objects: 100_000,
  of: 'configmaps',
  server: { tls: true },
  runTimeoutMs: 600_000,
  subjects: readers.flatMap(reader => [subject(reader, false), subject(reader, true)]),
  targets: readers.flatMap(targetsOf),
  smallest: { options: { lists: 1 } },
}
