import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { Agent, request as httpRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ClusterAccess } from '@wherry/client'
import { NodeTransport } from '@wherry/client/internal'
import { ReadingSocket } from './reading-socket.ts'

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
  readonly #own: Agents
  readonly #others: Agents
  readonly #prefix: string

  constructor(access: ClusterAccess) {
    const { server, credentials, tlsServerName, skipTlsVerify, proxyUrl } = access
    this.#access = access
    this.#prefix = server.pathname.replace(/\/$/, '')
    const settings = { tlsServerName, skipTlsVerify, proxyUrl, protocol: 'http/1.1' } as const
    this.#own = new Agents(new NodeTransport({ ...settings, credentials }), server)
    // With a client certificate, a request with another token, or without a token, would act as the user of the certificate.
    const withoutCertificate = {
      tls: async () => ({ ca: (await credentials.tls()).ca }),
      digest: () => credentials.digest(),
    }
    this.#others = new Agents(new NodeTransport({ ...settings, credentials: withoutCertificate }), server)
  }

  /** Begins a request. Rejects if the credentials can't be loaded. */
  async request({ method, path, headers, isOwn }: UpstreamRequest): Promise<ReturnType<typeof httpRequest>> {
    const own = isOwn ? await this.#access.credentials.headers() : {}
    return httpRequest({
      agent: (isOwn ? this.#own : this.#others).of(headers.upgrade !== undefined),
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

/** The connections of a transport. */
class Agents {
  readonly #answers: SocketAgent
  readonly #upgrades: SocketAgent

  constructor(transport: NodeTransport, server: URL) {
    this.#answers = new SocketAgent(transport, server, true)
    this.#upgrades = new SocketAgent(transport, server, false)
  }

  of(isUpgrade: boolean): Agent {
    return isUpgrade ? this.#upgrades : this.#answers
  }

  destroy(): void {
    this.#answers.destroy()
    this.#upgrades.destroy()
  }
}

/** An agent by which Node's own client uses the connections of a transport, with its proxies and certificates. */
class SocketAgent extends Agent {
  readonly #transport: NodeTransport
  readonly #server: URL
  readonly #reusesBuffers: boolean

  /** @param reusesBuffers whether the sockets are {@link ReadingSocket}s */
  constructor(transport: NodeTransport, server: URL, reusesBuffers: boolean) {
    super({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, scheduling: 'lifo' })
    this.#transport = transport
    this.#server = server
    this.#reusesBuffers = reusesBuffers
  }

  override createConnection(
    _: unknown,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const failed = (error: Error): void => callback?.(error, undefined as never)
    const socket = this.#reusesBuffers ? new ReadingSocket() : undefined
    this.#transport
      .openSocket(this.#server, new AbortController().signal, socket?.reader)
      .then(({ stream }) => callback?.(null, socket?.use(stream as Socket) ?? stream), failed)
    return undefined
  }
}
