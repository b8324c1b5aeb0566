import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { measureNode } from './measure.ts'

/** Our operator, on ConfigMaps. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureNode(context, new URL('./wherry-program.ts', import.meta.url), {
    BENCH_VIEW: String(context.options.view),
    BENCH_RUNS: String(context.options.runs ?? false),
    BENCH_TRACES: String(context.options.traces ?? false),
  })
}
