import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { answerForm } from '../ledger/api-call.ts'
import type { AnswerEnd } from '../ledger/collection.ts'
import type { OpenCall } from '../ledger/open-call.ts'
import { type BodyReader, bodyReader } from '../scan/body-reader.ts'
import { flow, type Sink } from './flow.ts'
import { type GatheredTarget, Gathering, lastChunk } from './gathering.ts'
import { passing } from './headers.ts'
import type { Upstream } from './upstream.ts'

export type Request = IncomingMessage | Http2ServerRequest
export type Response = ServerResponse | Http2ServerResponse

/** A request that passes through the proxy, and its answer. */
export class Exchange {
  readonly #request: Request
  readonly #response: Response
  readonly #call: OpenCall
  readonly #isOwn: boolean
  #sent: ClientRequest | undefined

  constructor(request: Request, response: Response, call: OpenCall, isOwn: boolean) {
    this.#request = request
    this.#response = response
    this.#call = call
    this.#isOwn = isOwn
  }

  /** Passes the request on. Resolves when the answer has passed and is read, or when a side has closed its connection. Never rejects. */
  async pass(upstream: Upstream, headers: ReturnType<typeof passing>): Promise<void> {
    const response = this.#response
    const gone = new Promise<void>(resolve => response.once('close', resolve))
    response.on('error', () => undefined)
    this.#request.on('error', () => undefined)
    try {
      const { method = 'GET', url: path = '/' } = this.#request
      const answer = await this.#answer(upstream, { method, path, headers, isOwn: this.#isOwn }, gone)
      if (this.#isOwn) upstream.answered(answer)
      await this.#passBack(answer, gone)
    } catch {
      this.#end('cut')
      this.#breakOff()
    } finally {
      this.#end('left')
      this.#sent?.destroy()
    }
  }

  async #answer(
    upstream: Upstream,
    head: Parameters<Upstream['request']>[0],
    gone: Promise<void>,
    isSecond: boolean = false,
  ): Promise<IncomingMessage> {
    const sent = await upstream.request(head)
    this.#sent = sent
    const hasBody = this.#hasBody()
    if (hasBody) this.#sendBody(sent, head.headers)
    else sent.end()
    try {
      return await Promise.race([
        new Promise<IncomingMessage>((resolve, reject) => {
          sent.once('response', resolve)
          sent.on('error', reject)
        }),
        gone.then(() => Promise.reject(new Error('the program ended the request'))),
      ])
    } catch (error) {
      // The server may have closed an idle connection at this moment, so the request is sent again.
      if (!hasBody && !isSecond && sent.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET')
        return await this.#answer(upstream, head, gone, true)
      throw error
    }
  }

  #hasBody(): boolean {
    const request = this.#request
    if ('stream' in request && !request.stream.endAfterHeaders) return true
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
    return Number(length) > 0 || encoding !== undefined
  }

  #sendBody(sent: ClientRequest, headers: ReturnType<typeof passing>): void {
    // Node adds this header for some methods only.
    if (headers['content-length'] === undefined) sent.setHeader('transfer-encoding', 'chunked')
    const { verb } = this.#call.call
    const reader = bodyReader(
      {
        form: verb === 'update' ? 'object' : undefined,
        contentType: text(headers['content-type']),
        encoding: text(headers['content-encoding']),
      },
      { found: one => this.#call.sent(one), bytes: () => undefined },
    )
    flow(this.#request, sinkOf(sent), reader)
    this.#request.once('end', () => sent.end())
    // A body that is cut off must not look like a complete body.
    this.#request.once('aborted', () => sent.destroy())
  }

  async #passBack(answer: IncomingMessage, gone: Promise<void>): Promise<void> {
    const response = this.#response as ServerResponse
    const { statusCode = 502, headers, rawHeaders } = answer
    this.#call.answered(statusCode)
    response.sendDate = false
    if (response.headersSent || response.destroyed) throw new Error('the program ended the request')
    response.writeHead(statusCode, passing(headers, rawHeaders))
    response.flushHeaders()
    // The other form of a body, and each body of HTTP/2, has no chunks.
    const makesChunks = response.chunkedEncoding === true
    if (makesChunks) response.chunkedEncoding = false
    const reader = this.#readerOf(answer)
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
    answer.once('end', resolve)
    answer.once('error', reject)
    answer.once('close', () => reject(new Error('the answer was cut off')))
    const target: GatheredTarget = {
      write: (bytes, size, done) => {
        this.#call.wireBytes(size)
        return response.destroyed || response.write(bytes, done)
      },
      onDrain: then => void response.once('drain', then),
    }
    const wire = new Gathering(target, makesChunks)
    // The reader of a gzipped body needs the memory of a chunk for longer.
    if (answer.headers['content-encoding'] === 'gzip') flow(answer, wire, reader)
    else flow(answer, wire, reader, freeing)
    const isWhole = await Promise.race([ended.then(() => true), gone.then(() => false)])
    ended.catch(() => undefined)
    wire.flush()
    await reader.end()
    this.#end(isWhole ? 'closed' : 'left')
    if (isWhole) response.end(makesChunks ? lastChunk : undefined)
    if (isWhole) await gone
  }

  #readerOf({ statusCode = 0, headers }: IncomingMessage): BodyReader {
    const form = statusCode < 300 ? answerForm(this.#call.call) : undefined
    const kind = { form, contentType: headers['content-type'], encoding: headers['content-encoding'] }
    return bodyReader(kind, this.#call)
  }

  #end(how: AnswerEnd): void {
    this.#call.ended(how)
  }

  /** Breaks the answer off, so that it does not look complete to the program. */
  #breakOff(): void {
    const response = this.#response
    if (response.writableFinished || response.destroyed) return
    if ('stream' in response) response.stream?.close(constants.NGHTTP2_INTERNAL_ERROR)
    else response.destroy()
  }
}

function sinkOf(request: ClientRequest): Sink {
  return { write: chunk => request.write(chunk), onDrain: then => void request.once('drain', then) }
}

/** Frees the memory of chunks after the other sinks have read them. V8 would free it only after tens of megabytes. */
const freeing: Sink = {
  write({ buffer, length }) {
    // A smaller chunk may share its memory with others.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
    return true
  },
  onDrain: then => then(),
}

const text = (header: unknown): string | undefined => (typeof header === 'string' ? header : undefined)
