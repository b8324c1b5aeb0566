import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { type Clock, systemClock } from '../clock.ts'
import type { Handler } from '../exchange.ts'
import { createHttp1, Http1Peer } from './http1.ts'
import { Http2Peer } from './http2.ts'
import { Listener } from './listener.ts'
import type { SocketPeer } from './peer.ts'
import { announceMaxStreams } from './settings.ts'

export interface FrontTls {
  /** The server's certificate and its key, PEM. */
  readonly cert: string
  readonly key: string
  /** The CA that client certificates are verified against, PEM. Without it no certificate is asked for. */
  readonly clientCa?: string | undefined
}

export interface ListenOptions {
  /** Answers every request. */
  readonly handler: Handler
  /** With TLS, HTTP/2 and HTTP/1.1 by ALPN over TLS 1.3 or 1.2. Without TLS, HTTP/1.1 in the clear. */
  readonly tls?: FrontTls | undefined
  /** The port. @default 0, a free port */
  readonly port?: number | undefined
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string | undefined
  /** The maximum number of concurrent streams on an HTTP/2 connection. Any further stream is reset with PROTOCOL_ERROR, as by Go's server. @default 100 */
  readonly maxStreams?: number | undefined
  /** The maximum length of a request body, in bytes. A longer body is answered with 413. @default 3_145_728 */
  readonly maxBodyBytes?: number | undefined
  /**
   * The maximum length of request headers. Longer ones are answered with 431 in plain text on HTTP/1.1. On HTTP/2 the stream is reset with ENHANCE_YOUR_CALM,
   * although Go's server answers 431. @default 1_048_576
   */
  readonly maxHeaderBytes?: number | undefined
  /**
   * The time without an exchange after which a connection is closed, in milliseconds. On HTTP/2 it gets a GOAWAY if its client has acknowledged the settings.
   * `Infinity`: never. @default 90_000
   */
  readonly idleMs?: number | undefined
  /** The clock of the timers. @default systemClock({ unref: true }) */
  readonly clock?: Clock | undefined
}

/** The sockets of a handler. */
export interface SocketFront {
  readonly port: number
  /** The URL, such as `https://127.0.0.1:6443`. */
  readonly url: string
  /** The number of open connections, including connections in their TLS handshake. */
  connections(): number
  /** The number of connections accepted since the start. */
  accepted(): number
  /** The number of written response bytes that no kernel has accepted yet, over all connections. */
  buffered(): number
  /**
   * Closes the listener, so that new connections are refused while old ones stay open, or opens it again on the same port. Rejects if another program has the
   * port by then.
   */
  refuse(on: boolean): Promise<void>
  /** Sends GOAWAY on every HTTP/2 connection. HTTP/1.1 connections close after their exchange under way. */
  goawayAll(): void
  /** Closes every connection at once, in the middle of its exchanges, as a killed server does. */
  destroyAll(): void
  /** Ends listener and connections. Resolves when no socket is left. */
  close(): Promise<void>
}

/** Listens, and passes every request to the handler. Rejects if the port is not available. */
export async function listen(options: ListenOptions): Promise<SocketFront> {
  const front = new Front(options)
  await front.refuse(false)
  return front
}

class Front implements SocketFront {
  readonly #options: ListenOptions
  readonly #host: string
  readonly #clock: Clock
  readonly #idleMs: number
  readonly #limits: { readonly maxStreams: number; readonly maxBodyBytes: number; readonly maxHeaderBytes: number }
  readonly #sockets = new Set<Socket>()
  readonly #peers = new Map<Duplex, SocketPeer>()
  readonly #accept: (raw: Socket) => void
  readonly #listener: Listener
  #closed: Promise<void> | undefined
  #accepted = 0
  /** The number of calls of `goawayAll`. Connections that were in their handshake at a call get their GOAWAY after it. */
  #goaways = 0

  constructor(options: ListenOptions) {
    this.#options = options
    this.#host = options.host ?? '127.0.0.1'
    this.#listener = new Listener({ host: this.#host, port: options.port ?? 0, onSocket: raw => this.#onSocket(raw) })
    this.#clock = options.clock ?? systemClock({ unref: true })
    this.#idleMs = options.idleMs ?? 90_000
    this.#limits = {
      maxStreams: options.maxStreams ?? 100,
      maxBodyBytes: options.maxBodyBytes ?? 3 * 1024 * 1024,
      maxHeaderBytes: options.maxHeaderBytes ?? 1024 * 1024,
    }
    const http1 = createHttp1({
      handler: options.handler,
      ...this.#limits,
      peerOf: socket => this.#peers.get(socket) as Http1Peer | undefined,
    })
    const serveHttp1 = (socket: Socket | TLSSocket, raw: Socket) => {
      this.#adopt(new Http1Peer({ raw, socket, clock: this.#clock, idleMs: this.#idleMs }))
      http1.emit('connection', socket)
    }
    this.#accept = options.tls === undefined ? raw => serveHttp1(raw, raw) : this.#tlsAcceptor(options.tls, serveHttp1)
  }

  get port(): number {
    return this.#listener.port
  }

  get url(): string {
    const host = this.#host.includes(':') ? `[${this.#host}]` : this.#host
    return `${this.#options.tls === undefined ? 'http' : 'https'}://${host}:${this.port}`
  }

  connections(): number {
    return this.#sockets.size
  }

  accepted(): number {
    return this.#accepted
  }

  buffered(): number {
    let sum = 0
    for (const peer of this.#peers.values()) sum += peer.buffered()
    return sum
  }

  refuse(on: boolean): Promise<void> {
    return this.#listener.refuse(on)
  }

  goawayAll(): void {
    this.#goaways++
    for (const peer of [...this.#peers.values()]) peer.goaway()
  }

  destroyAll(): void {
    for (const socket of [...this.#sockets]) socket.destroy()
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await this.#listener.close()
    const gone = [...this.#sockets].map(socket => new Promise<void>(resolve => socket.once('close', () => resolve())))
    this.destroyAll()
    await Promise.all(gone)
    // The streams of a session end a tick after its socket.
    await new Promise<void>(resolve => setImmediate(resolve))
  }

  #onSocket(raw: Socket): void {
    this.#accepted++
    this.#sockets.add(raw)
    raw.on('error', () => {})
    raw.once('close', () => this.#sockets.delete(raw))
    this.#accept(raw)
  }

  #adopt(peer: SocketPeer): void {
    const { socket } = peer
    this.#peers.set(socket, peer)
    socket.on('error', () => {})
    socket.once('close', () => this.#peers.delete(socket))
  }

  #tlsAcceptor(tls: FrontTls, serveHttp1: (socket: TLSSocket, raw: Socket) => void): (raw: Socket) => void {
    const server = createTlsServer({
      cert: tls.cert,
      key: tls.key,
      ALPNProtocols: ['h2', 'http/1.1'],
      ...(tls.clientCa === undefined ? {} : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: false }),
    })
    // A TCP reset needs the socket under the TLS socket, which Node does not return.
    const handshakes = new Map<string, { readonly raw: Socket; readonly goaways: number }>()
    const key = (socket: Socket) => `${socket.remoteAddress}|${socket.remotePort}`
    server.on('secureConnection', socket => {
      const made = handshakes.get(key(socket))
      socket.on('error', () => {})
      if (made === undefined) socket.destroy()
      else if (socket.alpnProtocol !== 'h2') serveHttp1(socket, made.raw)
      else {
        const timing = { clock: this.#clock, timeoutMs: this.#idleMs }
        announceMaxStreams({ socket, maxStreams: this.#limits.maxStreams, ...timing }, () => {
          const { handler } = this.#options
          const at = { raw: made.raw, socket, clock: this.#clock, idleMs: this.#idleMs }
          const peer = new Http2Peer({ ...at, ...this.#limits, handler })
          this.#adopt(peer)
          if (made.goaways !== this.#goaways) peer.goaway()
        })
      }
    })
    return raw => {
      const name = key(raw)
      handshakes.set(name, { raw, goaways: this.#goaways })
      raw.once('close', () => {
        if (handshakes.get(name)?.raw === raw) handshakes.delete(name)
      })
      server.emit('connection', raw)
    }
  }
}
