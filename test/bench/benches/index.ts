import type { Bench } from '../harness/bench.ts'
import { serverBench } from './server/bench.ts'

/** All benchmarks, in the order of `--list`. */
export const benches: readonly Bench[] = [serverBench]
