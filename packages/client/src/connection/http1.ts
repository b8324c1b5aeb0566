import { Agent, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { CloseReason, Connection, Exchange, RequestHead, ResponseHandlers, ResponseHeaders } from '../transport.ts'
import { ConnectionError } from './error.ts'

/** Bounds of an HTTP/1.1 connection. */
export interface Http1Limits {
  readonly maxHeaderBytes: number
}

/** One HTTP/1.1 socket, kept alive from request to request. */
export function connectHttp1(target: URL, socket: Socket, limits: Http1Limits): Connection {
  return new Http1Connection(target, socket, limits)
}

/** Has one socket, and hands it to one request after the other. */
class SocketAgent extends Agent {
  #socket: Socket | undefined

  constructor(socket: Socket) {
    super({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1, scheduling: 'lifo' })
    this.#socket = socket
  }

  override createConnection(
    _options: unknown,
    callback: (cause: Error | null, socket: Duplex) => void,
  ): Duplex | undefined {
    const socket = this.#socket
    this.#socket = undefined
    // A request that waited for the socket while its server closed it: it was never sent.
    if (socket === undefined) process.nextTick(callback as (cause: Error) => void, goneError())
    return socket
  }
}

class Http1Connection implements Connection {
  readonly maxStreams = 1
  readonly #target: URL
  readonly #socket: Socket
  readonly #agent: SocketAgent
  readonly #limits: Http1Limits
  readonly #listeners: ((why: CloseReason, cause?: Error) => void)[] = []
  readonly #gone: Promise<void>
  #state: 'open' | 'goaway' | 'closed' = 'open'
  #cause: Error | undefined

  constructor(target: URL, socket: Socket, limits: Http1Limits) {
    this.#target = target
    this.#socket = socket
    this.#limits = limits
    this.#agent = new SocketAgent(socket)
    socket.on('error', error => {
      this.#cause ??= error
    })
    // The server's FIN on an idle socket: it will answer nothing more. Only who reads hears of it.
    socket.on('end', () => this.#leave('closed'))
    socket.resume()
    this.#gone = new Promise(resolve => {
      socket.once('close', () => {
        this.#leave('closed')
        resolve()
      })
    })
  }

  request(head: RequestHead, on: ResponseHandlers): Exchange {
    if (this.#state !== 'open' || this.#socket.destroyed) throw goneError()
    const headers: OutgoingHttpHeaders = { host: this.#target.host, ...(head.headers as OutgoingHttpHeaders) }
    if (head.body !== undefined) headers['content-length'] = head.body.length
    const sent = request({
      agent: this.#agent,
      method: head.method,
      path: head.path,
      headers,
      maxHeaderSize: this.#limits.maxHeaderBytes,
    })
    const exchange = new Http1Exchange(sent, on, this.#socket, this.#limits)
    sent.prependOnceListener('response', () => {
      // `Connection: close`: this answer is its last.
      if (!sent.shouldKeepAlive) this.#leave('goaway')
    })
    sent.end(head.body)
    return exchange
  }

  /** HTTP/1.1 has none; TCP keep-alive is on. */
  ping(): Promise<void> {
    return this.#state !== 'closed' ? Promise.resolve() : Promise.reject(new Error('the connection was closed'))
  }

  onClose(fn: (why: CloseReason, cause?: Error) => void): void {
    if (this.#state !== 'open') fn(this.#state, this.#cause)
    if (this.#state !== 'closed') this.#listeners.push(fn)
  }

  close(): Promise<void> {
    this.#socket.destroy()
    return this.#gone
  }

  #leave(why: CloseReason): void {
    if (this.#state === 'closed' || this.#state === why) return
    this.#state = why
    for (const listener of [...this.#listeners]) listener(why, this.#cause)
  }
}

class Http1Exchange implements Exchange {
  readonly #request: ClientRequest
  readonly #socket: Socket
  #response: IncomingMessage | undefined
  #on: ResponseHandlers | undefined
  #paused = false

  constructor(sent: ClientRequest, on: ResponseHandlers, socket: Socket, limits: Http1Limits) {
    this.#request = sent
    this.#socket = socket
    this.#on = on
    sent.once('response', response => {
      this.#response = response
      this.#on?.head(response.statusCode ?? 0, responseHeaders(response))
      response.on('data', (chunk: Uint8Array) => this.#on?.data(chunk))
      response.once('end', () => {
        if (response.complete) this.#take()?.end()
        else this.#take()?.error(lost(undefined))
      })
      response.once('error', cause => this.#take()?.error(lost(cause)))
      response.once('close', () => this.#take()?.error(lost(undefined)))
      if (this.#paused) response.pause()
    })
    let failure: Error | undefined
    sent.on('error', error => {
      failure ??= error
      this.#take()?.error(broken(error, limits))
    })
    sent.once('close', () => {
      if (this.#response === undefined) this.#take()?.error(sent.socket ? lost(failure) : goneError())
    })
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
    if (this.#take() === undefined) return
    // Nothing else ends an HTTP/1.1 answer early.
    this.#request.destroy()
    this.#socket.destroy()
  }

  #take(): ResponseHandlers | undefined {
    const on = this.#on
    this.#on = undefined
    return on
  }
}

function goneError(): ConnectionError {
  return new ConnectionError('STREAM_REFUSED', 'the connection takes no more requests', { unprocessed: true })
}

function broken(cause: Error, limits: Http1Limits): ConnectionError {
  if (cause instanceof ConnectionError) return cause
  // Node's parser shows what it could not read: a Secret perhaps (rule X3).
  Reflect.deleteProperty(cause, 'rawPacket')
  if ((cause as NodeJS.ErrnoException).code === 'HPE_HEADER_OVERFLOW') {
    const message = `the answer's headers are longer than ${limits.maxHeaderBytes} bytes`
    return new ConnectionError('HEADERS_TOO_LARGE', message, { cause })
  }
  return lost(cause)
}

function lost(cause: Error | undefined): ConnectionError {
  return new ConnectionError('CONNECTION_LOST', 'the connection broke off', { cause })
}

/** Node joins most headers that came more than once by commas; here they are lists. */
function responseHeaders(response: IncomingMessage): ResponseHeaders {
  const result: Record<string, string | readonly string[]> = Object.create(null)
  for (const [name, values] of Object.entries(response.headersDistinct)) {
    if (values !== undefined) result[name] = values.length === 1 ? (values[0] as string) : values
  }
  return result
}
