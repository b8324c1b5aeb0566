import type { Bench, Subject } from '../../harness/bench.ts'
import { deployedOptions } from '../../harness/deployed.ts'

const library = ['lines_per_s', 'exec_ms', 'forward_mb_per_s', 'forward_rss_bytes']

const subject = (name: string, metrics: readonly string[] = library): Subject => ({
  name,
  module: new URL(`./${name}.ts`, import.meta.url),
  metrics,
  options: { megabytes: 1024, commands: 100 },
  nodeOptions: deployedOptions,
})

/** Streams of a pod. */
export const streamsBench: Bench = {
  name: 'streams',
  measures:
    'streams of a pod through a real API server, from the streaming code of a real kubelet: lines a second of a log that is there already; from one command `true` to the next; 1 GiB from a port of the pod, by a port of this machine (forward) and as a stream of the program (connect), how much a second and the greatest RSS above that before',
  transport: 'TLS 1.3 on loopback; WebSockets over HTTP/1.1, the log over HTTP/2 (client-node: HTTP/1.1)',
  objects: 200_000,
  of: 'lines',
  server: { tls: true, real: true, empty: true },
  runTimeoutMs: 300_000,
  subjects: [
    subject('wherry', [...library, 'connect_mb_per_s', 'connect_rss_bytes']),
    subject('client-node'),
    subject('kubectl', ['lines_per_s', 'exec_ms']),
  ],
  smallest: { objects: 1_000, options: { megabytes: 1, commands: 2 } },
  targets: [
    { subject: 'wherry', metric: 'lines_per_s', atLeast: 1, times: { subject: 'client-node' } },
    { subject: 'wherry', metric: 'exec_ms', atMost: 1, times: { subject: 'client-node' } },
    { subject: 'wherry', metric: 'lines_per_s', atLeast: 1, times: { subject: 'kubectl' } },
    { subject: 'wherry', metric: 'exec_ms', atMost: 1, times: { subject: 'kubectl' } },
    { subject: 'wherry', metric: 'forward_mb_per_s', atLeast: 1, times: { subject: 'client-node' } },
    { subject: 'wherry', metric: 'forward_rss_bytes', atMost: 40e6 },
  ],
}
