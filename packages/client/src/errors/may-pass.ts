import { ConnectionError } from './connection-error.ts'
import { isExpired, isServerError, isTooManyRequests } from './guards.ts'

/** Whether an error may pass by itself, so that a background read is retried: the server or the connection failed, and not the program. */
export function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.code !== 'CLIENT_CLOSED' && error.code !== 'INSECURE_TOKEN'
  return isExpired(error) || isServerError(error) || isTooManyRequests(error)
}
