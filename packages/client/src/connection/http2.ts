import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { abortable } from '../abortable.ts'
import { ConnectionError, connectionLost, takesNoMore } from '../errors/connection-error.ts'
import { checkSendable, responseHeaders } from '../errors/headers.ts'
import type { Connection, Exchange, RequestHead, ResponseHandlers } from '../transport.ts'
import { ClosingConnection } from './closing.ts'

/** Bounds of an HTTP/2 connection. */
export interface Http2Limits {
  readonly maxHeaderBytes: number
  readonly streamWindowBytes: number
}

const { NGHTTP2_REFUSED_STREAM, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_CANCEL } = constants

/** Opens an HTTP/2 session on `socket`. Resolves when the server has sent its settings, which bound the number of streams. */
export async function connectHttp2(
  target: URL,
  socket: Socket,
  signal: AbortSignal,
  limits: Http2Limits,
): Promise<Connection> {
  const session = connect(target, {
    createConnection: () => socket,
    settings: {
      enablePush: false,
      initialWindowSize: limits.streamWindowBytes,
      maxHeaderListSize: limits.maxHeaderBytes,
      // Fewer frames for a long list.
      maxFrameSize: 262_144,
    },
    // The memory that Node may hold for a session, with unread answers, in MB.
    maxSessionMemory: 256,
    // kube-apiserver takes as much; Node's default is a sixteenth.
    maxSendHeaderBlockLength: 1_048_576,
  })
  const connection = new Http2Connection(target, session, socket, limits)
  await connection.ready(signal)
  return connection
}

/** One HTTP/2 session. Its window is consumed as bytes arrive, so that streams can't stall each other. */
class Http2Connection extends ClosingConnection implements Connection {
  readonly limits: Http2Limits
  readonly #scheme: string
  readonly #authority: string
  readonly #session: ClientHttp2Session
  readonly #socket: Socket
  readonly #gone: Promise<void>
  #maxStreams = 0

  constructor(target: URL, session: ClientHttp2Session, socket: Socket, limits: Http2Limits) {
    super()
    this.limits = limits
    this.#scheme = target.protocol.slice(0, -1)
    this.#authority = target.host
    this.#session = session
    this.#socket = socket
    session.on('error', error => {
      this.cause ??= error
    })
    session.on('goaway', code => {
      if (code !== constants.NGHTTP2_NO_ERROR) {
        this.cause ??= new ConnectionError('CONNECTION_LOST', `the server ended the connection: GOAWAY, code ${code}`)
      }
      this.leave('goaway')
    })
    session.on('remoteSettings', settings => {
      this.#maxStreams = settings.maxConcurrentStreams ?? Number.MAX_SAFE_INTEGER
    })
    this.#gone = new Promise(resolve => {
      const gone = (): void => {
        this.leave('closed')
        resolve()
      }
      session.once('close', gone)
      // Node does not report the end of a session that is destroyed during a failing write. In all other cases the session's own event comes first,
      // with the cause.
      socket.once('close', () => setImmediate(gone))
    })
  }

  /** Resolves when the server's settings have arrived. */
  ready(signal: AbortSignal): Promise<void> {
    const session = this.#session
    if (signal.aborted) this.#destroy()
    return abortable(signal, (resolve, reject) => {
      session.once('remoteSettings', () => {
        // The sum of the windows of a hundred streams, so that only a stream's own window slows it down, and not the connection's.
        session.setLocalWindowSize(
          Math.min(2 ** 31 - 1, Math.max(this.limits.streamWindowBytes * 100, 16 * 1024 * 1024)),
        )
        resolve()
      })
      session.once('close', () =>
        reject(this.cause ?? new Error('the server closed the connection before its first settings')),
      )
      return () => this.#destroy()
    })
  }

  get maxStreams(): number {
    return this.#maxStreams
  }

  get isDestroyed(): boolean {
    return this.#session.destroyed
  }

  request(head: RequestHead, on: ResponseHandlers): Exchange {
    checkSendable(head.headers)
    const headers = [':method', head.method, ':scheme', this.#scheme, ':authority', this.#authority, ':path', head.path]
    for (const [name, value] of Object.entries(head.headers)) {
      for (const one of typeof value === 'string' ? [value] : value) headers.push(name, one)
    }
    if (head.body !== undefined) headers.push('content-length', `${head.body.length}`)
    if (this.#session.closed || this.#session.destroyed) {
      throw takesNoMore()
    }
    const stream = this.#session.request(headers, { endStream: head.body === undefined })
    // The headers are sent. Node would keep them while the stream lasts.
    headers.length = 0
    const exchange = new Http2Exchange(stream, on, this)
    if (head.body !== undefined) stream.end(head.body)
    return exchange
  }

  ping(): Promise<void> {
    return new Promise((resolve, reject) => {
      try {
        const sent = this.#session.ping(error => (error === null ? resolve() : reject(error)))
        if (!sent) reject(new Error('the PING was not sent'))
      } catch (error) {
        reject(error)
      }
    })
  }

  keepAlive(keep: boolean): void {
    if (keep) this.#session.ref()
    else this.#session.unref()
  }

  close(): Promise<void> {
    this.#session.ref()
    this.#destroy()
    return this.#gone
  }

  #destroy(): void {
    this.#session.destroy()
    // After a GOAWAY Node waits for the server to close its side, which a dead server never does. Otherwise Node waits for a
    // write that is under way, which never ends if the server does not read.
    if (this.state === 'goaway') this.#socket.destroy()
    else setImmediate(() => this.#socket.destroy())
  }
}

/** A stream with its exchange, so that all streams share the functions below. Separate functions would cost half a kilobyte for each stream. */
interface ExchangeStream extends ClientHttp2Stream {
  exchange: Http2Exchange
}

function onPush(this: ExchangeStream, chunk: unknown, encoding?: BufferEncoding): boolean {
  if (chunk === null) this.exchange.ending()
  return Readable.prototype.push.call(this, chunk, encoding)
}

function onResponse(
  this: ExchangeStream,
  headers: IncomingHttpHeaders & IncomingHttpStatusHeader,
  _flags: number,
  ...rest: unknown[]
): void {
  const [raw] = rest as (readonly string[] | undefined)[]
  this.exchange.head(headers[':status'] ?? 0, raw ?? Object.entries(headers).flat().map(String))
}

function onData(this: ExchangeStream, chunk: Uint8Array): void {
  this.exchange.data(chunk)
}

function onError(this: ExchangeStream, error: Error): void {
  this.exchange.failed(error)
}

function onEnd(this: ExchangeStream): void {
  this.exchange.ended()
}

function onClose(this: ExchangeStream): void {
  this.exchange.closed()
}

class Http2Exchange implements Exchange {
  readonly #stream: ClientHttp2Stream
  readonly #connection: Http2Connection
  #on: ResponseHandlers | undefined
  /** Whether the server said that the answer is complete. */
  #complete = false
  #answered = false
  #paused = false
  #reading = false
  #cause: Error | undefined

  constructor(stream: ClientHttp2Stream, on: ResponseHandlers, connection: Http2Connection) {
    this.#stream = stream
    this.#connection = connection
    this.#on = on
    const own = Object.assign(stream, { exchange: this, push: onPush })
    // Each of these events comes only once, but `once` costs four times as much as `on`.
    own.on('response', onResponse)
    own.on('error', onError)
    own.on('end', onEnd)
    own.on('close', onClose)
  }

  // Events of the stream

  /**
   * Handles the end of the readable side. Node emits it for END_STREAM, and also if a stream is reset without an error code or its socket closes.
   * If the stream is not closed yet, the server has sent END_STREAM.
   */
  ending(): void {
    if (!this.#stream.closed) this.#complete = true
  }

  head(status: number, raw: readonly string[]): void {
    this.#answered = true
    const { limits } = this.#connection
    const answer = responseHeaders(raw)
    // Node announces the bound on headers to the server, but does not enforce it.
    if (answer.bytes > limits.maxHeaderBytes) {
      this.#take()?.error(tooLarge(limits))
      this.#stream.close(NGHTTP2_CANCEL)
      this.#stream.resume()
    } else {
      this.#on?.head(status, answer.headers)
      this.#read()
    }
  }

  data(chunk: Uint8Array): void {
    this.#on?.data(chunk)
  }

  failed(error: Error): void {
    this.#cause = error
  }

  ended(): void {
    if (this.#complete) this.#take()?.end()
  }

  closed(): void {
    this.#take()?.error(this.#broken())
  }

  pause(): void {
    this.#paused = true
    this.#stream.pause()
  }

  resume(): void {
    this.#paused = false
    if (this.#reading) this.#stream.resume()
  }

  /** Begins to read. Called after the head was delivered: if both came during a write, Node would deliver the data a tick before the head. */
  #read(): void {
    this.#reading = true
    if (this.#paused) this.#stream.pause()
    this.#stream.on('data', onData)
  }

  abort(): void {
    if (this.#take() === undefined) return
    this.#stream.close(NGHTTP2_CANCEL)
    // Unread bytes would keep the stream open.
    this.#stream.resume()
  }

  #take(): ResponseHandlers | undefined {
    const on = this.#on
    this.#on = undefined
    return on
  }

  #broken(): ConnectionError {
    const cause = this.#cause
    const { cause: sessionCause, limits, isDestroyed } = this.#connection
    const code = this.#stream.rstCode
    // A stream without an id was never sent.
    if (code === NGHTTP2_REFUSED_STREAM || this.#stream.id === undefined) {
      return new ConnectionError('STREAM_REFUSED', 'the server did not take the request', { cause, unprocessed: true })
    }
    if (code === NGHTTP2_ENHANCE_YOUR_CALM && !this.#answered && sessionCause === undefined) {
      // Node's own bounds on headers cause the same code as a server that is overloaded.
      const what = 'the stream was reset by ENHANCE_YOUR_CALM: the server was asked for too much'
      const message = `${what}, or its headers are longer than ${limits.maxHeaderBytes} bytes`
      return new ConnectionError('HEADERS_TOO_LARGE', message, { cause })
    }
    // If the session is gone, its cause explains the end of the stream.
    if (isDestroyed) {
      return connectionLost(sessionCause ?? cause)
    }
    return new ConnectionError('STREAM_RESET', `the server reset the stream, code ${code}`, { cause })
  }
}

function tooLarge(limits: Http2Limits): ConnectionError {
  const message = `the answer's headers are longer than ${limits.maxHeaderBytes} bytes`
  return new ConnectionError('HEADERS_TOO_LARGE', message)
}
