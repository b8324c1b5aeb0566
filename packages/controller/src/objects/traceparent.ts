/** The annotation that names the trace that last wrote an object (KEP-5915). `apply` sets it, and ignores it in comparisons. */
export const traceAnnotation = 'tracing.k8s.io/traceparent'

/** A span of a trace, as the header `traceparent` names it: https://www.w3.org/TR/trace-context/#traceparent-header */
export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
}

/** The trace that an object's annotation names; `undefined` if the annotation is missing or not valid. */
export function traceParentOf(object: unknown): TraceParent | undefined {
  const { metadata } = (object ?? {}) as { readonly metadata?: { readonly annotations?: unknown } }
  const text = ((metadata?.annotations ?? {}) as Readonly<Record<string, unknown>>)[traceAnnotation]
  if (typeof text !== 'string' || text.length > 100) return undefined
  const [, traceId = '', spanId = '', flags = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) ?? []
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) }
}

export function traceParentText({ traceId, spanId, traceFlags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}
