import type { Bench } from '../../harness/bench.ts'

/** The case study: bundles without pods. */
export const bundlesBench: Bench = {
  name: 'bundles',
  measures:
    'examples/bundles: 69 PlatformOperators, with the reasons of a published audit (25 install, 26 have another install mode, 14 need webhooks, 4 are refused by the server): the RSS of the operator’s process above its start, when each has its reason; the pods there are; the longest message of a condition; the time until all have their reason; the streams that are left, above those before, once all are deleted',
  transport: 'TLS, HTTP/2; an embedded API server in a process of its own',
  objects: 69,
  of: 'bundles',
  subjects: [
    {
      name: 'wherry',
      module: new URL('./measure.ts', import.meta.url),
      metrics: ['rss_bytes', 'pods', 'message_bytes', 'ready_ms', 'streams_left'],
    },
  ],
  targets: [
    { subject: 'wherry', metric: 'rss_bytes', atMost: 100e6 },
    { subject: 'wherry', metric: 'pods', atMost: 0 },
    { subject: 'wherry', metric: 'message_bytes', atMost: 256 },
    { subject: 'wherry', metric: 'streams_left', atMost: 0 },
  ],
}
