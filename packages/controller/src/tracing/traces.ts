import type { Attributes, Link, Span } from '@opentelemetry/api'
import { checkOptions, flag, milliseconds, peerProblem } from '@wherry/client/internal'
import { thrownText } from '../objects/thrown-text.ts'
import { type TraceParent, traceParentText } from '../objects/traceparent.ts'
import type { Cause } from '../sources/cause.ts'
import { LazySpan } from './lazy-span.ts'
import { SpanContexts } from './span-context.ts'

/** Options of {@link openTelemetryTraces}. */
export interface TraceOptions {
  /** Whether each run is traced. Otherwise runs that wrote nothing, did not fail and were not slow are dropped. @default false */
  readonly everyRun?: boolean | undefined
  /** The duration from which on a run is slow, in milliseconds. @default 1000 */
  readonly slowMs?: number | undefined
}

/** The run that begins: its key and its cause. */
export interface TracedRun {
  readonly controller: string
  readonly key: string
  readonly attempt: number
  readonly cause: Cause | undefined
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** The traces that wrote the object of the run. */
  readonly links: readonly TraceParent[]
}

/** The outcome of a run. */
export interface TracedEnd {
  readonly outcome: string
  readonly tookMs: number
  /** Whether the run has changed an object. */
  readonly hasWritten: boolean
  readonly error: unknown
}

/** The trace of one run. */
export interface RunTrace {
  /** `traceparent` of the run's span. */
  readonly parent: string
  /** Calls a function with the run's span as the active one. */
  within<T>(fn: () => T): T
  /** A call of the run, such as `apply of /v1/configmaps chess`. @param beganMs after the run's start, as `endedMs` */
  call(name: string, beganMs: number, endedMs: number, error: unknown): void
  end(end: TracedEnd): void
}

/** Makes a trace of each run. See {@link openTelemetryTraces}. */
export interface Traces {
  begin(run: TracedRun): RunTrace
}

/** @opentelemetry/api, an optional peer dependency, is not installed, or can't be loaded. */
export class OpenTelemetryMissingError extends Error {
  override readonly name = 'OpenTelemetryMissingError'
  readonly code = 'OPEN_TELEMETRY_MISSING'

  constructor(cause: unknown) {
    super(peerProblem('traces need', '@opentelemetry/api', cause), { cause })
  }
}

/**
 * Traces of runs, by OpenTelemetry. Pass the result as the operator's option `traces`. Only this call loads `@opentelemetry/api`; register an SDK
 * before, as its documentation says.
 *
 * Each run is the root of a trace of its own, `reconcile CONTROLLER`, with links to the traces that wrote its object and the changed object: `apply`
 * names the trace in the annotation `tracing.k8s.io/traceparent` (KEP-5915) of the objects that it writes. The children of a run are the calls that
 * took a millisecond or more, or failed: reads that waited, writes, `ready`, `sleep`. The run's span is the active one in the reconcile.
 *
 * @throws OpenTelemetryMissingError
 *
 * @example
 * ```ts
 * import { openTelemetryTraces, Operator } from '@wherry/controller'
 *
 * // The OpenTelemetry SDK is set up by the program, before.
 * const traces = await openTelemetryTraces({ slowMs: 500 })
 * const operator = await Operator.connect({ name: 'game-operator', traces })
 * await operator.run()
 * ```
 */
export async function openTelemetryTraces(options: TraceOptions = {}): Promise<Traces> {
  checkOptions('traces', options, { everyRun: flag, slowMs: milliseconds() })
  const library = await import('@opentelemetry/api').catch(cause => {
    throw new OpenTelemetryMissingError(cause)
  })
  return new OpenTelemetryRuns(library, options)
}

type Library = typeof import('@opentelemetry/api')

/** The duration below which a successful call is not shown, in milliseconds. */
const shortestMs = 1
/** The maximum number of calls of a run that are shown. */
const mostCalls = 200

/** The parts that the traces of all runs share. */
interface Tracing {
  readonly library: Library
  readonly contexts: SpanContexts
  readonly options: TraceOptions
}

class OpenTelemetryRuns implements Traces {
  readonly #tracing: Tracing

  constructor(library: Library, options: TraceOptions) {
    this.#tracing = { library, contexts: new SpanContexts(library), options }
  }

  begin(run: TracedRun): RunTrace {
    return new OpenTelemetryRun(this.#tracing, run)
  }
}

interface Call {
  readonly name: string
  readonly beganMs: number
  readonly endedMs: number
  readonly error: unknown
}

class OpenTelemetryRun implements RunTrace {
  readonly #tracing: Tracing
  readonly #run: TracedRun
  readonly #span: LazySpan
  #calls: Call[] | undefined

  constructor(tracing: Tracing, run: TracedRun) {
    this.#tracing = tracing
    this.#run = run
    this.#span = new LazySpan(() => this.#begun())
  }

  get parent(): string {
    return traceParentText(this.#span.spanContext())
  }

  within<T>(fn: () => T): T {
    const { library, contexts } = this.#tracing
    return library.context.with(contexts.of(this.#span), fn)
  }

  call(name: string, beganMs: number, endedMs: number, error: unknown): void {
    if (endedMs - beganMs < shortestMs && error === undefined) return
    this.#calls ??= []
    if (this.#calls.length < mostCalls) this.#calls.push({ name, beganMs, endedMs, error })
  }

  end({ outcome, tookMs, hasWritten, error }: TracedEnd): void {
    const { everyRun = false, slowMs = 1000 } = this.#tracing.options
    const hasFailed = outcome === 'error' || outcome === 'terminal'
    // A span that never ends is not sent.
    if (!everyRun && !hasWritten && !hasFailed && tookMs < slowMs) return
    const span = this.#span.made
    span.setAttribute('wherry.outcome', outcome)
    for (const call of this.#calls ?? []) this.#child(call)
    if (hasFailed) this.#failed(span, error)
    span.end(this.#run.startedAt + tookMs)
  }

  #begun(): Span {
    const { trace, ROOT_CONTEXT, TraceFlags } = this.#tracing.library
    const { controller, key, attempt, cause, startedAt, links } = this.#run
    const linked = links.map<Link>(({ traceId, spanId, traceFlags }) => ({
      context: { traceId, spanId, traceFlags: traceFlags & TraceFlags.SAMPLED, isRemote: true },
    }))
    const about = { 'wherry.controller': controller, 'wherry.key': key, 'wherry.attempt': attempt }
    const options = {
      root: true,
      startTime: startedAt,
      links: linked,
      attributes: { ...causeAttributes(cause), ...about },
    }
    return trace.getTracer('@wherry/controller').startSpan(`reconcile ${controller}`, options, ROOT_CONTEXT)
  }

  #child({ name, beganMs, endedMs, error }: Call): void {
    const { library, contexts } = this.#tracing
    const startTime = this.#run.startedAt + beganMs
    const tracer = library.trace.getTracer('@wherry/controller')
    const span = tracer.startSpan(name, { startTime }, contexts.of(this.#span))
    if (error !== undefined) this.#failed(span, error)
    span.end(this.#run.startedAt + endedMs)
  }

  #failed(span: Span, error: unknown): void {
    const message = thrownText(error)
    span.recordException(error instanceof Error ? error : message)
    span.setStatus({ code: this.#tracing.library.SpanStatusCode.ERROR, message })
  }
}

function causeAttributes(cause: Cause | undefined): Attributes {
  if (cause === undefined) return {}
  const { source, change, view, object } = cause
  return {
    ...{ 'wherry.cause.source': source, 'wherry.cause.change': change },
    ...(view !== undefined && { 'wherry.cause.view': view }),
    ...(object !== undefined && { 'wherry.cause.object': object }),
  }
}
