import type { OnReadOpts } from 'node:net'
import type { Duplex } from 'node:stream'

/** The head of a request. `path` includes the query. `headers` have lower-case names; each item of a list becomes a line. */
export interface RequestHead {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Uint8Array | undefined
}

/** Response headers with lower-case names; a header that came more than once is an array. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>

/**
 * Receives one response: `head` once, `data` any number of times, then exactly one of `end` (the
 * server finished the stream) and `error` (the stream broke, or never began). None is called after
 * `abort()`.
 */
export interface ResponseHandlers {
  head(status: number, headers: ResponseHeaders): void
  /** Receives a chunk. Its memory may be reused after this returns, so a handler copies the part that it keeps. */
  data(chunk: Uint8Array): void
  end(): void
  error(cause: Error): void
}

/** One request under way. */
export interface Exchange {
  /** Stops reading: flow control holds the server back. */
  pause(): void
  resume(): void
  /** Ends the request. No handler is called after this. Does nothing if the request has ended. */
  abort(): void
}

/** Why a connection takes no more requests: with `goaway` open streams go on, with `closed` they have ended. */
export type CloseReason = 'goaway' | 'closed'

/**
 * One HTTP/2 session, or one HTTP/1.1 socket (`maxStreams` 1).
 *
 * A request that the server certainly did not process (refused, or after the last stream that a
 * GOAWAY names) fails with an error with `unprocessed: true`, and is repeated on another connection.
 */
export interface Connection {
  /** How many requests may be under way at once. May change when the server's settings arrive. */
  readonly maxStreams: number
  /**
   * The address of an unencrypted connection: the proxy's, if there is one. Credentials are
   * sent to it only if it is this machine's own. Absent if the connection is encrypted, or stays within this process.
   */
  readonly readableBy?: string | undefined
  request(head: RequestHead, on: ResponseHandlers): Exchange
  /** Resolves when the other side has answered; rejects if the connection closes first. Resolves at once if the protocol has no PING. */
  ping(): Promise<void>
  /** Calls `fn` at a GOAWAY and at the end; at once if the connection is closed already. */
  onClose(fn: (why: CloseReason, cause?: Error) => void): void
  /**
   * Sets whether the connection keeps the process alive, as it does at first. The pool turns that off while no request is under way. Absent if
   * the connection can't do that.
   */
  keepAlive?(keep: boolean): void
  /** Ends the connection and its streams. Resolves when it is closed. */
  close(): Promise<void>
}

/** A socket to an API server, with TLS if the server has it. Its user speaks HTTP/1.1 over it, for example to open a WebSocket. */
export interface RawSocket {
  readonly stream: Duplex
  /** As that of a {@link Connection}. */
  readonly readableBy?: string | undefined
}

/** The interface to the network: opens connections to an origin. Rejects if no connection can be opened, or if `signal` is aborted. */
export interface Transport {
  connect(target: URL, signal: AbortSignal): Promise<Connection>
  /**
   * Opens a socket for `@wherry/streams`. Without this method, exec, attach and port-forward do not work.
   *
   * @param reader receives the bytes in memory that it provides, as `onread` of `node:net` does. A transport may ignore it: bytes are then `data` events.
   */
  openSocket?(target: URL, signal: AbortSignal, reader?: OnReadOpts): Promise<RawSocket>
}
