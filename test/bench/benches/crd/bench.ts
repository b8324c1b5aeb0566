import type { Bench, Subject } from '../../harness/bench.ts'
import { work } from '../../harness/work.ts'

const operator = (name: string, withSchema: boolean): Subject => ({
  name,
  module: new URL('./operator.ts', import.meta.url),
  metrics: ['rss_bytes'],
  options: { withSchema },
  input: 'one-kind',
})

/** What definitions from types cost: the command, and the operator that uses the types. */
export const crdBench: Bench = {
  name: 'crd',
  measures:
    '`wherry crd` of kinds that are interfaces of 20 fields, from its start to its end, and with --watch from the change of a file to the manifest; the RSS (absolute) of an operator with a kind that is defined with zod, and of one without a schema',
  transport: 'none; for the operators TLS 1.3 and HTTP/2 on loopback',
  objects: 20,
  of: 'kinds',
  subjects: [
    { name: 'wherry', module: new URL('./command.ts', import.meta.url), metrics: ['crd_ms', 'crd_warm_ms'] },
    operator('with-schema', true),
    operator('without-schema', false),
    work('start_ms'),
  ],
  smallest: { objects: 2 },
  targets: [
    { subject: 'wherry', metric: 'crd_ms', atMost: 50, times: { subject: 'work', metric: 'start_ms' } },
    { subject: 'wherry', metric: 'crd_warm_ms', atMost: 10, times: { subject: 'work', metric: 'start_ms' } },
    { subject: 'with-schema', metric: 'rss_bytes', atMost: 1.01, times: { subject: 'without-schema' } },
  ],
}
