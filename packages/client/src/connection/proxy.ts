import type { IncomingMessage, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { loginOf } from '../credentials/proxy-url.ts'
import { ConnectionError } from '../errors/connection-error.ts'

/** A socket to `host:port` through an HTTP proxy's CONNECT. Rejects if the proxy refuses, or if `signal` is aborted. */
export async function throughProxy(proxy: string, host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const url = proxyUrl(proxy)
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  signal.throwIfAborted()
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const options: RequestOptions = {
    method: 'CONNECT',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
    path: authority,
    headers: { host: authority, ...authorization(url) },
    agent: false,
    signal,
  }
  return new Promise((resolve, reject) => {
    const refused = (answer: IncomingMessage): void =>
      reject(failed(`the proxy ${url.host} answered ${answer.statusCode} to CONNECT ${authority}`))
    const connecting = request(options)
    connecting.once('connect', (answer: IncomingMessage, socket: Socket, early: Buffer) => {
      if (answer.statusCode !== 200) {
        socket.destroy()
        refused(answer)
        return
      }
      if (early.length > 0) socket.unshift(early)
      socket.setNoDelay(true)
      socket.setKeepAlive(true, 30_000)
      resolve(socket)
    })
    connecting.once('response', answer => {
      refused(answer)
      connecting.destroy()
    })
    connecting.on('error', cause => {
      // Node's error contains the bytes of an answer that it can't parse, and a proxy may send back the request's credentials.
      delete (cause as { rawPacket?: unknown }).rawPacket
      reject(signal.aborted ? signal.reason : cause)
    })
    connecting.end()
  })
}

/** Checks a proxy's URL. Throws a {@link ConnectionError} that does not repeat the URL, because it may contain a password. */
function proxyUrl(proxy: string): URL {
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined
  if (url === undefined) throw failed("the proxy's URL can't be parsed")
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw failed(`a ${url.protocol} proxy is not supported: only http: and https: are`)
  }
  return url
}

function authorization(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {}
  const login = loginOf(url).join(':')
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }
}

function failed(message: string): ConnectionError {
  return new ConnectionError('CONNECT_FAILED', message, { unprocessed: true })
}
