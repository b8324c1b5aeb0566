import type { Bench } from '../../harness/bench.ts'

/** How soon a newcomer has an operator with a test that passes, and sees a change of it. */
export const createBench: Bench = {
  name: 'create',
  measures:
    '`npm create wherry-operator`, `npm install` and `npm test` in an empty folder, from a registry on this machine and with what npm has in its cache; in `wherry dev` from the save of a source to the object that it changes, median of 5; the files of the project',
  transport: 'TLS 1.3 and HTTP/2 on loopback',
  objects: 1,
  of: 'projects',
  runTimeoutMs: 600_000,
  subjects: [
    {
      name: 'wherry',
      module: new URL('./project.ts', import.meta.url),
      metrics: ['create_to_test_ms', 'save_to_reconciled_ms', 'files'],
    },
  ],
  targets: [
    { subject: 'wherry', metric: 'create_to_test_ms', atMost: 60_000 },
    { subject: 'wherry', metric: 'save_to_reconciled_ms', atMost: 1000 },
    { subject: 'wherry', metric: 'files', atMost: 14 },
  ],
}
