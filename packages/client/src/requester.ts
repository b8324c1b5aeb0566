import type { OnReadOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Exchange, RequestHead, ResponseHandlers } from './transport.ts'

/**
 * The kind of a request, which decides on its connection:
 *
 * - `call`: a read that ends by itself. It never waits behind streams.
 * - `write`: a write or a lease. It has connections that neither reads nor streams use.
 * - `stream`: a watch. It lasts long; as many connections are opened as streams need.
 */
export type Lane = 'call' | 'write' | 'stream'

/** A request and its lane. Credentials, user agent and the server's base path are added on the way. */
export interface LaneRequest extends RequestHead {
  readonly lane: Lane
  /** Whether the caller repeats the request with a backoff of its own, so that it may wait as long as a watch for a connection. */
  readonly isPatient?: boolean | undefined
  /** Called right before each attempt to send the request. If it throws, nothing is sent, and its error is that of the request. */
  readonly admit?: (() => void) | undefined
}

/** {@link ResponseHandlers}, with an event for long streams. */
export interface RequestHandlers extends ResponseHandlers {
  /** Called at most once, when the server is going away (GOAWAY): the stream goes on for now, and should be opened again before it ends. */
  draining?(): void
}

/** A socket of one caller, and the parts that its HTTP request needs. */
export interface OwnSocket {
  readonly stream: Duplex
  /** The API server, without a path. */
  readonly origin: string
  /** The path that stands before each request's own; `''` if there is none. */
  readonly basePath: string
  /** Credentials, user agent, impersonation. */
  readonly headers: RequestHead['headers']
  /** Destroys the socket. */
  end(reason: Error): void
  /** The reason of `end`, or of the client's close; `undefined` if neither has destroyed the socket. */
  reason(): Error | undefined
  /** Refreshes the credentials after a 401, once for all callers. Resolves with whether they have changed. */
  renewed(): Promise<boolean>
}

/** Sends requests to one API server. */
export interface Requester {
  /**
   * Sends `request`, and calls `on` with the response: exactly one of `end` and `error`, never before this call has returned, and none
   * after `abort()`. If a handler throws, the exchange ends, and `on.error` receives the error.
   */
  request(request: LaneRequest, on: RequestHandlers): Exchange
  /**
   * Opens a socket for a single caller, which must end it. It is destroyed when the requester is closed. Absent if the requester opens no sockets.
   *
   * @param admit is called last; if it throws, the socket is destroyed, and the call rejects with its error
   * @param reader as that of a transport
   */
  openSocket?(signal: AbortSignal, admit?: () => void, reader?: OnReadOpts): Promise<OwnSocket>
}
