import { Backoff, sleep } from '../backoff.ts'
import { InvalidBodyError, located } from '../bytes/bounds.ts'
import { decodeJson, encodeJson } from '../bytes/json.ts'
import { decodeLean } from '../bytes/managed-fields.ts'
import { Deadlines } from '../deadlines.ts'
import type { Environment } from '../environment.ts'
import { ApiError } from '../errors/api-error.ts'
import { ConnectionError, isUnprocessed } from '../errors/connection-error.ts'
import { errorOfAnswer } from '../errors/error-of-answer.ts'
import { checkExact } from '../errors/inexact-number.ts'
import { type Redact, withoutCredentials } from '../errors/redact.ts'
import type { RequestInfo } from '../errors/request-info.ts'
import { subject } from '../errors/request-info.ts'
import { TimeoutError } from '../errors/timeout.ts'
import type { Lane, Requester } from '../requester.ts'
import type { AbsenceProof } from '../watch/absence-proof.ts'
import { type Answer, exchange, isSuccess, maxObjectBytes } from './exchange.ts'
import type { CallOptions } from './options.ts'
import { Warnings } from './warnings.ts'
import { type WriteListener, WriteListeners } from './write-listeners.ts'

/** A request before it is encoded. */
export interface Call extends RequestInfo {
  /** The query with its `?`, or `''`. */
  readonly query?: string | undefined
  readonly accept?: string | undefined
  /** The body, which is sent as JSON. Its numbers must be exact (rule X11). */
  readonly body?: unknown
  /** @default 'application/json' */
  readonly contentType?: string | undefined
  /** @default 'call' for a GET, else 'write' */
  readonly lane?: Lane | undefined
  /** Whether a 429 is a final answer, as for an eviction, so that it is not retried. @default false */
  readonly keep429?: boolean | undefined
  /** Decode integers beyond 2^53 − 1 as `bigint`. @default false */
  readonly exact?: boolean | undefined
  /** Returns one object without its `managedFields`, which are not decoded if possible. Not with `exact`. @default false */
  readonly lean?: boolean | undefined
  /** Longest answer, in bytes. @default 16 MiB */
  readonly maxBytes?: number | undefined
}

/** The parts of a {@link Caller}. */
export interface CallerParts {
  readonly requester: Requester
  /** Guarded: its callbacks do not throw. */
  readonly environment: Environment
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly fieldManager: string
  /** Ask for compressed lists and watches. */
  readonly gzip: boolean
  /** Receive the writes. @default none */
  readonly listeners?: WriteListeners | undefined
  /** Makes the `AbsenceProof` of a caller, which sends its requests by that caller. @default there is no proof */
  readonly absence?: ((caller: Caller) => AbsenceProof) | undefined
  /** Hides the client's credentials in texts of a server. @default only texts in the form of credentials */
  readonly redact?: Redact | undefined
}

/** The calls that are under way. */
interface OpenCalls {
  readonly underWay: Set<AbortController>
  closed: Error | undefined
}

/** The deadline and the cancellation of one call. */
export interface Bound {
  /** Aborted with a `TimeoutError`, or with the reason of the caller's signal or of the client's close. */
  readonly signal: AbortSignal
  /** When the call times out, on the monotonic clock. */
  readonly deadline: number
}

/**
 * Sends requests that end by themselves: bounds their time, repeats some failures, turns refusals into errors, and passes warnings on.
 *
 * After a 429 with Retry-After it repeats each request, because the server has done nothing. After a 503 with Retry-After it repeats reads. After a broken
 * connection it repeats reads, and writes that certainly were not processed. It waits with backoff, at least for Retry-After (five minutes at most), and
 * ends with the call's time.
 */
export class Caller {
  readonly requester: Requester
  readonly environment: Environment
  readonly warnings: Warnings
  readonly fieldManager: string
  readonly gzip: boolean
  readonly redact: Redact
  readonly parts: CallerParts
  readonly listeners: WriteListeners
  /** That of the caller with which this one shares its calls, if there is such a caller. */
  readonly absence: AbsenceProof | undefined
  readonly deadlines: Deadlines
  readonly #calls: OpenCalls
  /** The bound of the call that all requests of this caller are part of. */
  readonly #whole: Bound | undefined

  /**
   * @param of another caller: both share their open calls, and end together
   * @param whole the bound of the call that all requests of this caller are part of
   */
  constructor(parts: CallerParts, of?: Caller, whole?: Bound) {
    this.#whole = whole
    this.#calls = of === undefined ? { underWay: new Set(), closed: undefined } : of.#calls
    this.absence = of?.absence ?? parts.absence?.(this)
    this.deadlines = of?.deadlines ?? new Deadlines(parts.environment.clock)
    this.requester = parts.requester
    this.environment = parts.environment
    this.fieldManager = parts.fieldManager
    this.gzip = parts.gzip
    this.redact = parts.redact ?? withoutCredentials
    this.warnings = of?.warnings ?? new Warnings(parts.environment, this.redact)
    this.parts = parts
    this.listeners = parts.listeners ?? new WriteListeners([])
  }

  /** Runs `run` within the time and the signal of `options`, which all its requests share. */
  async within<T>(options: CallOptions, about: RequestInfo, run: (bound: Bound) => Promise<T>): Promise<T> {
    if (this.#whole !== undefined) return await partOf(this.#whole, about, run)
    const { clock } = this.environment
    const timeoutMs = options.timeoutMs ?? this.parts.timeoutMs
    const given = options.signal
    given?.throwIfAborted()
    if (this.#calls.closed !== undefined) throw this.#calls.closed
    const controller = new AbortController()
    this.#calls.underWay.add(controller)
    const passOn = (): void => controller.abort(given?.reason)
    given?.addEventListener('abort', passOn, { once: true })
    const timer =
      timeoutMs === Number.POSITIVE_INFINITY
        ? undefined
        : clock.timer(timeoutMs, () => controller.abort(new TimeoutError(timeoutMs, about)))
    try {
      return await run({ signal: controller.signal, deadline: clock.monotonic() + timeoutMs })
    } finally {
      this.#calls.underWay.delete(controller)
      timer?.cancel()
      given?.removeEventListener('abort', passOn)
    }
  }

  /**
   * Runs a call that uses other verbs. `run` gets a caller for these: all their requests share the time and the signal of `options`, and the verbs ignore
   * the time and the signal of their own options. If the time runs out, the error names the request that was under way.
   */
  whole<T>(options: CallOptions, about: RequestInfo, run: (caller: Caller, bound: Bound) => Promise<T>): Promise<T> {
    return this.within(options, about, bound => run(new Caller(this.parts, this, bound), bound))
  }

  /** Ends every call and every wait between repeats; later calls fail with `reason` too. */
  close(reason: Error): void {
    this.#calls.closed ??= reason
    for (const controller of [...this.#calls.underWay]) controller.abort(this.#calls.closed)
  }

  /** A caller that shares its calls with this one. These listeners receive its writes too. */
  withWriteListeners(listeners: readonly WriteListener[]): Caller {
    return new Caller({ ...this.parts, listeners: this.listeners.and(listeners) }, this)
  }

  /** Sends one request, with repetitions. Resolves with its answer, a JSON object. */
  async json(call: Call, bound: Bound): Promise<object> {
    const { body } = await this.answer(call, bound)
    const { buffer, byteOffset, byteLength } = body as Uint8Array
    const value = decoded(Buffer.from(buffer, byteOffset, byteLength).toString(), call)
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw new InvalidBodyError('the answer is not a JSON object', call)
    }
    return value
  }

  /** Sends one request, with repetitions. Resolves with a successful answer. */
  answer(call: Call, bound: Bound): Promise<Answer> {
    const body = encoded(call.body)
    const headers: Record<string, string> = { accept: call.accept ?? 'application/json' }
    if (body !== undefined) headers['content-type'] = call.contentType ?? 'application/json'
    const { method } = call
    const path = call.path + (call.query ?? '')
    const lane = call.lane ?? (method === 'GET' ? 'call' : 'write')
    const request = { method, path, headers, body, lane }
    return this.repeat(call, bound, async () => {
      const answer = await exchange(this.requester, request, bound.signal, call.maxBytes ?? maxObjectBytes, call)
      this.warnings.receive(answer.headers, call)
      if (isSuccess(answer.status)) return answer
      throw errorOfAnswer(answer.status, answer.headers, answer.body, call, this.redact)
    })
  }

  /** Repeats `once` while its error and `may()` allow that, and there is time. Throws the last error, or the reason of an aborted signal. */
  async repeat<T>(call: Repeated, bound: Bound, once: () => Promise<T>, may: () => boolean = always): Promise<T> {
    const { clock } = this.environment
    let backoff: Backoff | undefined
    for (let retries = 0; ; retries++) {
      let outcome: unknown
      try {
        return await once()
      } catch (error) {
        if (bound.signal.aborted) throw bound.signal.reason
        outcome = error instanceof ConnectionError ? withSubject(error, call) : error
      }
      if (retries >= this.parts.maxRetries || !mayRepeat(outcome, call) || !may()) throw outcome
      backoff ??= new Backoff(this.environment)
      const wait = backoff.next(outcome instanceof ApiError ? outcome.retryAfterMs : 0)
      // There is no time for a repetition: the server's error is more useful than a TimeoutError.
      if (clock.monotonic() + wait >= bound.deadline) throw outcome
      await sleep(clock, wait, bound.signal)
    }
  }
}

async function partOf<T>(whole: Bound, about: RequestInfo, run: (bound: Bound) => Promise<T>): Promise<T> {
  const { signal } = whole
  try {
    signal.throwIfAborted()
    return await run(whole)
  } catch (error) {
    if (error !== signal.reason || !(error instanceof TimeoutError)) throw error
    throw new TimeoutError(error.timeoutMs, about)
  }
}

/** The parts of a call that decide whether it may be repeated. */
type Repeated = RequestInfo & Pick<Call, 'keep429'>

const always = (): boolean => true

function mayRepeat(error: unknown, call: Repeated): boolean {
  const reads = call.method === 'GET'
  if (error instanceof ApiError) {
    if (error.retryAfterMs === undefined) return false
    return error.status === 429 ? call.keep429 !== true : error.status === 503 && reads
  }
  return error instanceof ConnectionError && passing.has(error.code) && (reads || isUnprocessed(error))
}

/** The errors of a connection after which a request is repeated. If a server can't be reached at all, the caller gets the error at once. */
const passing: ReadonlySet<string> = new Set(['CONNECTION_LOST', 'PING_TIMEOUT', 'STREAM_RESET', 'STREAM_REFUSED'])

function withSubject(error: ConnectionError, call: RequestInfo): ConnectionError {
  const { code, unprocessed } = error
  return new ConnectionError(code, `${subject(call)}: ${error.message}`, { cause: error, unprocessed })
}

function decoded(text: string, call: Call): unknown {
  try {
    const lean = call.lean === true && call.exact !== true ? decodeLean(text, itself) : undefined
    return lean ?? decodeJson(text, { exact: call.exact })
  } catch (error) {
    throw located(error as Error, call)
  }
}

const itself = (object: object): object => object

function encoded(body: unknown): Uint8Array | undefined {
  if (body === undefined) return undefined
  checkExact(body)
  return Buffer.from(encodeJson(body))
}
