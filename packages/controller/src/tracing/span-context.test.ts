import * as library from '@opentelemetry/api'
import { expect, it } from 'vitest'
import { SpanContexts } from './span-context.ts'

const { trace, context, createContextKey, ROOT_CONTEXT, INVALID_SPAN_CONTEXT } = library
const span = trace.wrapSpanContext({ ...INVALID_SPAN_CONTEXT, traceId: '1'.repeat(32) })
const mine = createContextKey('mine')

it('C25: the context of a run is as one of the library: it has the span, and takes and loses values without a change of itself', () => {
  const own = new SpanContexts(library).of(span)
  const theirs = trace.setSpan(ROOT_CONTEXT, span)
  for (const one of [own, theirs]) {
    expect(trace.getSpan(one)).toBe(span)
    expect(one.getValue(mine)).toBeUndefined()
    const more = one.setValue(mine, 'a value')
    expect([trace.getSpan(more), more.getValue(mine), one.getValue(mine)]).toEqual([span, 'a value', undefined])
    const without = trace.deleteSpan(more)
    expect([trace.getSpan(without), without.getValue(mine)]).toEqual([undefined, 'a value'])
    expect([trace.getSpan(trace.deleteSpan(one)), trace.getSpan(one)]).toEqual([undefined, span])
    expect(trace.getSpan(one.deleteValue(mine))).toBe(span)
    const other = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
    expect(trace.getSpan(trace.setSpan(one, other))).toBe(other)
    expect(context.with(one, () => 'called')).toBe('called')
  }
})
