import type { Bench, Subject } from '../../harness/bench.ts'

const subject = (name: 'first' | 'list'): Subject => ({
  name,
  module: new URL(`../narrow/${name}.ts`, import.meta.url),
  metrics: ['get_us'],
})

/** A first get of the narrow cache, as bench `narrow` has it, but from a real API server. */
export const firstBench: Bench = {
  name: 'first',
  measures:
    'wall time per first get of a narrow cache, which opens a watch, beside one that stays subscribed, and per LIST of one name by the client, one after the other, for 2 s after 1 s of warm-up',
  transport: 'a real API server, TLS 1.3 and HTTP/2 on loopback',
  objects: 2000,
  of: 'configmaps',
  server: { tls: true, real: true },
  subjects: [subject('first'), subject('list')],
  smallest: { objects: 1300 },
  targets: [{ subject: 'first', metric: 'get_us', atMost: 1.25, times: { subject: 'list' } }],
}
