import { Client, type KubernetesObject, type View } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { Operator, type Traces } from '@wherry/controller'
import { addressOfProgram, reporter } from './in-program.ts'

/** Runs an operator of ours with a reconcile that reads its object out of the cache and does nothing with it. */
export async function runOperator(view: View<KubernetesObject>): Promise<void> {
  const { url, ca, token, objects } = addressOfProgram()
  const reconciled = reporter(objects)
  const client = new Client({ access: fromUrl(url, { ca, token }) })
  const operator = new Operator({ name: 'reconcile', client, traces: await tracesIfWanted() })
  operator
    .controller('bench')
    .for(view)
    .reconcile(({ key, object }) => {
      if (object.metadata === undefined) throw new Error(`${key.namespace}/${key.name} has no metadata`)
      reconciled(`${key.namespace}/${key.name}`)
    })
  const reading = (async () => {
    if (process.env.BENCH_RUNS !== 'true') return
    for await (const { outcome } of operator.runs())
      if (outcome !== 'success') throw new Error(`a run ended as ${outcome}`)
  })()
  await operator.run()
  await reading
}

/**
 * Traces to an SDK that sends nothing. `sdk` loads the same SDK, as a program does that makes spans of its own, and makes no traces of runs: the
 * difference is the cost of traces of runs.
 */
async function tracesIfWanted(): Promise<Traces | undefined> {
  const wanted = process.env.BENCH_TRACES
  if (wanted !== 'true' && wanted !== 'sdk') return undefined
  const { context, trace } = await import('@opentelemetry/api')
  const { AsyncLocalStorageContextManager } = await import('@opentelemetry/context-async-hooks')
  const { BatchSpanProcessor, TracerProvider } = await import('@opentelemetry/sdk-trace')
  const { openTelemetryTraces } = await import('@wherry/controller')
  const exporter = {
    export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    shutdown: async () => {},
  }
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] }))
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return wanted === 'true' ? openTelemetryTraces() : undefined
}
