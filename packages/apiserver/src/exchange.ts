import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ResponseHeaders } from './transport.ts'

/** The connection of a request, as far as faults and authentication need it. */
export interface Peer {
  readonly protocol: 'h2' | 'http/1.1'
  /** The subject of a verified client certificate. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[] } | undefined
  /** Announces that this connection accepts no more requests. Requests under way go on. HTTP/1.1 closes the connection after them. */
  goaway(): void
  /** Closes the connection at once, with every stream on it: no END_STREAM, no last chunk. */
  destroy(): void
  /** As `destroy`, but by a TCP reset if the connection is TCP. */
  reset(): void
}

/** The protocol that a request asks to change to, and its connection. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

/** A request, as a front (sockets or memory) hands it to the server. */
export interface ServerRequest {
  readonly method: string
  /** Path and query as sent, still encoded. */
  readonly path: string
  /** The headers, with lower-case names. The lines of one name are joined by commas, those of `impersonate-*` by line breaks. */
  readonly headers: Readonly<Record<string, string>>
  /** The whole body. The front itself answers a longer body with 413. */
  readonly body: Uint8Array
  readonly peer: Peer
  /** Set if the request asks for another protocol, such as WebSockets. */
  readonly upgrade?: Upgrade | undefined
}

/**
 * The answer to one request. The server calls `head` once, then `write` any number of times, then `end` or a breaking ending. After the client has gone, every
 * call is a no-op.
 */
export interface ServerReply {
  head(status: number, headers: ResponseHeaders): void
  /** Sends a chunk. Returns false if no more should be written until `onDrain` calls. A chunk that is written anyway is kept. */
  write(chunk: Uint8Array): boolean
  /** Ends the answer cleanly: END_STREAM, or the last chunk. */
  end(): void
  /** RST_STREAM with this code on HTTP/2 (default INTERNAL_ERROR, 2); on HTTP/1.1 the connection is destroyed. */
  rst(code?: number): void
  /** Sets the listener that is called when `write` may be called again. It replaces an earlier listener. */
  onDrain(fn: () => void): void
  /** Sets the listener that is called once when the exchange is over, whichever side ended it. It replaces an earlier listener. */
  onClose(fn: () => void): void
}

/** Answers the requests of a front. Never throws. */
export type Handler = (request: ServerRequest, reply: ServerReply) => void
