import type { Bench, Subject } from '../../harness/bench.ts'

const few = 2000

const subject = (name: string, file: string, options: Subject['options'] = {}): Subject => ({
  name,
  module: new URL(`./${file}.ts`, import.meta.url),
  metrics: ['objects_per_s', 'peak_rss_bytes', 'requests'],
  options,
  ...(options.objects !== undefined && { input: `games-${options.objects}` }),
})

/** A definition's objects, stored at an old version, are rewritten at the new one. */
export const migrateBench: Bench = {
  name: 'migrate',
  measures:
    'all custom resources of a definition, stored at v1, are rewritten at v2: their rate, the greatest RSS of the process (absolute), and the requests that the server counted; client-node: a plain loop of pages, and a get and a replace for each object; wherry-200000 has as many as --objects says',
  transport: 'TLS 1.3 on loopback, HTTP/2 (client-node: HTTP/1.1); an embedded server of its own for each run',
  objects: 200_000,
  of: 'games',
  runTimeoutMs: 900_000,
  subjects: [
    subject('wherry-2000', 'wherry', { objects: few }),
    subject('wherry-200000', 'wherry'),
    subject('client-node-2000', 'client-node', { objects: few }),
  ],
  targets: [
    { subject: 'wherry-200000', metric: 'peak_rss_bytes', atMost: 1.2, times: { subject: 'wherry-2000' } },
    // One for each object, the lists, and four for the definition.
    { subject: 'wherry-2000', metric: 'requests', atMost: few + few / 500 + 4 },
  ],
}
