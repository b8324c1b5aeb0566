import type { Bench } from '../../harness/bench.ts'
import { work } from '../../harness/work.ts'

const MINUTE_MS = 60_000

/** What an operator costs that has nothing to do. */
export const operatorBench: Bench = {
  name: 'operator',
  measures:
    'an operator of one kind of custom resource, with one object and a lease, as a process of its own: from its start until the object was reconciled; its RSS (absolute) after so many minutes in which nothing happens, and its requests meanwhile, but those for the lease',
  transport: 'TLS 1.3 and HTTP/2 on loopback',
  objects: 12,
  of: 'minutes',
  runTimeoutMs: 60 * MINUTE_MS,
  subjects: [
    {
      name: 'hello',
      module: new URL('./hello.ts', import.meta.url),
      metrics: ['start_ms', 'rss_bytes', 'anon_bytes', 'requests_per_min'],
    },
    work('start_ms'),
  ],
  smallest: { options: { minutes: 0.01 } },
  targets: [
    { subject: 'hello', metric: 'rss_bytes', atMost: 80e6 },
    { subject: 'hello', metric: 'anon_bytes', atMost: 40e6 },
    { subject: 'hello', metric: 'start_ms', atMost: 10, times: { subject: 'work' } },
    { subject: 'hello', metric: 'requests_per_min', atMost: 1 },
  ],
}
