import type { OnReadOpts } from 'node:net'
import type { Duplex } from 'node:stream'

/** The head of a request. `path` includes the query; `headers` have lower-case names, and each item of a list is sent as a line of its own. */
export interface RequestHead {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Uint8Array | undefined
}

/** Response headers with lower-case names. A header that came more than once is an array. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>

/**
 * Receives one response: `head` once, `data` any number of times, then either `end` (the server finished the stream) or `error` (it broke, or never began).
 * After `abort()` none of them is called.
 */
export interface ResponseHandlers {
  head(status: number, headers: ResponseHeaders): void
  data(chunk: Uint8Array): void
  end(): void
  error(cause: Error): void
}

/** One request under way. */
export interface Exchange {
  /** Stops reading. Flow control then stops the server. */
  pause(): void
  resume(): void
  /** Ends the request. No handler is called from now on. Harmless if the request is over. */
  abort(): void
}

/** The reason for which a connection accepts no more requests: `goaway` lets streams in flight go on, `closed` has ended them. */
export type CloseReason = 'goaway' | 'closed'

/** One HTTP/2 session, or one HTTP/1.1 socket (`maxStreams` 1). */
export interface Connection {
  /** The maximum number of concurrent requests. It may change when the server's settings arrive. */
  readonly maxStreams: number
  /**
   * The address at the other end of a connection that is not encrypted, or the proxy's if there is a proxy. Credentials are sent there only if the address is
   * this machine's own. Absent if the connection is encrypted, or stays within this process.
   */
  readonly readableBy?: string | undefined
  request(head: RequestHead, on: ResponseHandlers): Exchange
  /** Resolves when the other side answered. Rejects if the connection closes first. */
  ping(): Promise<void>
  /** Calls `fn` at a GOAWAY and at the end; at once if the connection is closed already. */
  onClose(fn: (why: CloseReason, cause?: Error) => void): void
  /**
   * Sets whether the connection keeps the process alive, as it does at first. Called with `false` while no request is under way. Absent if the connection can't
   * keep a process alive.
   */
  keepAlive?(keep: boolean): void
  /** Ends the connection and every stream on it. Resolves when it is closed. */
  close(): Promise<void>
}

/** A socket to an API server, with TLS if the server uses TLS. The caller speaks HTTP/1.1 over it, for example to open a WebSocket. */
export interface RawSocket {
  readonly stream: Duplex
  /** As in a {@link Connection}. */
  readonly readableBy?: string | undefined
}

/** Opens connections to an origin. Rejects if none can be opened, or when `signal` is aborted. */
export interface Transport {
  connect(target: URL, signal: AbortSignal): Promise<Connection>
  /**
   * Opens a socket for `@wherry/streams`. A transport without this method can't exec, attach or forward ports.
   *
   * @param reader takes the bytes in memory of its own, as `onread` of `node:net` does. A transport may leave it out: bytes then come as events `data`.
   */
  openSocket?(target: URL, signal: AbortSignal, reader?: OnReadOpts): Promise<RawSocket>
}
