import { asJavaScript } from '../../harness/as-javascript.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { deployedOptions } from '../../harness/deployed.ts'
import { measureApply } from './measure.ts'

/** Our operator. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const program = await asJavaScript(new URL('./program.ts', import.meta.url))
  const args = ['--expose-gc', ...deployedOptions, program]
  return measureApply(context, 'wherry', { command: process.execPath, args, reportsHeap: true })
}
