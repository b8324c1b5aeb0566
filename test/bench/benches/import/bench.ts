import type { Bench } from '../../harness/bench.ts'

const subject = (name: string) => ({
  name,
  module: new URL(`./${name}.ts`, import.meta.url),
  metrics: ['import_ms', 'rss_bytes'],
})

/** What a program pays before it does anything. */
export const importBench: Bench = {
  name: 'import',
  measures:
    'import of the client, credentials from a service account, one connection made and one GET of an object over it; RSS above bare Node afterwards; limit: the same by node:http2 alone; api-server: an embedded API server is imported, started and asked for one object',
  transport: 'TLS 1.3 on loopback',
  objects: 1,
  of: 'configmaps',
  server: { tls: true },
  subjects: [subject('wherry'), subject('client-node'), subject('limit'), subject('api-server')],
  targets: [
    { subject: 'wherry', metric: 'import_ms', atMost: 2.5, times: { subject: 'limit' } },
    { subject: 'wherry', metric: 'rss_bytes', atMost: 25e6 },
  ],
}
