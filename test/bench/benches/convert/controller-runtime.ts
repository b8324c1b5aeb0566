import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { buildGo } from '../../harness/build-go.ts'
import { measureConversion } from './measure.ts'

/** Go's controller-runtime. It needs Go. */
export async function run(context: SubjectContext): Promise<Metrics> {
  return measureConversion(context, {
    command: await buildGo(),
    args: [],
    env: { BENCH_OF: 'convert' },
    path: '/convert',
  })
}
