import type { Bench } from '../../harness/bench.ts'

const subject = (name: string) => ({
  name,
  module: new URL(`./${name}.ts`, import.meta.url),
  metrics: ['events_per_s'],
})

/** One watch with much to tell. */
export const watchBench: Bench = {
  name: 'watch',
  measures:
    'events of one watch that begins below all objects, from the request to the last one, each decoded and dropped, the median of five watches in each run; limit: a search for newlines and JSON.parse of each line',
  transport: 'plain http, HTTP/1.1 on loopback; 1,930 bytes an object, 18 % managedFields',
  objects: 100_000,
  of: 'configmaps',
  server: { tls: false },
  subjects: [subject('wherry'), subject('client-node'), subject('limit')],
  targets: [{ subject: 'wherry', metric: 'events_per_s', atLeast: 0.9, times: { subject: 'limit' } }],
}
