import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Handler, ServerReply } from '../exchange.ts'
import { withImpersonation } from '../impersonation-headers.ts'
import type { ResponseHeaders } from '../transport.ts'
import { readBody, replyTooLarge } from './body.ts'
import { type OpenExchange, SocketPeer, type SocketPeerOptions } from './peer.ts'

/** The settings that kube-apiserver announces (observed on 1.37.1), without MAX_CONCURRENT_STREAMS, which `settings.ts` announces. */
const SETTINGS = { initialWindowSize: 262_144, maxFrameSize: 262_144 }
/** Go adds ten headers of 32 bytes each to its MaxHeaderBytes. */
const HEADER_LIST_SLACK_BYTES = 320
const CONNECTION_WINDOW_BYTES = 25 * 1024 * 1024

export interface Http2Options {
  readonly handler: Handler
  readonly maxStreams: number
  readonly maxBodyBytes: number
  readonly maxHeaderBytes: number
}

/** The server's end of one HTTP/2 connection. */
export class Http2Peer extends SocketPeer {
  readonly protocol = 'h2'
  readonly #session: ServerHttp2Session

  constructor(options: SocketPeerOptions & Http2Options) {
    super(options)
    this.#session = performServerHandshake(options.socket, {
      settings: { ...SETTINGS, maxHeaderListSize: options.maxHeaderBytes + HEADER_LIST_SLACK_BYTES },
      // Node's own limits are meant for hostile clients, and would end connections in a busy test.
      maxSessionMemory: 4096,
      maxHeaderListPairs: 100_000,
      maxOutstandingPings: 1000,
      streamResetBurst: 1_000_000,
      streamResetRate: 1_000_000,
    })
    this.#session.on('error', () => {})
    this.#session.setLocalWindowSize(CONNECTION_WINDOW_BYTES)
    // The types of Node lack the raw headers of a server's session.
    this.#session.on(
      'stream',
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, rawHeaders: string[]) => {
        stream.on('error', () => {})
        if (this.active >= options.maxStreams) {
          stream.close(constants.NGHTTP2_PROTOCOL_ERROR)
          return
        }
        const bodyless = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
        serve(this, stream, withImpersonation(headers, rawHeaders), bodyless, options)
      },
    )
  }

  /** Sends GOAWAY NO_ERROR. The connection ends when the last stream under way ends. */
  goaway(): void {
    this.#session.close()
  }
}

function serve(
  peer: Http2Peer,
  stream: ServerHttp2Stream,
  incoming: IncomingHttpHeaders,
  bodyless: boolean,
  options: Http2Options,
): void {
  const headers: Record<string, string> = {}
  for (const name in incoming) {
    const value = incoming[name]
    if (value === undefined || name.charCodeAt(0) === 0x3a) continue
    headers[name] = typeof value === 'string' ? value : value.join(', ')
  }
  const authority = incoming[':authority']
  if (authority !== undefined) headers.host = String(authority)
  const method = String(incoming[':method'])
  const path = String(incoming[':path'])
  const reply = new Http2Reply(peer, stream, method)

  if (bodyless) {
    stream.resume()
    options.handler({ method, path, headers, body: new Uint8Array(0), peer }, reply)
    return
  }
  if (headers.expect?.toLowerCase() === '100-continue') stream.additionalHeaders({ ':status': 100 })
  readBody(stream, headers['content-length'], options.maxBodyBytes, body => {
    if (reply.over) return
    if (body !== undefined) options.handler({ method, path, headers, body, peer }, reply)
    else {
      replyTooLarge(reply, options.maxBodyBytes)
      // Asks the client to stop sending, after the answer was sent.
      stream.close(constants.NGHTTP2_NO_ERROR)
    }
  })
}

class Http2Reply implements ServerReply, OpenExchange {
  readonly #peer: Http2Peer
  readonly #stream: ServerHttp2Stream
  #noBody: boolean
  #onDrain: (() => void) | undefined
  #onClose: (() => void) | undefined
  #ended = false
  over = false

  constructor(peer: Http2Peer, stream: ServerHttp2Stream, method: string) {
    this.#peer = peer
    this.#stream = stream
    this.#noBody = method === 'HEAD'
    peer.begin(this)
    stream.on('drain', () => this.#onDrain?.())
    stream.on('aborted', () => this.#finish())
    stream.on('close', () => this.#finish())
  }

  get #dead(): boolean {
    return this.over || this.#ended || this.#peer.broken
  }

  head(status: number, headers: ResponseHeaders): void {
    if (this.#dead) return
    if (status === 204 || status === 304) this.#noBody = true
    this.#stream.respond({ ...headers, ':status': status }, { endStream: this.#noBody })
  }

  write(chunk: Uint8Array): boolean {
    if (this.#dead || this.#noBody) return true
    return this.#stream.write(chunk)
  }

  end(): void {
    if (this.#dead) return
    this.#ended = true
    if (!this.#noBody) this.#stream.end()
  }

  rst(code: number = constants.NGHTTP2_INTERNAL_ERROR): void {
    if (this.#dead) return
    this.#ended = true
    // In the next turn, so that the data that was written before is sent first.
    setImmediate(() => {
      // Node's close() ends the writable side first, and END_STREAM would be on the wire before RST_STREAM.
      this.#stream._final = () => {}
      this.#stream.close(code)
    })
  }

  onDrain(fn: () => void): void {
    this.#onDrain = fn
  }

  onClose(fn: () => void): void {
    if (this.over) queueMicrotask(fn)
    else this.#onClose = fn
  }

  buffered(): number {
    return this.#stream.bufferSize
  }

  #finish(): void {
    if (this.over) return
    this.over = true
    this.#peer.finish(this)
    this.#onClose?.()
  }
}
