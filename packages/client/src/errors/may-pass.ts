import { ConnectionError } from './connection-error.ts'
import { isExpired, isServerError, isTooManyRequests } from './guards.ts'
import { TimeoutError } from './timeout.ts'

/**
 * Whether an error may pass by itself, so that a read is repeated: the server or the connection failed, and not the program. A `TimeoutError` counts,
 * because the time-out is of one request: if the caller's own time is over, its signal has ended the call.
 */
export function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.code !== 'CLIENT_CLOSED' && error.code !== 'INSECURE_TOKEN'
  return error instanceof TimeoutError || isExpired(error) || isServerError(error) || isTooManyRequests(error)
}
