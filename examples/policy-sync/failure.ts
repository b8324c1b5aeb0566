import { ApiError, ConnectionError, isApplyConflict } from '@wherry/client'
import { ApplyDelayedError } from '@wherry/controller'

/**
 * What an error says to the author of a template: the server's words if it refused something, and else its own. `undefined` if it passes by itself,
 * so that another try is all that it needs.
 */
export function failureOf(thrown: unknown, signal: AbortSignal): { reason: string; message: string } | undefined {
  // A write that is refused again and again is delayed: it is refused all the same.
  const error = thrown instanceof ApplyDelayedError ? (thrown.cause ?? thrown) : thrown
  if (signal.aborted || !(error instanceof Error) || error instanceof ConnectionError) return undefined
  if (!(error instanceof ApiError)) return { reason: 'Failed', message: error.message }
  const passes = error.status === 429 || (error.status === 409 && !isApplyConflict(error))
  return passes ? undefined : { reason: 'Refused', message: error.message }
}
