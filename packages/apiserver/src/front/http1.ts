import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Handler, ServerReply, Upgrade } from '../exchange.ts'
import { withImpersonation } from '../impersonation-headers.ts'
import type { ResponseHeaders } from '../transport.ts'
import { readBody, tooLargeStatus } from './body.ts'
import { type OpenExchange, SocketPeer } from './peer.ts'
import { UpgradeReply } from './upgrade-reply.ts'

export interface Http1Options {
  readonly handler: Handler
  readonly maxBodyBytes: number
  readonly maxHeaderBytes: number
  /** The peer of a socket of the server. */
  readonly peerOf: (socket: Duplex) => Http1Peer | undefined
}

/** The server's end of one HTTP/1.1 connection. */
export class Http1Peer extends SocketPeer {
  readonly protocol = 'http/1.1'
  /** Whether the connection ends after the exchanges under way. Set by `goaway`. */
  leaving = false

  goaway(): void {
    this.leaving = true
    if (this.active === 0) this.socket.end()
  }

  override finish(exchange: OpenExchange): void {
    super.finish(exchange)
    if (this.leaving && this.active === 0) this.socket.end()
  }
}

/** An HTTP/1.1 server that does not listen: sockets, with TLS or without, are added by `emit('connection', socket)`. The server sets no timer of its own. */
export function createHttp1(options: Http1Options): Server {
  const server = createServer({
    maxHeaderSize: options.maxHeaderBytes,
    keepAliveTimeout: 0,
    requestTimeout: 0,
    headersTimeout: 0,
    requireHostHeader: false,
  })
  server.maxHeadersCount = 0
  server.on('request', (request, response) => serve(request, response, options))
  server.on('upgrade', (request, socket, head) => serveUpgrade({ request, socket, head }, options))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    refuse(error, options.peerOf(socket), socket)
  })
  return server
}

/** Answers a request that can't be read, as Go's server does: with plain text, and the connection ends. */
function refuse(error: NodeJS.ErrnoException, peer: Http1Peer | undefined, socket: Duplex): void {
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
  if (peer === undefined || !socket.writable || error.code === 'ECONNRESET') socket.destroy()
  // Half of an answer may have been sent already. The client would read any following bytes as the rest of it.
  else if (peer.active > 0) peer.destroy()
  else peer.endWith(lastAnswer(status, 'text/plain; charset=utf-8', status))
}

function lastAnswer(status: string, type: string, body: string): string {
  const caching = status.startsWith('413') ? 'Cache-Control: no-cache, private\r\n' : ''
  const head = `HTTP/1.1 ${status}\r\n${caching}Content-Type: ${type}\r\nConnection: close\r\n`
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Answers a request that asks for another protocol. The handler takes the connection over, or refuses, after which the connection ends. */
function serveUpgrade({ request, socket, head }: Upgrade, options: Http1Options): void {
  const peer = options.peerOf(socket)
  if (peer === undefined) {
    socket.destroy()
    return
  }
  const reply = new UpgradeReply(peer, socket)
  const { method = '', url = '' } = request
  const upgrade = { request, socket, head }
  const asked = { method, path: url, headers: headersOf(request), body: new Uint8Array(0), peer, upgrade }
  options.handler(asked, reply)
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name in request.headers) {
    const value = request.headers[name]
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return withImpersonation(headers, request.rawHeaders)
}

function serve(request: IncomingMessage, response: ServerResponse, options: Http1Options): void {
  const peer = options.peerOf(request.socket)
  if (peer === undefined) {
    request.socket.destroy()
    return
  }
  const headers = headersOf(request)
  const method = request.method ?? ''
  const path = request.url ?? ''
  const reply = new Http1Reply(peer, request.socket, response)

  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    request.resume()
    options.handler({ method, path, headers, body: new Uint8Array(0), peer }, reply)
    return
  }
  readBody(request, headers['content-length'], options.maxBodyBytes, body => {
    if (reply.over) return
    if (body !== undefined) options.handler({ method, path, headers, body, peer }, reply)
    else {
      peer.leaving = true
      peer.endWith(lastAnswer('413 Request Entity Too Large', 'application/json', tooLargeStatus(options.maxBodyBytes)))
    }
  })
}

class Http1Reply implements ServerReply, OpenExchange {
  readonly #peer: Http1Peer
  readonly #socket: Socket
  readonly #response: ServerResponse
  #onDrain: (() => void) | undefined
  #onClose: (() => void) | undefined
  over = false

  constructor(peer: Http1Peer, socket: Socket, response: ServerResponse) {
    this.#peer = peer
    this.#socket = socket
    this.#response = response
    peer.begin(this)
    response.on('error', () => {})
    response.on('drain', () => this.#onDrain?.())
    response.on('close', () => this.#finish())
  }

  get #dead(): boolean {
    return this.over || this.#peer.broken || this.#response.writableEnded
  }

  head(status: number, headers: ResponseHeaders): void {
    if (this.#dead) return
    // Go's server sends no header for a connection that it keeps, only for a connection that it closes.
    if (this.#peer.leaving) this.#response.setHeader('connection', 'close')
    else this.#response.removeHeader('connection')
    this.#response.writeHead(status, headers as Record<string, string | string[]>)
    // The head of a watch is sent before its first event, so that the client sees the watch open.
    if (headers['content-length'] === undefined) this.#response.flushHeaders()
  }

  write(chunk: Uint8Array): boolean {
    return this.#dead || this.#response.write(chunk)
  }

  end(): void {
    if (!this.#dead) this.#response.end()
  }

  rst(): void {
    if (!this.#dead) this.#peer.destroy()
  }

  onDrain(fn: () => void): void {
    this.#onDrain = fn
  }

  onClose(fn: () => void): void {
    if (this.over) queueMicrotask(fn)
    else this.#onClose = fn
  }

  buffered(): number {
    return Math.max(this.#response.writableLength, this.#socket.writableLength)
  }

  #finish(): void {
    if (this.over) return
    this.over = true
    this.#peer.finish(this)
    this.#onClose?.()
  }
}
