import type { RequestInfo } from './request-info.ts'
import { subject } from './request-info.ts'

/** One of the causes that a `Status` lists. */
export interface StatusCause {
  /** `FieldValueInvalid`, `FieldManagerConflict`, `ResourceVersionTooLarge`, … */
  readonly reason: string
  readonly message: string
  /** Path of the field, e.g. `spec.replicas`. */
  readonly field: string
}

/** What a `Status` says about its object. `kind` is the plural or the kind, as the server pleases. */
export interface StatusDetails {
  readonly name?: string | undefined
  readonly group?: string | undefined
  readonly kind?: string | undefined
  readonly uid?: string | undefined
}

/** What {@link ApiError} is made of. */
export interface ApiErrorParts {
  /** HTTP status, or the `code` of a `Status` that came inside a stream. */
  readonly status: number
  readonly reason?: string | undefined
  readonly message: string
  readonly causes?: readonly StatusCause[] | undefined
  readonly details?: StatusDetails | undefined
  readonly retryAfterMs?: number | undefined
  readonly continueToken?: string | undefined
}

/**
 * The API server's answer was a refusal. Guards such as `isNotFound` tell which.
 *
 * Contains no header and no body of the request or the answer. The client's own credentials are hidden in what the server
 * says. For Secrets, and for reviews and requests of tokens, the message is made from the reason, the names that the request
 * itself contains, and the fields of the causes, because a server's own words can quote the object.
 */
export class ApiError extends Error {
  override readonly name: string = 'ApiError'
  readonly code: string = 'API_ERROR'
  /** HTTP status. */
  readonly status: number
  /** The `Status`' reason; `''` where the server gave none, as for a plain text. */
  readonly reason: string
  readonly causes: readonly StatusCause[]
  readonly details: StatusDetails
  /** How long the server wants us to wait before we try again, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /**
   * Where a list may go on whose own token has expired (410): after the last item that it gave, but as
   * things are now. The pages before and after it are then of different times.
   */
  readonly continueToken: string | undefined
  readonly method: string
  /** Path of the request, without its query. */
  readonly path: string
  /** `group/version/plural`, where the request was about a resource. */
  readonly resource: string | undefined
  /** `namespace/name` or `name`, where the request was about one object. */
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

/**
 * The server does not know the resource: no such group, version or plural (rule D7). Not the answer
 * for an object that is not there.
 */
export class ResourceNotFoundError extends ApiError {
  override readonly name = 'ResourceNotFoundError'
  override readonly code = 'RESOURCE_NOT_FOUND'
}
