import { Agent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ClusterAccess } from '@wherry/client'
import { NodeTransport } from '@wherry/client/internal'

/** A request that the proxy sends to the API server. */
export interface UpstreamRequest {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  /** Whether the request is sent with the credentials of the audit; otherwise it is sent unchanged. */
  readonly isOwn: boolean
}

/** The API server behind the proxy. Its connections are HTTP/1.1, whatever the program speaks. */
export class Upstream {
  readonly #access: ClusterAccess
  readonly #own: SocketAgent
  readonly #others: SocketAgent
  readonly #prefix: string

  constructor(access: ClusterAccess) {
    const { server, credentials, tlsServerName, skipTlsVerify, proxyUrl } = access
    this.#access = access
    this.#prefix = server.pathname.replace(/\/$/, '')
    const settings = { tlsServerName, skipTlsVerify, proxyUrl, protocol: 'http/1.1' } as const
    this.#own = new SocketAgent(new NodeTransport({ ...settings, credentials }), server)
    // A client certificate would make another user of a request that has a token of its own, or none.
    const withoutCertificate = {
      tls: async () => ({ ca: (await credentials.tls()).ca }),
      digest: () => credentials.digest(),
    }
    this.#others = new SocketAgent(new NodeTransport({ ...settings, credentials: withoutCertificate }), server)
  }

  /** Begins a request. Rejects if the credentials can't be had. */
  async request({ method, path, headers, isOwn }: UpstreamRequest): Promise<ReturnType<typeof httpRequest>> {
    const own = isOwn ? await this.#access.credentials.headers() : {}
    return httpRequest({
      agent: isOwn ? this.#own : this.#others,
      method,
      path: `${this.#prefix}${path}`,
      headers: { ...headers, ...own, host: this.#access.server.host },
    })
  }

  /** Called with each answer to a request with the credentials of the audit. After a 401 the next request has newer credentials, if there are any. */
  answered({ statusCode }: IncomingMessage): void {
    if (statusCode === 401) this.#access.credentials.refresh().catch(() => undefined)
  }

  close(): void {
    this.#own.destroy()
    this.#others.destroy()
    this.#access.credentials.close?.()
  }
}

/** An agent by which Node's own client uses the connections of a transport, with its proxies and certificates. */
class SocketAgent extends Agent {
  readonly #transport: NodeTransport
  readonly #server: URL

  constructor(transport: NodeTransport, server: URL) {
    super({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, scheduling: 'lifo' })
    this.#transport = transport
    this.#server = server
  }

  override createConnection(
    _: unknown,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const failed = (error: Error): void => callback?.(error, undefined as never)
    this.#transport
      .openSocket(this.#server, new AbortController().signal)
      .then(({ stream }) => callback?.(null, stream), failed)
    return undefined
  }
}
