import { ConnectionError, isApiError } from '@wherry/client'
import { ApplyDelayedError, refusalOf } from '@wherry/controller'

/**
 * What an error says to the author of a template: the server's words if it refused something, and else its own. `undefined` if it passes by itself,
 * so that another try is all that it needs.
 */
export function failureOf(thrown: unknown, signal: AbortSignal): { reason: string; message: string } | undefined {
  if (signal.aborted || !(thrown instanceof Error)) return undefined
  const refusal = refusalOf(thrown)
  if (refusal !== undefined) return { reason: 'Refused', message: refusal.message }
  const passes = isApiError(thrown) || [ConnectionError, ApplyDelayedError].some(one => thrown instanceof one)
  return passes ? undefined : { reason: 'Failed', message: thrown.message }
}
