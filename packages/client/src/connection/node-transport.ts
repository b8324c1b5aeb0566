import type { OnReadOpts, Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import { anonymous, type Credentials } from '../credentials/credentials.ts'
import { checkProxyUrl } from '../credentials/proxy-url.ts'
import type { SecureContexts } from '../credentials/secure-contexts.ts'
import { checkOptions, flag, having, integer, oneOf, text } from '../errors/check.ts'
import type { Connection, RawSocket, Transport } from '../transport.ts'
import { readableBy } from './readable-by.ts'

/** Options of a {@link NodeTransport}. */
export interface NodeTransportOptions {
  /** Connections are opened with their TLS material. @default none, and Node's own authorities */
  readonly credentials?: Pick<Credentials, 'tls' | 'digest'> | undefined
  /** The name that the server's certificate must bear. @default the host of the URL */
  readonly tlsServerName?: string | undefined
  /** Accepts any certificate. Anybody on the network path can then read and change everything. @default false */
  readonly skipTlsVerify?: boolean | undefined
  /** An http: or https: proxy that supports CONNECT. @default that of HTTPS_PROXY, HTTP_PROXY and NO_PROXY */
  readonly proxyUrl?: string | undefined
  /** `http/1.1`: does not offer HTTP/2. @default 'h2' if the server supports it */
  readonly protocol?: 'h2' | 'http/1.1' | undefined
  /** The maximum size of the headers of one answer, in bytes. @default 262_144 */
  readonly maxHeaderBytes?: number | undefined
  /**
   * How many bytes a server may send on one stream ahead of its reader (HTTP/2's stream window). An unread
   * stream holds at most this much in memory.
   *
   * @default 1_048_576
   */
  readonly streamWindowBytes?: number | undefined
}

/**
 * Connections over Node's own sockets: HTTP/2 over TLS if the server offers it by ALPN, else HTTP/1.1 with keep-alive.
 * Certificates are verified unless `skipTlsVerify` is set. No redirect is followed. An unread stream does not
 * stall the other streams of its connection.
 */
export class NodeTransport implements Transport {
  readonly #options: NodeTransportOptions
  readonly #credentials: Pick<Credentials, 'tls' | 'digest'>
  #contexts: SecureContexts | undefined
  /** The last TLS session of a socket of {@link NodeTransport.openSocket}. A socket that resumes it saves most of the handshake. */
  #resumable: Resumable | undefined

  constructor(options: NodeTransportOptions = {}) {
    checkOptions('transport', options, {
      credentials: having('Credentials', 'tls', 'digest'),
      tlsServerName: text,
      skipTlsVerify: flag,
      proxyUrl: checkProxyUrl,
      protocol: oneOf('h2', 'http/1.1'),
      maxHeaderBytes: integer(1024, 16 * 1024 * 1024),
      streamWindowBytes: integer(65_535, 2 ** 31 - 1),
    })
    this.#options = options
    this.#credentials = options.credentials ?? anonymous
  }

  async openSocket(target: URL, signal: AbortSignal, reader?: OnReadOpts): Promise<RawSocket> {
    const stream = await this.#dial(target, signal, ['http/1.1'], { reader, isResumable: true })
    checkOpen(stream)
    return { stream, readableBy: readableBy(target, stream) }
  }

  async connect(target: URL, signal: AbortSignal): Promise<Connection> {
    const { protocol = 'h2', maxHeaderBytes = 262_144, streamWindowBytes = 1_048_576 } = this.#options
    const secure = target.protocol === 'https:'
    // Node's network modules are loaded at their first use (node:tls takes 10 ms, node:http2 as much), and
    // the protocol's module while the connection is being opened.
    const http1 = (): Promise<typeof import('./http1.ts')> => import('./http1.ts')
    const http2 = (): Promise<typeof import('./http2.ts')> => import('./http2.ts')
    const loading = secure && protocol === 'h2' ? http2() : http1()
    loading.catch(() => {})
    const socket = await this.#dial(target, signal, protocol === 'h2' ? ['h2', 'http/1.1'] : ['http/1.1'])
    if (agreedOn(socket) === 'h2') {
      const { connectHttp2 } = await http2()
      checkOpen(socket)
      return connectHttp2(target, socket, signal, { maxHeaderBytes, streamWindowBytes })
    }
    const { connectHttp1 } = await http1()
    checkOpen(socket)
    return connectHttp1(target, socket, { maxHeaderBytes })
  }

  async #dial(
    target: URL,
    signal: AbortSignal,
    protocols: readonly string[],
    { reader, isResumable = false }: { readonly reader?: OnReadOpts | undefined; readonly isResumable?: boolean } = {},
  ): Promise<Socket | TLSSocket> {
    const { dial } = await import('./dial.ts')
    const tls = target.protocol === 'https:' ? await this.#secureContext() : undefined
    const { host } = target
    const last = this.#resumable
    // A session of other TLS material, or of another server, would skip the check of the certificate.
    const session = isResumable && last?.context === tls && last?.host === host ? last.session : undefined
    return dial(target, signal, {
      tls,
      serverName: this.#options.tlsServerName,
      skipVerify: this.#options.skipTlsVerify ?? false,
      proxyUrl: this.#options.proxyUrl,
      protocols,
      reader,
      session,
      onSession:
        isResumable && tls !== undefined
          ? made => {
              this.#resumable = { context: tls, host, session: made }
            }
          : undefined,
    })
  }

  /** @throws CredentialsError for TLS material that can't be loaded or used. */
  async #secureContext(): Promise<SecureContext> {
    this.#contexts ??= new (await import('../credentials/secure-contexts.ts')).SecureContexts()
    const material = await this.#credentials.tls()
    return this.#contexts.of(material, this.#credentials.digest())
  }
}

/** A TLS session, with the TLS material and the server that it belongs to. */
interface Resumable {
  readonly context: SecureContext
  readonly host: string
  readonly session: Buffer
}

/** Throws if a socket has closed meanwhile, because it emits nothing more, and Node's sessions would wait for ever. */
function checkOpen(socket: Socket): void {
  if (socket.destroyed) throw new Error('the server closed the connection as soon as it was open')
}

function agreedOn(socket: Socket | TLSSocket): string | undefined {
  return 'alpnProtocol' in socket && socket.alpnProtocol ? socket.alpnProtocol : undefined
}
