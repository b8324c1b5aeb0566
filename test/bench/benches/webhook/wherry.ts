import { asJavaScript } from '../../harness/as-javascript.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { compilesOnMainThread, deployedOptions } from '../../harness/deployed.ts'
import { measureWebhook } from './measure.ts'

/** An operator of ours. */
export async function run(context: SubjectContext): Promise<Metrics> {
  const program = await asJavaScript(new URL('./wherry-program.ts', import.meta.url))
  return measureWebhook(context, {
    command: process.execPath,
    args: [...deployedOptions, ...(context.options.concurrent === true ? [] : [compilesOnMainThread]), program],
    env: { BENCH_VIEW: String(context.options.view) },
  })
}
