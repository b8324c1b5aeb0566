import type { Bench, Subject } from '../../harness/bench.ts'

const subject = (name: string): Subject => ({
  name,
  module: new URL(`./${name}.ts`, import.meta.url),
  metrics: ['events_per_s'],
})

const wherry = (view: 'full' | 'default'): Subject => ({
  ...subject('wherry'),
  name: `wherry-${view}`,
  options: { view },
})

/** One watch with many events. */
export const watchBench: Bench = {
  name: 'watch',
  measures:
    'events of one watch that begins below all objects, from the request to the last one, each decoded and dropped, the median of five watches in each run; limit: a plain loop, a search for newlines and JSON.parse of each line; wherry-full: with managedFields, as the others have them',
  transport: 'plain http, HTTP/1.1 on loopback; 1,930 bytes an object, 18 % managedFields',
  objects: 100_000,
  of: 'configmaps',
  server: { tls: false },
  subjects: [wherry('full'), wherry('default'), subject('client-node'), subject('limit')],
  targets: [{ subject: 'wherry-full', metric: 'events_per_s', atLeast: 0.9, times: { subject: 'limit' } }],
}
