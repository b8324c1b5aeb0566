import type { Bench } from '../../harness/bench.ts'

/** Informers that come and go. */
export const churnBench: Bench = {
  name: 'churn',
  measures:
    '10,000 times: one of 60 views is asked of a dynamic cache, synced and removed, 20 under way at a time; what is left then of stores, reflectors and informers, counted on the heap',
  transport: 'TLS, HTTP/2',
  objects: 100,
  of: 'configmaps',
  server: { tls: true },
  subjects: [
    { name: 'wherry', module: new URL('./wherry.ts', import.meta.url), metrics: ['cycles_per_s', 'left_over'] },
  ],
  targets: [{ subject: 'wherry', metric: 'left_over', atMost: 0 }],
}
