/**
 * What went wrong between this process and the API server:
 * - `CONNECT_FAILED`, `CONNECT_TIMEOUT`: it could not connect (refused, unknown host, bad certificate, proxy).
 * - `CONNECTION_LOST`: the connection ended during the request.
 * - `PING_TIMEOUT`: the same, because the other side stopped answering.
 * - `STREAM_RESET`: the server broke off this request.
 * - `STREAM_REFUSED`: the server did not start this request.
 * - `HEADERS_TOO_LARGE`: the answer's headers exceed the limit, or the server reset the request because it was asked for too much.
 * - `INVALID_HEADER`: a header, for example a token's, has a character that can't be sent; nothing was sent.
 * - `INSECURE_TOKEN`: credentials would have been sent unencrypted to another machine; nothing was sent.
 * - `CLIENT_CLOSED`: the client was closed before the answer was complete.
 */
export type ConnectionErrorCode =
  | 'CONNECT_FAILED'
  | 'CONNECT_TIMEOUT'
  | 'CONNECTION_LOST'
  | 'PING_TIMEOUT'
  | 'STREAM_RESET'
  | 'STREAM_REFUSED'
  | 'HEADERS_TOO_LARGE'
  | 'INVALID_HEADER'
  | 'INSECURE_TOKEN'
  | 'CLIENT_CLOSED'

/**
 * A request got no complete answer. `cause` is the transport's error.
 *
 * @example
 * ```ts
 * import { Client, ConnectionError } from '@wherry/client'
 * import { pods } from '@wherry/client/resources/core'
 *
 * const client = await Client.connect()
 * try {
 *   await client.delete(pods, { name: 'chess', namespace: 'arcade' })
 * } catch (error) {
 *   if (!(error instanceof ConnectionError)) throw error
 *   console.error(error.code, error.unprocessed ? 'the pod is still there' : 'the pod may be deleted')
 * }
 * ```
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly code: ConnectionErrorCode
  /** `true` if the server certainly did not process the request, so that any request can be repeated safely. */
  readonly unprocessed: boolean

  constructor(
    code: ConnectionErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly unprocessed?: boolean | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.unprocessed = options.unprocessed ?? false
  }
}

/** The message of an underlying failure. */
export function said(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown cause'
  return cause.message !== '' ? cause.message : ((cause as { code?: string }).code ?? cause.name)
}

/** No connection was opened in time. */
export function connectTimedOut({ host }: URL, timeoutMs: number): ConnectionError {
  return new ConnectionError('CONNECT_TIMEOUT', `no connection to ${host} within ${timeoutMs} ms`, {
    unprocessed: true,
  })
}

/** The `ConnectionError` for a connection that could not be opened. */
export function connectFailed({ host }: URL, cause: unknown): ConnectionError {
  if (cause instanceof ConnectionError) return cause
  return new ConnectionError('CONNECT_FAILED', `no connection to ${host}: ${said(cause)}`, { cause, unprocessed: true })
}

/** The error of requests after the client was closed. */
export function clientClosed(): ConnectionError {
  return new ConnectionError('CLIENT_CLOSED', 'the client was closed')
}

/** The error of a request on a connection that takes no more requests. */
export function takesNoMore(): ConnectionError {
  return new ConnectionError('STREAM_REFUSED', 'the connection takes no more requests', { unprocessed: true })
}

/** The connection ended with the request under way. */
export function connectionLost(cause: Error | undefined): ConnectionError {
  const why = cause === undefined ? '' : `: ${said(cause)}`
  return new ConnectionError('CONNECTION_LOST', `the connection broke off${why}`, { cause })
}

/** Whether `error` is about the connection, and not an answer of the server. */
export function isConnectionError(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError
}

/** Whether the server certainly did not process the request of this error. */
export function isUnprocessed(error: unknown): boolean {
  return error instanceof Error && (error as { unprocessed?: unknown }).unprocessed === true
}
