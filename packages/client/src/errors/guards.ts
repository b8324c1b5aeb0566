import { ApiError, ResourceNotFoundError } from './api-error.ts'
import { namesOf } from './request-info.ts'
import { TimeoutError } from './timeout.ts'

/**
 * Whether the API server refused the request, for any reason.
 *
 * @example
 * ```ts
 * import { Client, isAlreadyExists, isApiError, isForbidden } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 *
 * const client = await Client.connect()
 * try {
 *   await client.create(configMaps, { metadata: { name: 'settings', namespace: 'arcade' } })
 * } catch (error) {
 *   if (isAlreadyExists(error)) console.log('it was created before')
 *   else if (isForbidden(error)) console.error('the Role has no create of configmaps')
 *   else if (isApiError(error)) console.error(error.status, error.reason, error.message)
 *   else throw error // the server has not answered
 * }
 * ```
 */
export function isApiError(error: unknown): error is ApiError {
  return error instanceof ApiError
}

/** 404: the object, or the resource itself ({@link isResourceNotFound}), does not exist. */
export function isNotFound(error: unknown): error is ApiError {
  return answered(error, 404, 'NotFound')
}

/**
 * The server says that the object of the request, or its namespace, does not exist: a `Status` NotFound that names it. Any other 404 says nothing
 * about the object: a load balancer's page, an unknown resource, a webhook's refusal.
 */
export function isObjectNotFound(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error.status !== 404 || error.reason !== 'NotFound') return false
  const { key, details } = error
  const { name, namespace } = namesOf(error)
  if (details.name === undefined || details.name === '') return false
  if (details.kind === 'namespaces' && details.name === namespace) return true
  return details.name === name || details.name === key
}

/** The server does not know this group, version or plural. */
export function isResourceNotFound(error: unknown): error is ResourceNotFoundError {
  return error instanceof ResourceNotFoundError
}

/** 409 AlreadyExists: an object of that name exists (or is still being deleted). */
export function isAlreadyExists(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === 'AlreadyExists'
}

/**
 * 409 Conflict: another resourceVersion, another uid, or a field that another manager owns.
 *
 * @example
 * ```ts
 * import { Client, isConflict } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 *
 * const client = await Client.connect()
 * const settings = await client.get(configMaps, { name: 'settings', namespace: 'arcade' })
 * try {
 *   if (settings !== undefined) await client.update(configMaps, { ...settings, data: { colour: 'red' } })
 * } catch (error) {
 *   if (!isConflict(error)) throw error
 *   console.log('somebody else has changed it since it was read: read it again')
 * }
 * ```
 */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409 && error.reason !== 'AlreadyExists'
}

/** An apply conflicts with fields that other managers own; `causes` name them. */
export function isApplyConflict(error: unknown): error is ApiError {
  return isConflict(error) && error.causes.some(cause => cause.reason === 'FieldManagerConflict')
}

/** 410: the resourceVersion, or the continue token, is too old. */
export function isExpired(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.reason === 'Expired' || error.reason === 'Gone' || error.status === 410)
}

/** The requested resourceVersion is ahead of the server's ("Too large resource version"). */
export function isTooLarge(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  if (error.causes.some(cause => cause.reason === 'ResourceVersionTooLarge')) return true
  return (error.status === 504 || error.status === 429) && error.message.includes('Too large resource version')
}

/** 413: the request is too large; or a 500 with etcd's error for that. */
export function isRequestTooLarge(error: unknown): error is ApiError {
  if (answered(error, 413, 'RequestEntityTooLarge')) return true
  return error instanceof ApiError && error.status === 500 && error.message.includes('request is too large')
}

/** 401: the credentials were refused. */
export function isUnauthorized(error: unknown): error is ApiError {
  return answered(error, 401, 'Unauthorized')
}

/** 403: not allowed, by RBAC, a quota or an admission plugin. */
export function isForbidden(error: unknown): error is ApiError {
  return answered(error, 403, 'Forbidden')
}

/** 422: the object, the patch or the options are not valid; `causes` say which fields. */
export function isInvalid(error: unknown): error is ApiError {
  return answered(error, 422, 'Invalid')
}

/** 400: the server does not understand the request. */
export function isBadRequest(error: unknown): error is ApiError {
  return answered(error, 400, 'BadRequest')
}

/** 405: the resource does not support the request. */
export function isMethodNotAllowed(error: unknown): error is ApiError {
  return answered(error, 405, 'MethodNotAllowed')
}

/** 415: the server does not take this kind of patch for this resource. */
export function isUnsupportedMediaType(error: unknown): error is ApiError {
  return answered(error, 415, 'UnsupportedMediaType')
}

/** 429: too many requests, or a disruption budget that allows no eviction now. */
export function isTooManyRequests(error: unknown): error is ApiError {
  return answered(error, 429, 'TooManyRequests')
}

/** 503: the server, or the aggregated server behind it, can't answer now. */
export function isServiceUnavailable(error: unknown): error is ApiError {
  return answered(error, 503, 'ServiceUnavailable')
}

/** 500 and up: the server failed. */
export function isServerError(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status >= 500
}

/** No complete answer in time: `timeoutMs` passed, or the server gave up (504). */
export function isTimeout(error: unknown): error is ApiError | TimeoutError {
  return error instanceof TimeoutError || answered(error, 504, 'Timeout')
}

function answered(error: unknown, status: number, reason: string): error is ApiError {
  return error instanceof ApiError && (error.status === status || error.reason === reason)
}
