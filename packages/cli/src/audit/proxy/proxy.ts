import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createCertificateAuthority, impersonationHeaders, kubeconfigFor } from '@wherry/apiserver/internal/requests'
import type { ClusterAccess } from '@wherry/client'
import { apiCall } from '../ledger/api-call.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { OpenCall } from '../ledger/open-call.ts'
import { Exchange, type Request, type Response } from './exchange.ts'
import { passing } from './headers.ts'
import { passUpgrade } from './upgrade.ts'
import { Upstream } from './upstream.ts'

/** A server on loopback that passes requests on to an API server, and counts them. */
export interface AuditProxy extends AsyncDisposable {
  readonly url: string
  readonly kubeconfig: ReturnType<typeof kubeconfigFor>
  /** Resolves when all requests that are under way have ended and are counted, except for upgraded connections. */
  settled(): Promise<void>
}

/**
 * Starts a proxy. It speaks TLS, with HTTP/2 and HTTP/1.1. A request with the token of the proxy's kubeconfig is sent with the credentials of `access`. A
 * request with another token, or without a token, keeps its own `Authorization` header, so no other user of this machine gets these rights.
 */
export async function startProxy(access: ClusterAccess, ledger: Ledger): Promise<AuditProxy> {
  const authority = createCertificateAuthority()
  const { certPem: cert, keyPem: key } = authority.issueServer()
  const token = randomBytes(32).toString('base64url')
  const server = createSecureServer({ cert, key, allowHTTP1: true, settings: { maxConcurrentStreams: 1_000 } })
  const upstream = new Upstream(access)
  const proxy = new LoopbackProxy(server, upstream, ledger, token)
  try {
    await proxy.listen()
  } catch (error) {
    upstream.close()
    throw error
  }
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    kubeconfig: kubeconfigFor(url, authority.caPem, token),
    settled: () => proxy.settled(),
    [Symbol.asyncDispose]: () => proxy.close(),
  }
}

class LoopbackProxy {
  readonly #server: Http2SecureServer
  readonly #upstream: Upstream
  readonly #ledger: Ledger
  readonly #authorization: Buffer
  readonly #sockets = new Set<Socket>()
  readonly #passing = new Set<Promise<void>>()

  constructor(server: Http2SecureServer, upstream: Upstream, ledger: Ledger, token: string) {
    this.#server = server
    this.#upstream = upstream
    this.#ledger = ledger
    this.#authorization = Buffer.from(`Bearer ${token}`)
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    server.on('request', (request: Request, response: Response) => this.#pass(request, response))
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, early: Buffer) =>
      this.#upgrade(request, socket, early),
    )
    for (const event of ['sessionError', 'tlsClientError', 'clientError'] as const)
      server.on(event, (_error: Error, socket?: { destroy(): void }) => socket?.destroy())
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', () => resolve())
    })
  }

  async settled(): Promise<void> {
    await Promise.all(this.#passing)
  }

  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    for (const socket of this.#sockets) socket.destroy()
    this.#upstream.close()
    await closed
    await this.settled()
  }

  #pass(request: Request, response: Response): void {
    const { call, isOwn, headers } = this.#begin(request, false)
    const done = new Exchange(request, response, call, isOwn).pass(this.#upstream, headers)
    this.#passing.add(done)
    done.finally(() => this.#passing.delete(done))
  }

  #upgrade(request: IncomingMessage, socket: Duplex, early: Buffer): void {
    void passUpgrade(request, socket, early, { upstream: this.#upstream, ...this.#begin(request, true) })
  }

  #begin(
    request: Request,
    isUpgrade: boolean,
  ): { call: OpenCall; isOwn: boolean; headers: ReturnType<typeof passing> } {
    const { headers: given, method = 'GET', url: path = '/' } = request
    const isOwn = this.#isOwn(given.authorization ?? '')
    const headers = passing(given, request.rawHeaders)
    if (isOwn) delete headers.authorization
    const call = this.#ledger.begin(
      apiCall({
        ...{ method, path, isUpgrade, isOwn, impersonation: impersonationHeaders(request.rawHeaders) },
        accept: given.accept ?? '',
        contentType: given['content-type'] ?? '',
        userAgent: given['user-agent'] ?? '',
      }),
    )
    return { call, isOwn, headers }
  }

  #isOwn(authorization: string): boolean {
    const given = Buffer.from(authorization)
    return given.length === this.#authorization.length && timingSafeEqual(given, this.#authorization)
  }
}
