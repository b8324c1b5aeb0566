import type { Bench } from '../../harness/bench.ts'

const subject = (name: string) => ({
  name,
  module: new URL('./operator.ts', import.meta.url),
  metrics: ['p50_us', 'p99_us'],
  options: { mode: name },
})

/** How soon a reconcile runs. */
export const reactionBench: Bench = {
  name: 'reaction',
  measures:
    'from the request that changes a Secret to the start of the reconcile that depends on it, one change after the other over 100 objects: by a tracked read of that Secret, and by a map function on an informer of all Secrets',
  transport: 'TLS 1.3 and HTTP/2 on loopback; the request goes over another connection',
  objects: 2000,
  of: 'changes',
  server: { tls: true },
  subjects: [subject('narrow'), subject('informer')],
  targets: [],
}
