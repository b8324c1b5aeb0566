import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { measureNode } from '../reconcile/measure.ts'

/** The operator as the bench's options say. */
export function run(context: SubjectContext): Promise<Metrics> {
  const program = new URL('./program.ts', import.meta.url)
  return measureNode(context, program, { BENCH_MODE: String(context.options.mode) })
}
