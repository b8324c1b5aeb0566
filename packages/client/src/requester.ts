import type { OnReadOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Exchange, RequestHead, ResponseHandlers } from './transport.ts'

/**
 * What a request is, as far as its connection matters:
 *
 * - `call`: a read that ends by itself. Never waits behind streams.
 * - `write`: a write or a lease. Has connections that neither reads nor streams may fill.
 * - `stream`: a watch. Lives long; as many connections are opened as streams need.
 */
export type Lane = 'call' | 'write' | 'stream'

/** A request and its lane. Credentials, user agent and the server's base path are added on the way. */
export interface LaneRequest extends RequestHead {
  readonly lane: Lane
  /** It is sent again if it fails, after a backoff of its caller: while the server is away, no connection is opened for it sooner than for a watch. */
  readonly isPatient?: boolean | undefined
  /** Called right before the request is sent, each time; what it throws is the request's error, and nothing is sent. */
  readonly admit?: (() => void) | undefined
}

/** {@link ResponseHandlers}, and what a long stream may want to know besides. */
export interface RequestHandlers extends ResponseHandlers {
  /** The server is going away (GOAWAY): this stream goes on for now, and is best opened again before it ends. Called at most once. */
  draining?(): void
}

/** A socket of one caller, and what its HTTP request must have. */
export interface OwnSocket {
  readonly stream: Duplex
  /** The API server, without a path. */
  readonly origin: string
  /** The path that stands before each request's own; `''` if there is none. */
  readonly basePath: string
  /** Credentials, user agent, impersonation. */
  readonly headers: RequestHead['headers']
  /** Destroys it. */
  end(reason: Error): void
  /** Why it was destroyed by `end`, or because the client was closed; `undefined` if it was not. */
  reason(): Error | undefined
  /** Looks for newer credentials after a 401, once for all callers that met it. Resolves to whether there are some. */
  renewed(): Promise<boolean>
}

/** Sends requests to one API server. */
export interface Requester {
  /**
   * Sends `request` and calls `on` with what comes back: exactly one of `end` and `error`, never before this call has returned; none
   * after `abort()`. What a handler throws ends the exchange, and is given to `on.error`.
   */
  request(request: LaneRequest, on: RequestHandlers): Exchange
  /**
   * Opens a socket for a single caller, which must end it. It is destroyed when the requester is closed. Absent if requests take no sockets.
   *
   * @param admit is called last; if it throws, the socket is destroyed, and the call rejects with what it threw.
   * @param reader as that of a transport.
   */
  openSocket?(signal: AbortSignal, admit?: () => void, reader?: OnReadOpts): Promise<OwnSocket>
}
