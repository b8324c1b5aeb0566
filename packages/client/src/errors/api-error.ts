import type { RequestInfo } from './request-info.ts'
import { subject } from './request-info.ts'

/** A cause in a `Status`. */
export interface StatusCause {
  /** `FieldValueInvalid`, `FieldManagerConflict`, `ResourceVersionTooLarge`, … */
  readonly reason: string
  readonly message: string
  /** The field's path, for example `spec.replicas`. */
  readonly field: string
}

/** The details of a `Status` about its object. `kind` is the plural or the kind, depending on the server. */
export interface StatusDetails {
  readonly name?: string | undefined
  readonly group?: string | undefined
  readonly kind?: string | undefined
  readonly uid?: string | undefined
}

/** The parts of an {@link ApiError}. */
export interface ApiErrorParts {
  /** The HTTP status, or the `code` of a `Status` inside a stream. */
  readonly status: number
  readonly reason?: string | undefined
  readonly message: string
  readonly causes?: readonly StatusCause[] | undefined
  readonly details?: StatusDetails | undefined
  readonly retryAfterMs?: number | undefined
  readonly continueToken?: string | undefined
}

/**
 * The API server refused a request. Guards such as `isNotFound` say why.
 *
 * It contains no header and no body of the request or the answer. The client's own credentials are removed from the server's message. For Secrets,
 * and for reviews and requests of tokens, the message is built from the reason, the names in the request, and the fields of the causes, because the
 * server's own words can quote the object.
 *
 * @example
 * ```ts
 * import { ApiError, Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 *
 * const client = await Client.connect()
 * try {
 *   await client.create(configMaps, { metadata: { name: 'Settings', namespace: 'arcade' } })
 * } catch (error) {
 *   if (!(error instanceof ApiError)) throw error
 *   console.error(error.status, error.reason) // 422 Invalid
 *   for (const { field, message } of error.causes) console.error(field, message) // metadata.name …
 * }
 * ```
 */
export class ApiError extends Error {
  override readonly name: string = 'ApiError'
  readonly code: string = 'API_ERROR'
  /** The HTTP status. */
  readonly status: number
  /** The reason of the `Status`; `''` if there was none, for example for plain text. */
  readonly reason: string
  readonly causes: readonly StatusCause[]
  readonly details: StatusDetails
  /** How long to wait before a retry, as the server says, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /**
   * The token to continue a list after its own token has expired (410): after its last item, but in the current state. Earlier and later pages are then
   * of different states.
   */
  readonly continueToken: string | undefined
  readonly method: string
  /** The request's path, without its query. */
  readonly path: string
  /** `group/version/plural`, if the request was about a resource. */
  readonly resource: string | undefined
  /** `namespace/name` or `name`, if the request was about one object. */
  readonly key: string | undefined

  constructor(parts: ApiErrorParts, about: RequestInfo) {
    const reason = parts.reason === undefined || parts.reason === '' ? '' : ` ${parts.reason}`
    super(`${subject(about)}: ${parts.status}${reason}: ${parts.message}`)
    this.status = parts.status
    this.reason = parts.reason ?? ''
    this.causes = parts.causes ?? []
    this.details = parts.details ?? {}
    this.retryAfterMs = parts.retryAfterMs
    this.continueToken = parts.continueToken
    this.method = about.method
    this.path = about.path
    this.resource = about.resource
    this.key = about.key
  }
}

/** The server does not know the resource: it has no such group, version or plural (rule D7). A missing object is a different error. */
export class ResourceNotFoundError extends ApiError {
  override readonly name = 'ResourceNotFoundError'
  override readonly code = 'RESOURCE_NOT_FOUND'
}
