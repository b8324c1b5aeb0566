import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { basic, type Credentials } from '../registry/credentials.ts'
import { digestOf } from '../registry/verified.ts'
import { certificateOfLoopback } from './certificate.ts'
import type { TestRegistry } from './registry.ts'

/** How it knows its users. `bearer`: by tokens, each good until {@link StandInRegistry.revoke}. */
export type Authentication = 'none' | 'basic' | 'bearer'

/** An OCI registry in memory. */
export class StandInRegistry implements TestRegistry {
  credentials: Credentials = { username: 'puller', password: 'secret' }
  readonly ca: string
  /** `GET /v2/…` and so on, in the order that they came. */
  readonly requests: string[] = []
  /** Where blobs are instead: the origin of another registry. */
  redirectBlobsTo: string | undefined
  /** Where it sends clients without a token. @default its own `/token` */
  realm: string | undefined
  /** What it is slow with: it does not answer to a HEAD, or sends all bodies of blobs and manifests byte by byte, without end. */
  slow: 'head' | 'body' | undefined
  /** What it answers when it is asked for a token. @default a token */
  tokenAnswer: Buffer | undefined
  /** Receives the `Authorization` of each request. */
  onAuthorization: (value: string | undefined) => void = () => {}
  readonly #key: string
  readonly #authentication: Authentication
  readonly #blobs = new Map<string, Buffer>()
  readonly #manifests = new Map<string, string>()
  #server: Server | undefined
  #port = 0
  #tokens = 0

  private constructor(authentication: Authentication, { cert, key }: { readonly cert: string; readonly key: string }) {
    this.#authentication = authentication
    this.ca = cert
    this.#key = key
  }

  static async start(authentication: Authentication = 'none'): Promise<StandInRegistry> {
    const registry = new StandInRegistry(authentication, await certificateOfLoopback())
    await registry.start()
    return registry
  }

  get host(): string {
    return `127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    this.#server = createServer({ cert: this.ca, key: this.#key }, (request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    this.#server = undefined
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }

  close(): Promise<void> {
    return this.stop()
  }

  async corrupt(digest: string, change: (bytes: Buffer) => Buffer): Promise<void> {
    this.#blobs.set(digest, change(this.#blobs.get(digest) ?? Buffer.alloc(0)))
  }

  /** From now on, tokens that it gave are refused. */
  revoke(): void {
    this.#tokens += 1
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', `https://${this.host}`)
    const { method = '' } = request
    this.requests.push(`${method} ${url.pathname}`)
    this.onAuthorization(request.headers.authorization)
    const body = Buffer.concat((await request.toArray()) as Buffer[])
    const isUser = request.headers.authorization === basic(this.credentials)
    const end = (code: number, headers: Record<string, string> = {}, content?: Buffer): void => {
      const length = content === undefined ? {} : { 'content-length': `${content.length}` }
      response.writeHead(code, { ...headers, ...length }).end(method === 'HEAD' ? undefined : content)
    }
    if (url.pathname === '/token') {
      const token = this.tokenAnswer ?? Buffer.from(JSON.stringify({ token: this.#token }))
      return isUser ? end(200, {}, token) : end(401)
    }
    if (this.#authentication !== 'none' && !isUser && request.headers.authorization !== `Bearer ${this.#token}`) {
      const realm = this.realm ?? `https://${this.host}/token`
      const bearer = `Bearer realm="${realm}",service="stand-in",scope="repository:x:pull"`
      return end(401, { 'www-authenticate': this.#authentication === 'basic' ? 'Basic realm="stand-in"' : bearer })
    }
    const [, repository, kind, name = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/(.*)$/.exec(url.pathname) ?? []
    if (method === 'POST') return end(202, { location: `/v2/${repository}/blobs/uploads/1` })
    if (method === 'PUT') {
      const digest = digestOf(body)
      this.#blobs.set(digest, body)
      if (kind === 'manifests') this.#manifests.set(`${repository}/${name}`, digest)
      return end(201)
    }
    if (kind === 'blobs' && this.redirectBlobsTo)
      return end(307, { location: `${this.redirectBlobsTo}${url.pathname}` })
    if (this.slow === 'head' && method === 'HEAD') return
    if (this.slow === 'body' && method === 'GET') return this.#trickle(response)
    const digest = this.#manifests.get(`${repository}/${name}`) ?? name
    const content = this.#blobs.get(digest)
    return content === undefined ? end(404) : end(200, { 'docker-content-digest': digest }, content)
  }

  #trickle(response: ServerResponse): void {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'), 5)
    response.once('close', () => clearInterval(timer))
  }

  get #token(): string {
    return `token-${this.#tokens}`
  }
}
