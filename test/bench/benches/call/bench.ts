import type { Bench } from '../../harness/bench.ts'

const metrics = ['get_us', 'get50_us']
const subject = (name: string) => ({ name, module: new URL(`./${name}.ts`, import.meta.url), metrics })

/** What one small call costs. */
export const callBench: Bench = {
  name: 'call',
  measures:
    'wall time per GET of one ConfigMap, one after the other and 50 in flight, for 2 s each after a warm-up of 1 s and 5,000 calls (5 s at most); limit: a plain loop, a node:http2 request loop with JSON.parse',
  transport: 'TLS 1.3 on loopback; wherry and limit: one HTTP/2 connection; client-node: HTTP/1.1, as it does',
  objects: 1000,
  of: 'configmaps',
  server: { tls: true },
  subjects: [subject('wherry'), subject('client-node'), subject('limit')],
  targets: metrics.flatMap(metric => [
    { subject: 'wherry', metric, atMost: 1.25, times: { subject: 'limit' } },
    { subject: 'wherry', metric, atMost: 0.35, times: { subject: 'client-node' } },
  ]),
}
