import type { Bench, Subject } from '../../harness/bench.ts'
import { work } from '../../harness/work.ts'

const subject = (keys: number): Subject => ({
  name: `wherry-${keys}`,
  module: new URL('./wherry.ts', import.meta.url),
  metrics: ['cycles_per_s', 'duplicate_adds_per_s', 'bytes_per_key'],
  options: { keys },
  input: `keys-${keys}`,
})

/** What a key costs in the work queue. */
export const queueBench: Bench = {
  name: 'queue',
  measures:
    'the work queue with so many keys pending, each key a string built anew (namespace-N/object-N): cycles of add, await take() and done for 2 s; adds of keys that are pending already, in an order that jumps about, for 2 s; JavaScript heap and array buffers that a key costs, its string included; each after a warm-up of 1 s, and in a second of processor time, garbage collection included',
  transport: 'none',
  objects: 10_000,
  of: 'keys',
  subjects: [subject(10_000), subject(1_000_000), work('cycles_per_s')],
  targets: [
    { subject: 'wherry-10000', metric: 'cycles_per_s', atLeast: 0.25, times: { subject: 'work' } },
    {
      subject: 'wherry-10000',
      metric: 'duplicate_adds_per_s',
      atLeast: 0.4,
      times: { subject: 'work', metric: 'cycles_per_s' },
    },
    { subject: 'wherry-1000000', metric: 'cycles_per_s', atLeast: 0.07, times: { subject: 'work' } },
    { subject: 'wherry-1000000', metric: 'bytes_per_key', atMost: 220 },
  ],
}
