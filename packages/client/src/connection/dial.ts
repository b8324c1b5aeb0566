import { isIP, connect as netConnect, type OnReadOpts, type Socket } from 'node:net'
import { type ConnectionOptions, type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls'
import { abortable } from '../abortable.ts'
import { throughProxy } from './proxy.ts'
import { proxyFor } from './proxy-settings.ts'

/** How a socket is opened. */
export interface DialOptions {
  /** The TLS material; `undefined`: no TLS. It is made before a socket is opened, because bad material throws. */
  readonly tls: SecureContext | undefined
  readonly serverName: string | undefined
  readonly skipVerify: boolean
  readonly proxyUrl: string | undefined
  /** Offered by ALPN, best first. */
  readonly protocols: readonly string[]
  /** Receives the bytes if Node reads directly from the network: not through a proxy, nor if the certificate must have another address. */
  readonly reader?: OnReadOpts | undefined
  /** A TLS session of the same server and TLS material to resume. */
  readonly session?: Buffer | undefined
  /** Receives the TLS sessions of the socket. A later socket can resume any of them. */
  readonly onSession?: ((session: Buffer) => void) | undefined
}

/** Opens a socket to `target`, through a proxy if one is set, with TLS for `https:`. Rejects with the cause, and leaves no socket. */
export async function dial(target: URL, signal: AbortSignal, options: DialOptions): Promise<Socket | TLSSocket> {
  signal.throwIfAborted()
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const port = Number(target.port || (target.protocol === 'https:' ? 443 : 80))
  const proxy = options.proxyUrl ?? proxyFor(target)
  const name = options.serverName ?? host
  const { tls, reader } = options
  if (tls !== undefined && reader !== undefined && proxy === undefined && (isIP(name) === 0 || name === host)) {
    // Node's types leave `onread` out.
    const direct: ConnectionOptions & { onread: OnReadOpts } = {
      ...{ ...tlsOptions(tls, name, options), host, port },
      onread: reader,
    }
    const socket = withSessions(tlsConnect(direct), options)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 30_000)
    return opened(socket, 'secureConnect', signal)
  }
  const raw =
    proxy === undefined
      ? netConnect({
          host,
          port,
          noDelay: true,
          keepAlive: true,
          keepAliveInitialDelay: 30_000,
          ...(tls === undefined && reader !== undefined && { onread: reader }),
        })
      : await throughProxy(proxy, host, port, signal)
  if (tls === undefined) return opened(raw, 'connect', signal)
  return opened(secured(raw, tls, name, options), 'secureConnect', signal)
}

function tlsOptions(secureContext: SecureContext, name: string, options: DialOptions): ConnectionOptions {
  return {
    secureContext,
    ALPNProtocols: [...options.protocols],
    rejectUnauthorized: !options.skipVerify,
    // An address can't be an SNI, but the certificate must still contain it.
    ...(isIP(name) === 0 ? { servername: name } : { host: name }),
    session: options.session,
  }
}

function withSessions(socket: TLSSocket, { onSession }: DialOptions): TLSSocket {
  if (onSession !== undefined) socket.on('session', onSession)
  return socket
}

/** Begins TLS over `raw`, which is destroyed if that throws. The TLS socket then receives the errors of `raw`. */
function secured(raw: Socket, secureContext: SecureContext, name: string, options: DialOptions): TLSSocket {
  try {
    return withSessions(tlsConnect({ ...tlsOptions(secureContext, name, options), socket: raw }), options)
  } catch (error) {
    raw.destroy()
    throw error
  }
}

function opened<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  if (signal.aborted) socket.destroy()
  return abortable(signal, (resolve, reject) => {
    const failed = (cause: unknown): void => {
      reject(cause)
      socket.destroy()
    }
    // This listener stays: an error without a listener, before the protocol listens itself or of a socket that is given up, would end the process.
    socket.on('error', failed)
    if (event === 'connect' && !socket.connecting) resolve(socket)
    else socket.once(event, () => resolve(socket))
    socket.once('close', () => failed(new Error('the socket was closed while it was being opened')))
    return () => failed(signal.reason)
  })
}
