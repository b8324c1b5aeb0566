import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createSecureServer, type Http2SecureServer, type Http2Session } from 'node:http2'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Environment } from '@wherry/client'
import { asError, sleep } from '@wherry/client/internal'
import { bodyOf, longestBodyBytes } from './body.ts'
import { type CertificateSource, certificateOf } from './certificates.ts'

/** An answer to a body: the HTTP status, and the text. */
export interface HookAnswer {
  readonly status: 200 | 400
  readonly text: string
}

/** Answers the body of a request. The hook must not reject. */
export type AnswerHook = (body: Buffer) => Promise<HookAnswer>

/** Options of a {@link WebhookServer}. */
export interface WebhookServerOptions {
  /** The served hooks, by path. */
  readonly hooks: ReadonlyMap<string, AnswerHook>
  readonly certificates: CertificateSource
  readonly environment: Environment
  readonly host: string | undefined
  readonly port: number
  /** PEM of the authority that a client's certificate must be of; `undefined`: a client needs none. */
  readonly clientCa: string | undefined
  /** Whether HTTP/2 is offered. */
  readonly http2: boolean
}

/** How long a handshake, and a request with its body, may take to arrive, in milliseconds. The API server waits for 30 s at most. */
const requestTimeoutMs = 30_000
/** Longer than the 90 s for which an API server keeps an idle connection: if this server closed it first, a request could fail on the closing connection. */
const keepAliveTimeout = 120_000
/** How long a stop waits for requests under way: the longest deadline of a handler, and a little for its answer. */
const stopTimeoutMs = 27_000

type AnyRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & IncomingMessage

/**
 * Serves webhooks over TLS 1.2 or later. A changed certificate is used for new connections; open connections stay.
 */
export class WebhookServer {
  readonly #options: WebhookServerOptions
  readonly #server: Server | Http2SecureServer
  readonly #sessions = new Set<Http2Session>()
  /** All connections, including unused ones: an API server opens spare connections, and keeps them for 90 s. */
  readonly #sockets = new Set<Socket>()
  readonly #underWay = new Set<Promise<void>>()
  #forget: (() => void) | undefined
  #closed: Promise<void> | undefined

  constructor(options: WebhookServerOptions) {
    this.#options = options
    const take = (request: unknown, response: unknown): void =>
      this.#take(request as AnyRequest, response as ServerResponse)
    const settings = { ...this.#tls(), handshakeTimeout: requestTimeoutMs, requestCert: options.clientCa !== undefined }
    if (options.http2) {
      const server = createSecureServer({ ...settings, allowHTTP1: true })
      server.on('session', session => {
        this.#sessions.add(session)
        session.once('close', () => this.#sessions.delete(session))
      })
      this.#server = server
    } else {
      this.#server = createServer({
        ...settings,
        keepAliveTimeout,
        headersTimeout: requestTimeoutMs,
        requestTimeout: requestTimeoutMs,
        connectionsCheckingInterval: requestTimeoutMs / 2,
      })
    }
    this.#server.on('request', take)
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  /** The port that the server listens on; 0 while it does not listen. */
  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0
  }

  /** Begins to listen. Rejects if that fails, for example because the port is taken. */
  async listen(): Promise<void> {
    const { host, port, certificates } = this.#options
    this.#forget = certificates.onChange(() => this.#renew())
    this.#server.setSecureContext(this.#tls())
    try {
      await once(this.#server.listen({ port, ...(host !== undefined && { host }) }), 'listening')
    } catch (error) {
      this.#forget()
      throw error
    }
    this.#server.on('error', error => this.#report(error))
    // Not reported: a connection that ends during its handshake, or offers no TLS, is no failure of this server.
    this.#server.on('tlsClientError', () => {})
  }

  /** Accepts no more connections, answers the requests that have begun, and closes. Resolves when no connection is left. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#forget?.()
    if (!this.#server.listening) return
    const ended = once(this.#server, 'close')
    this.#server.close()
    const enough = new AbortController()
    const answered = Promise.allSettled(this.#underWay)
    for (const session of this.#sessions) session.close()
    const waited = sleep(this.#options.environment.clock, stopTimeoutMs, enough.signal).catch(() => {})
    await Promise.race([answered, waited])
    enough.abort(new Error('the requests are answered'))
    if ('closeAllConnections' in this.#server) this.#server.closeAllConnections()
    for (const session of this.#sessions) session.destroy()
    for (const socket of this.#sockets) socket.destroy()
    await ended
  }

  #tls(): { key: string; cert: string; minVersion: 'TLSv1.2'; ca?: string } {
    const { certificates, clientCa } = this.#options
    const { key, cert } = certificateOf(certificates)
    return { key, cert, minVersion: 'TLSv1.2', ...(clientCa !== undefined && { ca: clientCa }) }
  }

  #renew(): void {
    try {
      this.#server.setSecureContext(this.#tls())
    } catch (error) {
      this.#report(error)
    }
  }

  #take(request: AnyRequest, response: ServerResponse): void {
    const { metrics, clock } = this.#options.environment
    const path = (request.url ?? '').replace(/\?.*/s, '')
    const hook = this.#options.hooks.get(path)
    if (hook === undefined) return reply(response, 404, 'there is no webhook of that path')
    const labels = { webhook: path }
    const begun = clock.monotonic()
    const done = this.#answer(hook, request, response)
      .catch(error => {
        // If the connection has ended before the request, no client waits for the answer.
        if (!request.readableAborted && !response.destroyed) this.#report(error)
        response.destroy()
        return 499
      })
      .then(code => {
        this.#underWay.delete(done)
        metrics.count('controller_runtime_webhook_requests_total', { ...labels, code: `${code}` })
        metrics.observe('controller_runtime_webhook_latency_seconds', (clock.monotonic() - begun) / 1000, labels)
        this.#inFlight(path, -1)
      })
    this.#underWay.add(done)
    this.#inFlight(path, 1)
  }

  readonly #counts = new Map<string, number>()

  #inFlight(webhook: string, by: number): void {
    const count = (this.#counts.get(webhook) ?? 0) + by
    this.#counts.set(webhook, count)
    this.#options.environment.metrics.gauge('controller_runtime_webhook_requests_in_flight', count, { webhook })
  }

  /** Resolves with the HTTP status when the answer was handed over. */
  async #answer(hook: AnswerHook, request: AnyRequest, response: ServerResponse): Promise<number> {
    const body = request.method === 'POST' ? await this.#bodyOf(request) : undefined
    const { status, text } = await this.#said(hook, request, body)
    reply(response, status, text, this.#closed !== undefined && request.httpVersionMajor === 1)
    if (!response.writableFinished) {
      await new Promise<void>(resolve => {
        response.once('finish', resolve)
        response.once('close', resolve)
      })
    }
    return status
  }

  /** Rejects if the body takes too long. Node.js bounds the requests of HTTP/1.1 alone, not the streams of HTTP/2. */
  async #bodyOf(request: AnyRequest): Promise<Buffer | undefined> {
    const timer = this.#options.environment.clock.timer(requestTimeoutMs, () => request.destroy())
    try {
      return await bodyOf(request)
    } finally {
      timer.cancel()
    }
  }

  async #said(hook: AnswerHook, { method, headers }: AnyRequest, body: Buffer | undefined): Promise<Said> {
    if (method !== 'POST') return { status: 405, text: 'a webhook takes POST' }
    if (body === undefined) return { status: 413, text: `a body may have ${longestBodyBytes} bytes` }
    if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
      return { status: 415, text: 'a webhook takes application/json' }
    return hook(body)
  }

  #report(error: unknown): void {
    this.#options.environment.onError(asError(error, 'the webhook server failed'), { phase: 'webhook-server' })
  }
}

type Said = { readonly status: number; readonly text: string }

function reply(response: ServerResponse, status: number, text: string, isLast = false): void {
  const type = status === 200 ? 'application/json' : 'text/plain; charset=utf-8'
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'x-content-type-options': 'nosniff',
    ...(isLast && { connection: 'close' }),
  })
  response.end(text)
}
