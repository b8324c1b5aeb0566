import { ConnectionError } from './connection-error.ts'
import { isExpired, isServerError, isTooManyRequests } from './guards.ts'

/** Whether what reads on may be tried again: the server or the way to it failed, and nothing that the program did. */
export function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.code !== 'CLIENT_CLOSED' && error.code !== 'INSECURE_TOKEN'
  return isExpired(error) || isServerError(error) || isTooManyRequests(error)
}
