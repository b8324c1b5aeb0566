import type { Bench } from '../harness/bench.ts'

/** All benchmarks, in the order of `--list`. */
export const benches: readonly Bench[] = []
