import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCertificateAuthority } from '../../../packages/apiserver/src/front/certificates.ts'

/** What a webhook answers: a review, or a raw answer, perhaps with a `Location`. `undefined`: nothing, ever. */
export type HookReply =
  | { readonly review: unknown }
  | { readonly status: number; readonly text: string; readonly location?: string | undefined }
  | undefined

/** A request as it came: what a client that follows redirects may change. */
export interface HookRequest {
  readonly method: string | undefined
  readonly accept: string | undefined
  readonly type: string | undefined
  readonly referer: string | undefined
  readonly hasBody: boolean
}

export type HookHandler = (review: Review) => HookReply

/** A review as it came. */
export interface Review {
  readonly kind: string
  readonly apiVersion: string
  // biome-ignore lint/suspicious/noExplicitAny: tests say by their expectations what shape it is
  readonly request: any
}

/** Webhooks over TLS on loopback, for any server that calls them, by path. */
export class HookServer {
  readonly #server: Server
  readonly #handlers = new Map<string, HookHandler>()
  readonly #calls = new Map<string, Review[]>()
  readonly #requests = new Map<string, HookRequest[]>()
  /** Base64 of the CA, as `caBundle` takes it. */
  readonly caBundle: string
  /** The same of the server's own certificate. */
  readonly leafBundle: string

  private constructor(server: Server, caPem: string, certPem: string) {
    this.#server = server
    this.caBundle = Buffer.from(caPem).toString('base64')
    this.leafBundle = Buffer.from(certPem).toString('base64')
    server.on('request', (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const path = new URL(request.url ?? '', 'https://x').pathname
        const text = Buffer.concat(chunks).toString('utf8')
        const { accept, referer, 'content-type': type } = request.headers
        this.requests(path).push({ method: request.method, accept, type, referer, hasBody: text !== '' })
        // A redirect can make a GET of a call.
        const review = (text === '' ? { request: {} } : JSON.parse(text)) as Review
        this.calls(path).push(review)
        const reply = this.#handlers.get(path)?.(review)
        if (reply === undefined) return
        if ('review' in reply) {
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply.review))
        } else {
          const { status, text, location } = reply
          const headers = { 'content-type': 'text/plain', ...(location !== undefined && { location }) }
          response.writeHead(status, headers).end(text)
        }
      })
    })
  }

  static async start(): Promise<HookServer> {
    const authority = createCertificateAuthority()
    const { certPem, keyPem } = authority.issueServer()
    const server = createServer({ cert: certPem, key: keyPem })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return new HookServer(server, authority.caPem, certPem)
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  on(path: string, handler: HookHandler): void {
    this.#handlers.set(path, handler)
  }

  /** The reviews that came to a path, in order. */
  calls(path: string): Review[] {
    const calls = this.#calls.get(path) ?? []
    this.#calls.set(path, calls)
    return calls
  }

  /** The requests that came to a path, in order. */
  requests(path: string): HookRequest[] {
    const requests = this.#requests.get(path) ?? []
    this.#requests.set(path, requests)
    return requests
  }

  /** Ends the connections that a caller keeps; one that it dialled and has not used has no timeout of its own. */
  disconnect(): void {
    this.#server.closeAllConnections()
  }

  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    await closed
  }
}

/** A response that lets the request pass, or not. */
export function answer(review: Review, response: object): HookReply {
  const { apiVersion, kind } = review
  return { review: { apiVersion, kind, response: { uid: review.request.uid, ...response } } }
}

export const allow = (review: Review): HookReply => answer(review, { allowed: true })
export const deny =
  (status: object): HookHandler =>
  review =>
    answer(review, { allowed: false, status })
/** A response with a JSON patch. */
export const patch =
  (...operations: object[]): HookHandler =>
  review =>
    answer(review, {
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
    })
