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

/** The parts of a client that are needed to read a body in pieces. */
export interface ReadContext {
  readonly requester: Requester
  readonly environment: { readonly clock: Clock }
  /** Whether to ask for compressed answers: the client's option. */
  readonly gzip?: boolean | undefined
  /** Receives the headers of every answer, for the server's warnings. */
  readonly warnings?: { receive(headers: ResponseHeaders, about: RequestInfo): void }
  /** Hides the client's credentials in texts of a server. @default only texts in the form of credentials */
  readonly redact?: Redact | undefined
}

/** A GET with an answer that is read in pieces. */
export interface ReadRequest {
  /** With the query. */
  readonly path: string
  readonly accept: string
  readonly lane: Lane
  /** As in a `LaneRequest`. */
  readonly isPatient?: boolean | undefined
  /** Whether the server may compress the answer. */
  readonly gzip: boolean
}

export interface ReadHandlers<T> extends PieceHandlers<T> {
  /** The answer is a success, and pieces will come. */
  opened?(): void
  /** Bytes have come. */
  received?(): void
  /** Called when the server is going away: open the stream again on another connection before it ends. */
  draining?(): void
}

/** A body that is being read. */
export interface Reading {
  /** Stops handing on pieces, and holds the server back. */
  hold(): void
  release(): void
  /** Ends the request. No handler is called after this. */
  abort(): void
}

/**
 * Sends a GET and cuts its answer into pieces as it arrives ({@link Pump}). A refusal reaches `error` as an `ApiError`; the error of a broken
 * connection comes unchanged, after the pieces before it. `on` is called as an object, not as separate functions, because there may be
 * thousands of watches.
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
  /** The source of the body of a refusal. */
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

/** Collects the body of a refusal, up to the bound (rule X4). After a break, the part before it is used. */
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
