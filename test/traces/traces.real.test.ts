import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { onStage } from '../examples/small-program.ts'
import { withCollector } from './collector.ts'

const lunch = { namespace: 'default', name: 'lunch' }

it('C25: examples/small/traces.ts sends its runs to a collector, and says on what it applies which trace it was', () =>
  onStage(({ client, start }) =>
    withCollector(async ({ endpoint, span, spans }) => {
      const program = start('small/traces.ts', {
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_BSP_SCHEDULE_DELAY: '100',
      })
      await client.create(configMaps, {
        metadata: { ...lunch, labels: { 'example.com/menu': 'true' } },
        data: { soup: '4' },
      })
      await program.line('lunch: soup')
      const first = await span(({ name }) => name === 'reconcile menu')
      expect(first.parentSpanId ?? '').toBe('')
      expect(await span(({ name }) => name === 'print the menu')).toMatchObject({
        ...{ traceId: first.traceId, parentSpanId: first.spanId },
      })
      const printed = await client.get(configMaps, { ...lunch, name: 'lunch-printed' })
      const annotation = printed?.metadata.annotations?.['tracing.k8s.io/traceparent']
      expect(annotation).toBe(`00-${first.traceId}-${first.spanId}-01`)
      // The writer of the object says which trace it was, and the run that this makes is linked to it.
      const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
      const metadata = { annotations: { 'tracing.k8s.io/traceparent': parent } }
      await client.patch(configMaps, lunch, { metadata, data: { salad: '3' } })
      await program.line('lunch: salad, soup')
      const second = await span(({ name, links = [] }) => name === 'reconcile menu' && links.length > 0)
      expect(second.links).toEqual([expect.objectContaining({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) })])
      await program.stop()
      expect(spans.filter(({ name }) => name === 'reconcile menu')).toHaveLength(2)
    }),
  ))
