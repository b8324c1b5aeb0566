import { isIP, connect as netConnect, type Socket } from 'node:net'
import { createSecureContext, type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls'
import type { TlsMaterial } from '../credentials/credentials.ts'
import type { Intake } from './intake.ts'
import { proxyFor, throughProxy } from './proxy.ts'

/** How a socket is opened. */
export interface DialOptions {
  /** Speak TLS, with this. */
  readonly tls: TlsMaterial | undefined
  /** Stands for `tls`: the same text, the same material. */
  readonly digest: string
  readonly serverName: string | undefined
  readonly skipVerify: boolean
  readonly proxyUrl: string | undefined
  /** Offered by ALPN, best first. */
  readonly protocols: readonly string[]
  /** Where the bytes of a socket without TLS and proxy go. */
  readonly intake: Intake | undefined
}

/**
 * Opens a socket to `target`, by a proxy where one is set for it, with TLS for `https:`. Rejects
 * with what the system said, or with the signal's reason; no socket is left behind then.
 */
export async function dial(target: URL, signal: AbortSignal, options: DialOptions): Promise<Socket | TLSSocket> {
  signal.throwIfAborted()
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const port = Number(target.port || (target.protocol === 'https:' ? 443 : 80))
  const proxy = options.proxyUrl ?? (await proxyFor(target))
  signal.throwIfAborted()
  const raw =
    proxy === undefined
      ? netConnect({
          host,
          port,
          noDelay: true,
          keepAlive: true,
          keepAliveInitialDelay: 30_000,
          ...(options.intake === undefined ? {} : { onread: options.intake.onread }),
        })
      : await throughProxy(proxy, host, port, signal)
  if (options.tls === undefined) return opened(raw, 'connect', signal)
  const name = options.serverName ?? host
  const secure = tlsConnect({
    socket: raw,
    secureContext: contextOf(options.tls, options.digest),
    ALPNProtocols: [...options.protocols],
    rejectUnauthorized: !options.skipVerify,
    // An address is no SNI, but it is still what the certificate must bear.
    ...(isIP(name) === 0 ? { servername: name } : { host: name }),
  })
  // The error of a TCP connection that never came about is told by the raw socket alone.
  raw.once('error', error => secure.destroy(error))
  return opened(secure, 'secureConnect', signal)
}

function opened<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  if (event === 'connect' && !socket.connecting) return Promise.resolve(socket)
  return new Promise((resolve, reject) => {
    const done = (): void => {
      signal.removeEventListener('abort', stopped)
      socket.off(event, ready)
      socket.off('error', failed)
      socket.off('close', closed)
    }
    const ready = (): void => {
      done()
      // Until the protocol listens itself: an error that nobody hears would end the process.
      socket.on('error', () => {})
      resolve(socket)
    }
    const failed = (cause: unknown): void => {
      done()
      // Further errors of a socket that is given up concern nobody.
      socket.on('error', () => {})
      socket.destroy()
      reject(cause)
    }
    const stopped = (): void => failed(signal.reason)
    const closed = (): void => failed(new Error('the socket was closed while it was being opened'))
    signal.addEventListener('abort', stopped, { once: true })
    socket.once(event, ready)
    socket.once('error', failed)
    socket.once('close', closed)
  })
}

let known: { readonly digest: string; readonly material: TlsMaterial; readonly context: SecureContext } | undefined

/** Parsing a bundle of certificates takes milliseconds: the last one is kept. */
function contextOf(material: TlsMaterial, digest: string): SecureContext {
  if (known?.digest === digest && known.material.ca === material.ca && known.material.key === material.key) {
    return known.context
  }
  const { ca, cert, key } = material
  const context = createSecureContext({
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    minVersion: 'TLSv1.2',
  })
  known = { digest, material, context }
  return context
}
