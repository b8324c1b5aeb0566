import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Clock, Timer } from '@wherry/client'

/** Answers a request. A rejection is a 500. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Options of a {@link BoundedServer}. */
export interface BoundedServerOptions {
  readonly answer: Answer
  /** Receives the reason of each 500, and errors of the listener. */
  readonly onError: (error: unknown) => void
  readonly clock: Clock
  /** Certificate and key, PEM; `undefined`: plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  /** The maximum number of connections that are older than a second. With younger ones, there may be ten times as many. */
  readonly maxConnections: number
  /** How long a handshake, and then a request with its body, may take to arrive, in milliseconds. It is checked twice in this time. */
  readonly requestTimeoutMs: number
  /** How long a finished answer may take to be written out, in milliseconds. */
  readonly writeTimeoutMs: number
}

/** How many connections may wait to be accepted; the kernel's `somaxconn` bounds it, as it does for Go. Node's 511 would refuse probes in a rush. */
const backlog = 4096
/** The maximum number of requests of a connection that wait for the answer to an earlier one. */
const maxWaiting = 16
/** How long a connection beyond the bound has for its request, in milliseconds. */
const graceMs = 1000

/**
 * An HTTP server with bounded memory: a client that sends many requests, or reads no answers, costs a bounded number of answers
 * and bytes.
 *
 * - A request begins when the answer to the request before it on its connection has been passed to the kernel. Up to 16 requests wait; one
 *   more cuts the connection. (Node reads up to 64 KiB at once, and emits all requests in it.)
 * - An answer that is not written out in time ends its connection, and so does a request that does not arrive in time. A request's headers
 *   are 16 KiB at most, as Node has it.
 * - Above the bound on connections, the oldest connection is closed, once it is a second old. So neither idle connections nor a flood of new ones
 *   keep a probe out: it has a second for its request. Above ten times the bound, the oldest connection is closed at once. Connections with a
 *   request under way are closed only if no others are left.
 */
export class BoundedServer {
  readonly #options: BoundedServerOptions
  readonly #server: Server
  /** The start of each connection, the oldest first, including connections without a request or handshake. */
  readonly #sockets = new Map<Socket, number>()
  #trimming: Timer | undefined
  /** The waiting requests of each connection with a request under way. */
  readonly #waiting = new WeakMap<Socket, (readonly [IncomingMessage, ServerResponse])[]>()

  constructor(options: BoundedServerOptions) {
    this.#options = options
    const { tls, requestTimeoutMs } = options
    const bounds = {
      headersTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 2),
      // Node would answer a request without the header by itself, out of turn.
      requireHostHeader: false,
    }
    // An `import` would read all exports of node:http, and so load Node's fetch and WebSocket: 8 MB.
    this.#server =
      tls === undefined
        ? process.getBuiltinModule('node:http').createServer(bounds)
        : process.getBuiltinModule('node:https').createServer({ ...tls, ...bounds, handshakeTimeout: requestTimeoutMs })
    this.#server.on('connection', socket => this.#admit(socket))
    const take = (request: IncomingMessage, response: ServerResponse): void => this.#take(request, response)
    this.#server.on('request', take)
    // Node would answer a request that expects something unknown by itself, out of turn.
    this.#server.on('checkExpectation', take)
  }

  /** The port of the listener; 0 while the server does not listen. */
  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0
  }

  /** Begins to listen. Rejects if that fails, for example because the port is taken. */
  async listen(host: string, port: number): Promise<void> {
    await once(this.#server.listen({ port, host, backlog }), 'listening')
    this.#server.on('error', this.#options.onError)
  }

  /** Ends all connections. Resolves when the server no longer listens. Idempotent. */
  async close(): Promise<void> {
    if (!this.#server.listening) return
    await new Promise(resolve => {
      this.#server.close(resolve)
      this.#trimming?.cancel()
      for (const socket of this.#sockets.keys()) socket.destroy()
    })
  }

  #admit(socket: Socket): void {
    const { maxConnections, clock } = this.#options
    this.#sockets.set(socket, clock.monotonic())
    socket.once('close', () => this.#sockets.delete(socket))
    if (this.#sockets.size > 10 * maxConnections) this.#closeOldest(1, Number.POSITIVE_INFINITY)
    if (this.#sockets.size > maxConnections) this.#trimLater()
  }

  /** Closes the connections above the bound once they are a second old. */
  #trimLater(): void {
    const { maxConnections, clock } = this.#options
    this.#trimming ??= clock.timer(graceMs, () => {
      this.#trimming = undefined
      this.#closeOldest(this.#sockets.size - maxConnections, clock.monotonic() - graceMs)
      if (this.#sockets.size > maxConnections) this.#trimLater()
    })
  }

  /** Closes the `count` oldest connections that began before `by`: connections with a request under way only if no others are left. */
  #closeOldest(count: number, by: number): void {
    const old = [...this.#sockets].flatMap(([socket, at]) => (at <= by ? [socket] : []))
    const isBusy = (socket: Socket): boolean => this.#waiting.has(socket)
    const inOrder = [...old.filter(socket => !isBusy(socket)), ...old.filter(isBusy)]
    for (const socket of inOrder.slice(0, Math.max(0, count))) {
      this.#sockets.delete(socket)
      socket.destroy()
    }
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const waiting = this.#waiting.get(socket)
    if (waiting === undefined) {
      this.#waiting.set(socket, [])
      this.#begin(request, response)
    } else if (waiting.length < maxWaiting) waiting.push([request, response])
    else socket.destroy()
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const { answer, onError, clock, writeTimeoutMs } = this.#options
    response.once('prefinish', () => {
      const timer = clock.timer(writeTimeoutMs, () => socket.destroy())
      response.once('close', () => timer.cancel())
    })
    response.once('close', () => {
      const next = this.#waiting.get(socket)?.shift()
      if (next === undefined || !socket.writable) this.#waiting.delete(socket)
      else this.#begin(...next)
    })
    if (request.httpVersion === '1.1' && request.headers.host === undefined) {
      response.writeHead(400, { connection: 'close' }).end()
      return
    }
    answer(request, response).catch(error => {
      if (!response.headersSent) response.writeHead(500)
      response.end()
      onError(error)
    })
  }
}
