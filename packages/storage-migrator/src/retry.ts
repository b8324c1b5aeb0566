import {
  ApiError,
  type Environment,
  isForbidden,
  isServerError,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
} from '@wherry/client'
import { Backoff, isConnectionError, isRequestTooLarge } from '@wherry/client/internal'
import { MigrationError } from './errors.ts'

/** The maximum number of attempts of a request that fails temporarily. With the backoff between them, they take about a minute. */
const maxAttempts = 6

/** The API server's texts for a webhook that it could not call, or that gave an unreadable answer. */
const callFailed =
  /(Post|Get) "|deadline exceeded|connection (refused|reset)|an error on the server|the server (could not|is currently|was unable)|expected webhook response|no response provided/

/** Whether the API server reports the answer of a webhook, or that it could not call one. The name of a user or of an object may contain "webhook" too. */
export function isOfWebhook(message: string): boolean {
  return /\b(admission|calling|call|conversion) webhook\b/.test(message)
}

/**
 * Whether a conversion webhook answered that it can't convert an object. The webhook will give the same answer again. A webhook that could not be called
 * may answer later.
 */
export function isConversionRefused(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  const [, said] = /conversion webhook for [\s\S]*? failed: ([\s\S]*)/.exec(error.message) ?? []
  return said !== undefined && !callFailed.test(said)
}

/** Whether a later attempt may succeed: the server is busy, away, or calls a webhook that does not answer. */
export function isPassing(error: unknown): boolean {
  if (isConnectionError(error)) return error.code !== 'CLIENT_CLOSED'
  if (isRequestTooLarge(error) || isConversionRefused(error)) return false
  return isTooManyRequests(error) || isTimeout(error) || isServerError(error)
}

/**
 * Whether the user has no right to the request. A webhook or a quota that refuses an object answers
 * 403 too, but the authorizer's answer names the verb and the resource.
 */
export function isAccessDenied(error: unknown): boolean {
  if (isUnauthorized(error)) return true
  return isForbidden(error) && / cannot [a-z]+ resource /.test(error.message) && !isOfWebhook(error.message)
}

/**
 * Sends a request, and sends it again after temporary errors, with backoff and no sooner than `Retry-After`. Throws the
 * last error, or the signal's reason.
 */
export async function retried<T>(
  environment: Environment,
  request: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const backoff = new Backoff(environment)
  for (let attempt = 1; ; attempt++) {
    try {
      return await request()
    } catch (error) {
      signal?.throwIfAborted()
      if (attempt === maxAttempts || !isPassing(error)) throw error
      await backoff.wait(signal, error instanceof ApiError ? error.retryAfterMs : 0)
    }
  }
}

/** Sends a request as {@link retried} does. Throws a `MigrationError` that names the missing right if the user has no right to the request. */
export async function permitted<T>(
  environment: Environment,
  definition: string,
  right: string,
  request: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await retried(environment, request, signal)
  } catch (error) {
    throw isAccessDenied(error) ? noAccess(definition, right, error) : error
  }
}

export function noAccess(definition: string, right: string, cause: unknown): MigrationError {
  const said = cause instanceof Error ? cause.message : `${cause}`
  return new MigrationError('NO_ACCESS', definition, `the server does not allow to ${right} (${said})`, cause)
}
