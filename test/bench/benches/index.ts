import type { Bench } from '../harness/bench.ts'
import { callBench } from './call/bench.ts'
import { importBench } from './import/bench.ts'
import { listBench } from './list/bench.ts'
import { serverBench } from './server/bench.ts'
import { watchBench } from './watch/bench.ts'

/** All benchmarks, in the order of `--list`. */
export const benches: readonly Bench[] = [serverBench, callBench, listBench, watchBench, importBench]
