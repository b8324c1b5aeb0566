import { asJavaScript } from '../../harness/as-javascript.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { compilesOnMainThread, deployedOptions } from '../../harness/deployed.ts'
import { Program } from '../../harness/program.ts'

/** Runs an operator as a process of its own until it has reconciled every object, and once more until it has settled. */
export async function measureOperator(
  context: SubjectContext,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Metrics> {
  const { url, ca = '', token } = context.server()
  const program = new Program(command, args, {
    NODE_ENV: 'production',
    BENCH_URL: url,
    BENCH_CA: ca,
    BENCH_TOKEN: token,
    BENCH_OBJECTS: String(context.objects),
    ...env,
  })
  try {
    const { ms, cpuMs } = await program.says('ready')
    const { rssBytes, peakBytes } = await program.says('settled')
    return { ready_ms: ms, cpu_ms: cpuMs, rss_bytes: rssBytes, peak_bytes: peakBytes }
  } finally {
    await program.close()
  }
}

/** As {@link measureOperator}, of a program for Node that is a module of the subject's folder. The option `plain` leaves out the options of Node that Deployments have; with `mainThread` V8 compiles on the main thread. */
export async function measureNode(
  context: SubjectContext,
  program: URL,
  env: Readonly<Record<string, string>> = {},
): Promise<Metrics> {
  return measureOperator(
    context,
    process.execPath,
    [
      '--expose-gc',
      ...(context.options.plain === true ? [] : deployedOptions),
      ...(context.options.mainThread === true ? [compilesOnMainThread] : []),
      await asJavaScript(program),
    ],
    env,
  )
}
