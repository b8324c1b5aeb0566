/**
 * An operator that makes a trace of each run that wrote something, failed or was slow, until Ctrl-C.
 *
 * It shows `traces` of @wherry/controller's `Operator`, and OpenTelemetry's SDK, which sends the traces to a collector. Use it to
 * see why a key ran, which reads it waited for, and what it wrote.
 *
 *     OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 node examples/small/traces.ts
 */
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'

// The SDK comes first: what the operator traces goes to the provider that is registered then.
const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })] })
trace.setGlobalTracerProvider(provider)
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())

const operator = await Operator.connect({ name: 'menu-operator', traces: true })
operator
  .controller('menu')
  .for(configMaps.within({ labels: { 'example.com/menu': 'true' } }))
  .owns(configMaps)
  .reconcile(async ({ object, apply }) => {
    const dishes = Object.keys(object.data ?? {}).sort()
    // A span of your own is a child of the run's.
    const text = trace.getTracer('menu').startActiveSpan('print the menu', span => {
      span.end()
      return dishes.join(', ')
    })
    // The annotation `tracing.k8s.io/traceparent` of an applied object says which trace wrote it.
    await apply(configMaps, { metadata: { name: `${object.metadata.name}-printed` }, data: { text } })
    console.log(`${object.metadata.name}: ${text}`)
  })

await operator.run() // until Ctrl-C; the running reconcile ends first
await provider.shutdown() // sends what it still has
