import {
  type ApiError,
  isApiError,
  isApplyConflict,
  isConflict,
  isServerError,
  isTooManyRequests,
  isUnauthorized,
} from '@wherry/client'
import { NarrowWatchRefusedError } from '@wherry/narrow-cache'
import { isNamespaceTerminating } from '../objects/namespace-terminating.ts'
import { AlreadyOwnedError } from '../objects/owner.ts'
import { ApplyDelayedError, ImmutableFieldError, NotOursError } from './errors.ts'

/** An error that lasts until somebody changes an object, a quota or a right. */
export type Refusal = ApiError | NotOursError | AlreadyOwnedError | ImmutableFieldError

/**
 * Returns the refusal in an error that a run has caught, for the status of the primary object. The refusal is the server's answer to a request or to
 * the watch that a read needs, also while the next try waits (an `ApplyDelayedError`), or the error of an `apply` that left an object of somebody else
 * alone. Of an `AggregateError` it returns the first refusal.
 *
 * Returns undefined for an error that passes by itself: the server fails (5xx), throttles (429) or does not know the program (401), the object
 * has changed meanwhile, its namespace is being deleted, the connection broke. Throw the error again in both cases: the run has failed.
 *
 * @example
 * ```ts
 * import { type ReconcileContext, refusalOf } from '@wherry/controller'
 *
 * interface Game { status?: { phase?: string; message?: string } }
 *
 * async function reported({ status }: ReconcileContext<Game>, work: () => Promise<void>): Promise<void> {
 *   await work().catch(async error => {
 *     const refusal = refusalOf(error)
 *     if (refusal !== undefined) await status({ phase: 'Blocked', message: refusal.message })
 *     throw error
 *   })
 * }
 * ```
 */
export function refusalOf(error: unknown): Refusal | undefined {
  return refusalIn(error, new Set())
}

/** @param around the errors that contain `error`: an error may contain itself */
function refusalIn(error: unknown, around: ReadonlySet<unknown>): Refusal | undefined {
  if (around.has(error)) return undefined
  const inner = (one: unknown): Refusal | undefined => refusalIn(one, new Set([...around, error]))
  if (error instanceof AggregateError) return error.errors.map(inner).find(one => one !== undefined)
  if (error instanceof ApplyDelayedError || error instanceof NarrowWatchRefusedError) return inner(error.cause)
  if (error instanceof NotOursError || error instanceof AlreadyOwnedError) return error
  if (error instanceof ImmutableFieldError) return error
  return isApiError(error) && !passes(error) ? error : undefined
}

function passes(error: ApiError): boolean {
  if (isServerError(error) || isTooManyRequests(error) || isUnauthorized(error)) return true
  return (isConflict(error) && !isApplyConflict(error)) || isNamespaceTerminating(error)
}
