import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { buildGo } from '../../harness/build-go.ts'
import { measureApply } from './measure.ts'

/** Go's controller-runtime. It needs Go. */
export async function run(context: SubjectContext): Promise<Metrics> {
  return measureApply(context, 'controller-runtime', { command: await buildGo(), args: [], reportsHeap: false })
}
