import type { Clock } from '../clock.ts'
import type { Lane, Requester } from '../connection/requester.ts'
import { errorOfAnswer, maxStatusBytes } from '../errors/api-error.ts'
import type { RequestInfo } from '../errors/request-info.ts'
import type { Exchange, ResponseHeaders } from '../transport.ts'
import { InvalidBodyError, located } from './bounds.ts'
import type { BodyHandlers, Flow } from './flow.ts'
import { type GunzipMode, gunzip } from './gunzip.ts'
import { type Cutter, type PieceHandlers, Pump } from './pump.ts'

/** What reading a body in pieces takes from a client. */
export interface ReadContext {
  readonly requester: Requester
  readonly environment: { readonly clock: Clock }
  /** Where gzip is undone. In memory, on simulated time: `inline`. */
  readonly gunzip: GunzipMode
  /** Whether answers had better be compressed: what the client was told, for who asks by it. */
  readonly gzip?: boolean | undefined
  /** Hears the headers of every answer, for the server's warnings. */
  readonly warnings?: { hear(headers: ResponseHeaders, context: { readonly [name: string]: string | undefined }): void }
}

/** A GET whose answer is read in pieces. */
export interface ReadRequest {
  /** With the query. */
  readonly path: string
  readonly accept: string
  readonly lane: Lane
  /** Let the server compress the answer, if it pleases. */
  readonly gzip: boolean
}

export interface ReadHandlers<T> extends PieceHandlers<T> {
  /** The answer is a success, and pieces will come. */
  opened?(): void
  /** Bytes have come. */
  received?(): void
  /** The server is going away: open this anew elsewhere before it ends. */
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
 * Sends a GET and cuts its answer into pieces as it arrives, in slices of time ({@link Pump}).
 *
 * A refusal is an `ApiError` to `error`; a break of the connection is given to `error` as it came,
 * after the pieces that came before it.
 */
export function readPieces<T>(
  context: ReadContext,
  request: ReadRequest,
  about: RequestInfo,
  cutter: Cutter<T>,
  on: ReadHandlers<T>,
): Reading {
  const headers: Record<string, string> = { accept: request.accept }
  if (request.gzip) headers['accept-encoding'] = 'gzip'
  const pieces: PieceHandlers<T> = {
    piece: piece => on.piece(piece),
    end: () => on.end(),
    error: cause => on.error(located(cause, about)),
  }
  let held = false
  let pump: Pump<T> | undefined
  let source: Flow | undefined
  let sink: BodyHandlers = { data() {}, end: () => on.error(endedEarly(about)), error: cause => on.error(cause) }
  const exchange: Exchange = context.requester.request(
    { method: 'GET', path: request.path, headers, lane: request.lane },
    {
      head(status, received) {
        const { resource, method, path } = about
        context.warnings?.hear(received, { resource, method, path })
        if (status >= 200 && status < 300) {
          on.opened?.()
          sink = decompressed(context.gunzip, received, exchange, flow => {
            pump = new Pump(cutter, flow, context.environment.clock, pieces)
            if (held) pump.hold()
            return pump
          })
        } else {
          sink = decompressed(context.gunzip, received, exchange, flow => {
            source = flow
            return refusal(body => {
              flow.abort()
              on.error(errorOfAnswer(status, received, body, about))
            })
          })
        }
      },
      data(chunk) {
        on.received?.()
        sink.data(chunk)
      },
      end: () => sink.end(),
      error: cause => sink.error(cause),
      draining: () => on.draining?.(),
    },
  )
  return {
    hold() {
      held = true
      pump?.hold()
    },
    release() {
      held = false
      pump?.release()
    },
    abort() {
      const running = pump ?? source ?? exchange
      running.abort()
    },
  }
}

/** Makes a reader of a body that may be compressed. */
function decompressed(
  mode: GunzipMode,
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
  const source = gunzip(mode, exchange, {
    data: chunk => sink?.data(chunk),
    end: () => sink?.end(),
    error: cause => sink?.error(cause),
  })
  sink = reader(source)
  return source
}

/** Collects the body of a refusal, as much as there may be (rule X4). What came before a break has to do. */
function refusal(tell: (body: Uint8Array | undefined) => void): BodyHandlers {
  const chunks: Uint8Array[] = []
  let size = 0
  let told = false
  const finish = (): void => {
    if (told) return
    told = true
    tell(size > maxStatusBytes ? undefined : Buffer.concat(chunks, size))
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

function endedEarly(about: RequestInfo): Error {
  return new InvalidBodyError('the answer ended before it began', about)
}
