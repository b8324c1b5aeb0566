import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { buildGo } from '../../harness/build-go.ts'
import { measureOperator } from './measure.ts'

/** Go's controller-runtime, on custom resources of the same size, so that both read JSON. It needs Go. */
export async function run(context: SubjectContext): Promise<Metrics> {
  return measureOperator(context, await buildGo(), [])
}
