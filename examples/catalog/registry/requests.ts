import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { proxyFor } from '@wherry/client'
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici'
import { authoritiesOf } from './authorities.ts'
import { challengeOf } from './challenge.ts'
import { basic, type Credentials } from './credentials.ts'
import { RegistryError } from './errors.ts'
import { manifestTypes } from './manifest.ts'
import { serverOf } from './reference.ts'
import { bounded } from './verified.ts'

const maxTokenBytes = 64 << 10
const maxRedirects = 3

/** How a registry is reached, and as which user. */
export interface RegistryOptions {
  /** PEM of a CA that is trusted in addition to the public ones. @default none */
  readonly ca?: string | undefined
  /** An HTTP proxy, `http://proxy.example.com:3128`. @default none */
  readonly proxy?: string | undefined
  /**
   * Hosts that are reached without the proxy, as in NO_PROXY: `registry.example.com:5000,.internal.example.com,10.96.0.0/12`. A `*` is all of them.
   * @default none
   */
  readonly noProxy?: string | undefined
  /** @default anonymous */
  readonly credentials?: Credentials | undefined
  /** How long the registry may be silent, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number | undefined
}

/** The CA that was last trusted in addition to the public ones, with what trusts it: a connection that has none reads some 150 certificates. */
let trusted: { readonly ca: string; readonly context: SecureContext } | undefined

function trusting(ca: string): SecureContext {
  if (trusted?.ca !== ca)
    trusted = { ca, context: createSecureContext({ ca: [...rootCertificates, ...authoritiesOf(ca)] }) }
  return trusted.context
}

type Answer = Dispatcher.ResponseData
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT'

export interface Content {
  readonly type: string
  readonly body: Buffer
}

interface Sent {
  readonly authorization?: string | undefined
  readonly content?: Content | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Requests to one registry, over https. It keeps the token that the registry has given it, and asks for another one when that is refused. It
 * does not try again: its caller knows when.
 */
export class RegistryRequests {
  readonly host: string
  readonly #direct: Dispatcher
  readonly #proxied: Dispatcher | undefined
  readonly #noProxy: string | undefined
  readonly #proxy: string | undefined
  readonly #credentials: Credentials | undefined
  #authorization: string | undefined

  constructor(host: string, options: RegistryOptions = {}) {
    const { ca, proxy, noProxy, credentials, timeoutMs = 30_000 } = options
    this.host = host
    this.#credentials = credentials
    const tls = ca === undefined ? {} : { secureContext: trusting(ca) }
    // Polls are minutes apart, and a new connection costs ten times what an unchanged one does.
    const keepAliveTimeout = 600_000
    const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, keepAliveTimeout }
    const connect = { ...tls, timeout: timeoutMs }
    this.#direct = new Agent({ ...timeouts, connect })
    this.#noProxy = noProxy
    if (proxy === undefined) return
    // Without a scheme it is an http proxy.
    const uri = urlOf(proxy.includes('://') ? proxy : `http://${proxy}`, 'the proxy is').href
    this.#proxy = uri
    this.#proxied = new ProxyAgent({ ...timeouts, uri, requestTls: connect, connect })
  }

  /** Returns the answer with status 200, after redirects. */
  async get(method: 'GET' | 'HEAD', path: string, signal?: AbortSignal): Promise<Answer> {
    const url = this.url(path)
    let answer = await this.#authorized(method, url, undefined, signal)
    let from = url
    for (let count = 0; count < maxRedirects && isRedirect(answer); count++) {
      await answer.body.dump()
      from = urlOf(`${answer.headers.location}`, `the registry ${this.host} leads to`, from)
      if (from.protocol !== 'https:')
        throw new RegistryError('RegistryUnavailable', `${this.host} leads to ${from.origin}`)
      // A storage elsewhere must not see the token.
      const authorization = from.host === url.host ? this.#authorization : undefined
      answer = await this.#send(method, from, { authorization, signal })
    }
    if (answer.statusCode === 200) return answer
    await answer.body.dump()
    throw this.#refused(answer.statusCode, path)
  }

  /** Sends content, and gives the `Location` of the answer, or an empty text. */
  async write(method: 'POST' | 'PUT', url: URL, content: Content): Promise<string> {
    const { statusCode, headers, body } = await this.#authorized(method, url, content)
    await body.dump()
    if (statusCode < 200 || statusCode >= 300) throw this.#refused(statusCode, `${method} ${url.pathname}`)
    return `${headers.location ?? ''}`
  }

  /** Where something of the registry is: `catalogs/community/manifests/latest`. */
  url(path: string): URL {
    return urlOf(`https://${serverOf(this.host)}/v2/${path}`, 'the image is at')
  }

  /** An error of the connection. */
  unavailable(cause: unknown): RegistryError {
    return new RegistryError('RegistryUnavailable', `${this.host} can't be reached: ${(cause as Error).message}`, cause)
  }

  /** Resolves when requests under way have ended. */
  async close(): Promise<void> {
    await Promise.all([this.#direct.close(), this.#proxied?.close()])
  }

  /** A registry may lead elsewhere, so each host is asked in its own way. */
  #dispatcherFor(url: URL): Dispatcher {
    const isProxied = proxyFor(url, { https: this.#proxy, noProxy: this.#noProxy }) !== undefined
    return (isProxied ? this.#proxied : undefined) ?? this.#direct
  }

  /** Sends a request, and once more with a new token if the registry asks for one. */
  async #authorized(method: Method, url: URL, content?: Content, signal?: AbortSignal): Promise<Answer> {
    const answer = await this.#send(method, url, { authorization: this.#authorization, content, signal })
    if (answer.statusCode !== 401) return answer
    await answer.body.dump()
    this.#authorization = await this.#authorize(`${answer.headers['www-authenticate'] ?? ''}`, signal)
    return this.#send(method, url, { authorization: this.#authorization, content, signal })
  }

  #refused(statusCode: number, what: string): RegistryError {
    const reason = [401, 403].includes(statusCode)
      ? 'Unauthorized'
      : statusCode === 404
        ? 'NotFound'
        : 'RegistryUnavailable'
    return new RegistryError(reason, `the registry ${this.host} answers ${statusCode} to ${what}`)
  }

  async #send(method: Method, url: URL, { authorization, content, signal }: Sent = {}): Promise<Answer> {
    const headers = {
      accept: manifestTypes.join(', '),
      ...(authorization !== undefined && { authorization }),
      ...(content !== undefined && { 'content-type': content.type }),
    }
    const body = content?.body ?? null
    try {
      // Otherwise undici closes the connection after each HEAD, and the next poll begins with a TLS handshake.
      const reset = false
      const dispatcher = this.#dispatcherFor(url)
      return await request(url, { method, headers, body, reset, dispatcher, signal: signal ?? null })
    } catch (error) {
      throw this.unavailable(error)
    }
  }

  async #authorize(header: string, signal?: AbortSignal): Promise<string> {
    const challenge = challengeOf(header)
    const credentials = this.#credentials
    if (challenge?.scheme === 'bearer') {
      const realm = urlOf(challenge.realm, `the registry ${this.host} asks for a token of`)
      if (realm.protocol !== 'https:')
        throw new RegistryError('Unauthorized', `${this.host} asks for a token of ${realm.origin}`)
      for (const [key, value] of Object.entries(challenge.parameters)) realm.searchParams.set(key, value)
      const answer = await this.#send('GET', realm, { authorization: credentials && basic(credentials), signal })
      if (answer.statusCode === 200) return `Bearer ${await this.#tokenIn(answer.body)}`
      await answer.body.dump()
    } else if (challenge !== undefined && credentials !== undefined) return basic(credentials)
    const refused = credentials === undefined ? 'requests without credentials' : credentials.username
    throw new RegistryError('Unauthorized', `the registry ${this.host} refuses ${refused}`)
  }

  /** The service of the tokens may be anybody's: its answer is bounded, and no error quotes it. */
  async #tokenIn(body: AsyncIterable<Buffer>): Promise<string> {
    try {
      const { token, access_token } = JSON.parse((await bounded(body, 'the token', maxTokenBytes)).toString()) as {
        readonly token?: unknown
        readonly access_token?: unknown
      }
      const found = token ?? access_token
      if (typeof found === 'string') return found
    } catch {
      // Said below.
    }
    throw new RegistryError('Unauthorized', `the registry ${this.host} gives no token`)
  }
}

/** Reads a URL that a registry has sent, or that a CatalogSource names. @throws RegistryError which quotes it */
export function urlOf(text: string, what: string, base?: URL): URL {
  try {
    return new URL(text, base)
  } catch (cause) {
    throw new RegistryError('InvalidUrl', `${what} ${JSON.stringify(text.slice(0, 200))}, which is no URL`, cause)
  }
}

function isRedirect({ statusCode, headers }: Answer): boolean {
  return statusCode >= 300 && statusCode < 400 && headers.location !== undefined
}
