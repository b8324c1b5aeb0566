import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ConnectionError, connectionLost, takesNoMore } from '../errors/connection-error.ts'
import { checkSendable, responseHeaders } from '../errors/headers.ts'
import type { Connection, Exchange, RequestHead, ResponseHandlers } from '../transport.ts'
import { ClosingConnection } from './closing.ts'
import { readableBy } from './readable-by.ts'

// An import would read all exports of the module, and so load Node's fetch and WebSocket: 14 MB of RSS, and four times as long.
const { Agent, request: nodeRequest } = process.getBuiltinModule('node:http')

/** Bounds of an HTTP/1.1 connection. */
export interface Http1Limits {
  readonly maxHeaderBytes: number
}

/** One HTTP/1.1 socket, kept alive from request to request. */
export function connectHttp1(target: URL, socket: Socket, limits: Http1Limits): Connection {
  return new Http1Connection(target, socket, limits)
}

/** An agent of `node:http` with exactly one open socket. */
class OneSocket extends Agent {
  readonly #socket: Socket
  #isTaken = false

  constructor(socket: Socket) {
    super({ keepAlive: true, maxSockets: 1 })
    this.#socket = socket
  }

  override createConnection(_: unknown, done?: (error: Error | null, socket: Duplex) => void): Duplex | undefined {
    if (this.#isTaken) {
      done?.(takesNoMore(), this.#socket)
      return undefined
    }
    this.#isTaken = true
    return this.#socket
  }

  /** Always keeps the socket: the connection decides how long it stays idle. */
  override keepSocketAlive(): boolean {
    return true
  }
}

class Http1Connection extends ClosingConnection implements Connection {
  readonly maxStreams = 1
  readonly readableBy: string | undefined
  readonly #target: URL
  readonly #socket: Socket
  readonly #agent: OneSocket
  readonly #limits: Http1Limits
  readonly #gone: Promise<void>
  #exchange: Http1Exchange | undefined
  /** Whether the connection has carried an answer. */
  #answered = false

  constructor(target: URL, socket: Socket, limits: Http1Limits) {
    super()
    this.#target = target
    this.#socket = socket
    this.#agent = new OneSocket(socket)
    this.#limits = limits
    this.readableBy = readableBy(target, socket)
    socket.on('error', error => {
      this.cause ??= error
    })
    // The time-out is set only while there is no request.
    socket.on('timeout', () => socket.destroy())
    this.#gone = new Promise(resolve => {
      socket.once('close', () => {
        this.#agent.destroy()
        this.leave('closed')
        resolve()
      })
    })
    // Bytes without a request would be taken for the next answer.
    socket.on('data', () => {
      if (this.#exchange === undefined) this.#break(new Error('bytes came that no request asked for'))
    })
    // After the server's FIN no further answer comes.
    socket.on('end', () => {
      if (this.#exchange === undefined) socket.destroy()
    })
  }

  request(head: RequestHead, on: ResponseHandlers): Exchange {
    if (this.state !== 'open' || this.#socket.destroyed || this.#exchange !== undefined) throw takesNoMore()
    const { method, path, headers, body } = head
    checkSendable(headers)
    const { hostname, port, host } = this.#target
    const request = nodeRequest({
      agent: this.#agent,
      host: hostname,
      port,
      method,
      path,
      headers: { ...(headers as Record<string, string | string[]>), host, ...lengthOf(head) },
      maxHeaderSize: this.#limits.maxHeaderBytes,
    })
    const exchange = new Http1Exchange(request, this.#socket, on)
    this.#exchange = exchange
    this.#socket.setTimeout(0)
    request.on('response', response => this.#answer(exchange, response))
    request.on('error', error => this.#fail(exchange, readable(error, this.#limits)))
    // An upgrade is no answer to the request.
    request.on('upgrade', () => this.#break(new Error('the server changed the protocol unasked')))
    request.end(body)
    return exchange
  }

  /** HTTP/1.1 has no PING; TCP keep-alive is on. */
  ping(): Promise<void> {
    return this.state !== 'closed' ? Promise.resolve() : Promise.reject(new Error('the connection was closed'))
  }

  keepAlive(keep: boolean): void {
    if (keep) this.#socket.ref()
    else this.#socket.unref()
  }

  close(): Promise<void> {
    this.#socket.ref()
    this.#socket.destroy()
    return this.#gone
  }

  #answer(exchange: Http1Exchange, response: IncomingMessage): void {
    const { statusCode: status = 0 } = response
    const isLast = !exchange.request.shouldKeepAlive
    // A server or a proxy may send a 408 when it closes a kept connection. It then does not read a request that is on its way.
    if (status === 408 && isLast && this.#answered) {
      const message = 'the server gave up the connection before it had the request'
      this.#break(new ConnectionError('STREAM_REFUSED', message, { unprocessed: true }))
      return
    }
    // `Connection: close`: this answer is the connection's last.
    if (isLast) this.leave('goaway')
    this.#answered = true
    response.on('error', () =>
      this.#fail(exchange, new Error('the server closed its side before the answer was complete')),
    )
    response.on('end', () => this.#end(exchange, response))
    exchange.begin(response)
  }

  #end(exchange: Http1Exchange, response: IncomingMessage): void {
    if (!response.complete) return
    this.#exchange = undefined
    // The server would take the rest of the request for another request.
    if (!exchange.request.writableFinished) this.#socket.destroy()
    const keptMs = keepAliveMs(response)
    // A request that crosses the server's close on its way may not be repeated, so the connection is closed from here a second earlier.
    if (keptMs > 0) this.#socket.setTimeout(Math.max(1, keptMs - 1000))
    exchange.take()?.end()
  }

  #fail(exchange: Http1Exchange, error: Error): void {
    if (this.#exchange === exchange) this.#break(error)
  }

  /** Ends the connection, and its exchange with an error. */
  #break(cause: Error): void {
    this.cause ??= cause
    this.#socket.destroy()
    const exchange = this.#exchange
    this.#exchange = undefined
    exchange?.take()?.error(this.cause instanceof ConnectionError ? this.cause : connectionLost(this.cause))
  }
}

class Http1Exchange implements Exchange {
  readonly request: ClientRequest
  readonly #socket: Socket
  /** The handlers of the answer; `undefined` after its end. */
  #on: ResponseHandlers | undefined
  #response: IncomingMessage | undefined
  #paused = false

  constructor(request: ClientRequest, socket: Socket, on: ResponseHandlers) {
    this.request = request
    this.#socket = socket
    this.#on = on
  }

  /** Handles the start of the answer. A pause takes effect from here on. */
  begin(response: IncomingMessage): void {
    this.#response = response
    this.#on?.head(response.statusCode ?? 0, responseHeaders(response.rawHeaders).headers)
    response.on('data', (chunk: Buffer) => this.#on?.data(chunk))
    if (this.#paused) response.pause()
  }

  pause(): void {
    this.#paused = true
    this.#response?.pause()
  }

  resume(): void {
    this.#paused = false
    this.#response?.resume()
  }

  abort(): void {
    // Only the end of its socket ends an HTTP/1.1 answer early.
    if (this.take() !== undefined) this.#socket.destroy()
  }

  take(): ResponseHandlers | undefined {
    const on = this.#on
    this.#on = undefined
    return on
  }
}

/** The content-length header of a request. Without it, Node would send some requests in chunks. */
function lengthOf({ method, body }: RequestHead): Record<string, number> {
  if (body !== undefined) return { 'content-length': body.length }
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? { 'content-length': 0 } : {}
}

/** The time of `Keep-Alive: timeout=5` in milliseconds; 0 without that header. */
function keepAliveMs({ headers }: IncomingMessage): number {
  const found = /\btimeout=(\d{1,6})\b/i.exec(`${headers['keep-alive'] ?? ''}`)
  return found === null ? 0 : Number(found[1]) * 1000
}

/** node:http's error for an answer that it can't parse, without the received bytes (rule X3). */
function readable(error: Error, { maxHeaderBytes }: Http1Limits): Error {
  const { code = '', rawPacket } = error as { readonly code?: string; readonly rawPacket?: Uint8Array }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ConnectionError('HEADERS_TOO_LARGE', `the headers of the answer are longer than ${maxHeaderBytes} bytes`)
  }
  if (!code.startsWith('HPE_')) return error
  const isTls = rawPacket?.[0] === 21 && rawPacket[1] === 3
  const why = isTls
    ? 'the server speaks TLS on this port: use an https: URL'
    : (problems[code] ?? 'the answer is no HTTP/1.1')
  return Object.assign(new Error(why), { code: 'INVALID_RESPONSE' })
}

const noStatusLine = 'the answer does not begin with a status line of HTTP/1.1'
const problems: Readonly<Record<string, string>> = {
  HPE_INVALID_CONSTANT: noStatusLine,
  HPE_INVALID_VERSION: noStatusLine,
  HPE_UNEXPECTED_CONTENT_LENGTH: 'the answer has more than one length',
  HPE_INVALID_CONTENT_LENGTH: 'the length of the answer is no number',
}
