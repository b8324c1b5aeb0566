import { rootCertificates } from 'node:tls'
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici'
import { isDigest } from '../index/release.ts'
import { challengeOf } from './challenge.ts'
import { basic, type Credentials } from './credentials.ts'
import { RegistryError } from './errors.ts'
import type { ImageReference } from './reference.ts'
import { bounded, digestOf, verified } from './verified.ts'

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const emptyType = 'application/vnd.oci.empty.v1+json'
const empty = Buffer.from('{}')
const maxManifestBytes = 4 << 20
const maxTokenBytes = 64 << 10
const maxRedirects = 3

export interface RepositoryOptions {
  /** PEM of a CA that is trusted beside the public ones. @default none */
  readonly ca?: string | undefined
  /** An HTTP proxy, `http://proxy.example.com:3128`. @default none */
  readonly proxy?: string | undefined
  /**
   * Hosts that are reached without the proxy, as in NO_PROXY: `registry.example.com:5000,.internal.example.com`. A `*` is all of them.
   * @default none
   */
  readonly noProxy?: string | undefined
  /** @default anonymous */
  readonly credentials?: Credentials | undefined
  /** How long the registry may be silent, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number | undefined
}

/** What is fetched by digest. */
export interface Wanted {
  readonly digest: string
  /** Of the only layer of the manifest. */
  readonly mediaType: string
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

/** A manifest, and the content of its only layer. */
export interface Image {
  readonly manifest: Buffer
  readonly content: Buffer
}

type Answer = Dispatcher.ResponseData
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT'

interface Content {
  readonly type: string
  readonly body: Buffer
}

interface Sent {
  readonly authorization?: string | undefined
  readonly content?: Content | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * One repository of an OCI registry, over https. What it gives is verified by digest. It keeps the token that the registry has given it, and asks
 * for another one when that is refused. It does not try again: its caller knows when.
 */
export class Repository {
  readonly host: string
  readonly repository: string
  readonly #dispatcher: Dispatcher
  readonly #credentials: Credentials | undefined
  #authorization: string | undefined
  /** What is being asked for. Each is several requests, and all of them are made before it is closed. */
  readonly #asking = new Set<Promise<unknown>>()

  constructor({ host, repository }: Pick<ImageReference, 'host' | 'repository'>, options: RepositoryOptions = {}) {
    const { ca, proxy, noProxy = '', credentials, timeoutMs = 30_000 } = options
    this.host = host
    this.repository = repository
    this.#credentials = credentials
    const tls = ca === undefined ? {} : { ca: [...rootCertificates, ca] }
    // Polls are minutes apart, and a new connection costs ten times what an unchanged one does.
    const keepAliveTimeout = 600_000
    const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, keepAliveTimeout }
    const connect = { ...tls, timeout: timeoutMs }
    if (proxy === undefined) this.#dispatcher = new Agent({ ...timeouts, connect })
    else {
      const { href } = urlOf(proxy, 'the proxy is')
      const proxied = { httpProxy: href, httpsProxy: href, noProxy, requestTls: connect }
      this.#dispatcher = new EnvHttpProxyAgent({ ...timeouts, ...proxied, connect })
    }
  }

  /** The digest that a tag has now, by one HEAD request. */
  resolve(reference: string, signal?: AbortSignal): Promise<string> {
    return this.#asked(this.#resolve(reference, signal))
  }

  /** The content of the only layer of a manifest. Manifest and layer are verified. */
  async fetch(wanted: Wanted): Promise<Buffer> {
    return (await this.image(wanted)).content
  }

  /** The same, with the manifest. */
  image(wanted: Wanted): Promise<Image> {
    return this.#asked(this.#fetch(wanted))
  }

  /** Pushes content as the only layer of a manifest, and gives the digest of the manifest. `tag`: by which it can be found, too. */
  push(image: { readonly content: Buffer; readonly mediaType: string; readonly tag?: string }): Promise<string> {
    return this.#asked(this.#push(image))
  }

  /** Resolves when what is under way has ended. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#asking)
    await this.#dispatcher.close()
  }

  async #asked<T>(answer: Promise<T>): Promise<T> {
    this.#asking.add(answer)
    try {
      return await answer
    } finally {
      this.#asking.delete(answer)
    }
  }

  async #resolve(reference: string, signal?: AbortSignal): Promise<string> {
    if (isDigest(reference)) return reference
    const { headers, body } = await this.#get('HEAD', `manifests/${reference}`, signal)
    await body.dump()
    const digest = headers['docker-content-digest']
    if (isDigest(digest)) return digest
    throw new RegistryError('InvalidManifest', `the registry ${this.host} does not say the digest of ${reference}`)
  }

  async #fetch({ digest, mediaType, maxBytes, signal }: Wanted): Promise<Image> {
    const what = `the manifest ${digest}`
    const manifest = await this.#read(`manifests/${digest}`, { what, digest, maxBytes: maxManifestBytes }, signal)
    const layer = onlyLayer(manifest, what, mediaType)
    if (layer.size > maxBytes) {
      throw new RegistryError('TooLarge', `the blob ${layer.digest} has ${layer.size} bytes, more than ${maxBytes}`)
    }
    const blob = { what: `the blob ${layer.digest}`, digest: layer.digest, maxBytes }
    return { manifest, content: await this.#read(`blobs/${layer.digest}`, blob, signal) }
  }

  async #push({ content, mediaType, tag }: Parameters<Repository['push']>[0]): Promise<string> {
    const layer = { mediaType, digest: await this.#upload(content), size: content.length }
    const config = { mediaType: emptyType, digest: await this.#upload(empty), size: empty.length }
    const body = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: manifestType, config, layers: [layer] }))
    const digest = digestOf(body)
    await this.#write('PUT', this.#url(`manifests/${tag ?? digest}`), { type: manifestType, body })
    return digest
  }

  /** Uploads a blob, and gives its digest. */
  async #upload(body: Buffer): Promise<string> {
    const type = 'application/octet-stream'
    const uploads = this.#url('blobs/uploads/')
    const location = await this.#write('POST', uploads, { type, body: Buffer.alloc(0) })
    const to = urlOf(location, `the registry ${this.host} takes blobs at`, uploads)
    // Only the registry itself may have the token.
    if (to.protocol !== 'https:' || to.host !== uploads.host)
      throw new RegistryError('RegistryUnavailable', `${this.host} takes blobs at ${to.origin}, which is another host`)
    const digest = digestOf(body)
    to.searchParams.set('digest', digest)
    await this.#write('PUT', to, { type, body })
    return digest
  }

  /** Gives the `Location` of the answer, or an empty text. */
  async #write(method: 'POST' | 'PUT', url: URL, content: Content): Promise<string> {
    const { statusCode, headers, body } = await this.#authorized(method, url, content)
    await body.dump()
    if (statusCode < 200 || statusCode >= 300) throw this.#refused(statusCode, `${method} ${url.pathname}`)
    return `${headers.location ?? ''}`
  }

  async #read(path: string, expected: Parameters<typeof verified>[1], signal?: AbortSignal): Promise<Buffer> {
    const { body } = await this.#get('GET', path, signal)
    try {
      return await verified(body, expected)
    } catch (error) {
      if (error instanceof RegistryError) throw error
      throw this.#unavailable(error)
    }
  }

  async #get(method: 'GET' | 'HEAD', path: string, signal?: AbortSignal): Promise<Answer> {
    const url = this.#url(path)
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
    throw this.#refused(answer.statusCode, `${this.repository}/${path}`)
  }

  #url(path: string): URL {
    return urlOf(`https://${this.host}/v2/${this.repository}/${path}`, 'the image is at')
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
      accept: manifestType,
      ...(authorization !== undefined && { authorization }),
      ...(content !== undefined && { 'content-type': content.type }),
    }
    const body = content?.body ?? null
    try {
      // Otherwise undici closes the connection after each HEAD, and the next poll begins with a TLS handshake.
      const reset = false
      return await request(url, { method, headers, body, reset, dispatcher: this.#dispatcher, signal: signal ?? null })
    } catch (error) {
      throw this.#unavailable(error)
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
    const who = credentials === undefined ? 'nobody who is not known to it' : `not ${credentials.username}`
    throw new RegistryError('Unauthorized', `the registry ${this.host} lets in ${who}`)
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

  #unavailable(cause: unknown): RegistryError {
    return new RegistryError('RegistryUnavailable', `${this.host} can't be reached: ${(cause as Error).message}`, cause)
  }
}

/** Reads a URL that a registry has sent, or that a CatalogSource names. @throws RegistryError which quotes it */
function urlOf(text: string, what: string, base?: URL): URL {
  try {
    return new URL(text, base)
  } catch (cause) {
    throw new RegistryError('InvalidUrl', `${what} ${JSON.stringify(text.slice(0, 200))}, which is no URL`, cause)
  }
}

function isRedirect({ statusCode, headers }: Answer): boolean {
  return statusCode >= 300 && statusCode < 400 && headers.location !== undefined
}

function onlyLayer(
  manifest: Buffer,
  what: string,
  mediaType: string,
): { readonly digest: string; readonly size: number } {
  try {
    const { layers } = JSON.parse(manifest.toString()) as {
      layers: { mediaType: string; digest: string; size: number }[]
    }
    const [layer, ...more] = layers
    if (layer?.mediaType === mediaType && isDigest(layer.digest) && more.length === 0) return layer
  } catch {
    // Said below.
  }
  throw new RegistryError('InvalidManifest', `${what} has not one layer of the type ${mediaType}`)
}
