import type { Clock } from '../clock.ts'
import { errorOfAnswer, maxStatusBytes } from '../errors/error-of-answer.ts'
import type { Redact } from '../errors/redact.ts'
import type { RequestInfo } from '../errors/request-info.ts'
import type { Lane, Requester, RequestHandlers } from '../requester.ts'
import type { Exchange, ResponseHeaders } from '../transport.ts'
import { InvalidBodyError } from './bounds.ts'
import type { BodyHandlers, Flow } from './flow.ts'
import { Gunzip } from './gunzip.ts'
import { type Cutter, type PieceHandlers, Pump } from './pump.ts'

/** What reading a body in pieces takes from a client. */
export interface ReadContext {
  readonly requester: Requester
  readonly environment: { readonly clock: Clock }
  /** Whether to ask for compressed answers: the client's option. */
  readonly gzip?: boolean | undefined
  /** Receives the headers of every answer, for the server's warnings. */
  readonly warnings?: { receive(headers: ResponseHeaders, about: RequestInfo): void }
  /** Hides the client's own credentials in what a server says. @default only those that have the form of credentials */
  readonly redact?: Redact | undefined
}

/** A GET with an answer that is read in pieces. */
export interface ReadRequest {
  /** With the query. */
  readonly path: string
  readonly accept: string
  readonly lane: Lane
  /** As of a request. */
  readonly isPatient?: boolean | undefined
  /** Let the server compress the answer, if it pleases. */
  readonly gzip: boolean
}

export interface ReadHandlers<T> extends PieceHandlers<T> {
  /** The answer is a success, and pieces will come. */
  opened?(): void
  /** Bytes have come. */
  received?(): void
  /** The server is going away: open this again elsewhere before it ends. */
  draining?(): void
}

/** A body that is being read. */
export interface Reading {
  /** Stops handing on pieces, and holds the server back. */
  hold(): void
  release(): void
  /** Ends it. No handler is called from now on. */
  abort(): void
}

/**
 * Sends a GET and cuts its answer into pieces as it arrives ({@link Pump}). A refusal is an `ApiError` to `error`; a broken
 * connection is reported as it came, after the pieces before it. `on` is called as the object that it is: of watches there may be
 * thousands.
 */
export function readPieces<T>(
  context: ReadContext,
  request: ReadRequest,
  about: RequestInfo,
  cutter: Cutter<T>,
  on: ReadHandlers<T>,
): Reading {
  return new OneReading(context, request, about, cutter, on)
}

class OneReading<T> implements Reading, RequestHandlers {
  readonly #context: ReadContext
  readonly #about: RequestInfo
  readonly #cutter: Cutter<T>
  readonly #on: ReadHandlers<T>
  readonly #exchange: Exchange
  #held = false
  #pump: Pump<T> | undefined
  /** What brings the body of a refusal. */
  #source: Flow | undefined
  #sink: BodyHandlers | undefined

  constructor(context: ReadContext, request: ReadRequest, about: RequestInfo, cutter: Cutter<T>, on: ReadHandlers<T>) {
    this.#context = context
    this.#about = about
    this.#cutter = cutter
    this.#on = on
    const { path, accept, lane, isPatient, gzip } = request
    const headers = gzip ? { accept, 'accept-encoding': 'gzip' } : { accept }
    this.#exchange = context.requester.request({ method: 'GET', path, headers, lane, isPatient }, this)
  }

  head(status: number, received: ResponseHeaders): void {
    const { warnings } = this.#context
    warnings?.receive(received, this.#about)
    if (status >= 200 && status < 300) {
      this.#on.opened?.()
      this.#sink = decompressed(received, this.#exchange, flow => this.#pumped(flow))
    } else {
      this.#sink = decompressed(received, this.#exchange, flow => {
        this.#source = flow
        return refusal(body => {
          flow.abort()
          this.#on.error(errorOfAnswer(status, received, body, this.#about, this.#context.redact))
        })
      })
    }
  }

  data(chunk: Uint8Array): void {
    this.#on.received?.()
    this.#sink?.data(chunk)
  }

  end(): void {
    if (this.#sink === undefined) this.#on.error(new InvalidBodyError('the answer ended before it began', this.#about))
    else this.#sink.end()
  }

  error(cause: Error): void {
    if (this.#sink === undefined) this.#on.error(cause)
    else this.#sink.error(cause)
  }

  draining(): void {
    this.#on.draining?.()
  }

  hold(): void {
    this.#held = true
    this.#pump?.hold()
  }

  release(): void {
    this.#held = false
    this.#pump?.release()
  }

  abort(): void {
    const running = this.#pump ?? this.#source ?? this.#exchange
    running.abort()
  }

  #pumped(flow: Flow): Pump<T> {
    const pump = new Pump(this.#cutter, flow, this.#context.environment.clock, this.#on)
    this.#pump = pump
    if (this.#held) pump.hold()
    return pump
  }
}

/** Makes a reader of a body that may be compressed. */
function decompressed(
  headers: ResponseHeaders,
  exchange: Exchange,
  reader: (source: Exchange) => BodyHandlers,
): BodyHandlers {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return reader(exchange)
  if (encoding !== 'gzip') {
    const sink = reader(exchange)
    exchange.abort()
    sink.error(new InvalidBodyError('the answer is compressed in a way that was not asked for'))
    return sink
  }
  let sink: BodyHandlers | undefined
  const source = new Gunzip(exchange, {
    data: chunk => sink?.data(chunk),
    end: () => sink?.end(),
    error: cause => sink?.error(cause),
  })
  sink = reader(source)
  return source
}

/** Collects the body of a refusal, as much as there may be (rule X4). What came before a break has to do. */
function refusal(report: (body: Uint8Array | undefined) => void): BodyHandlers {
  const chunks: Uint8Array[] = []
  let size = 0
  let isReported = false
  const finish = (): void => {
    if (isReported) return
    isReported = true
    report(size > maxStatusBytes ? undefined : Buffer.concat(chunks, size))
  }
  return {
    data(chunk) {
      size += chunk.length
      if (size > maxStatusBytes) finish()
      else chunks.push(Buffer.from(chunk))
    },
    end: finish,
    error: finish,
  }
}
