import type { ResponseHeaders } from '../transport.ts'
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
 * The API server's answer was a refusal. Guards such as `isNotFound` tell which. Has no header and no
 * body of the request or the answer: neither tokens nor a Secret's data (rule X3).
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

/** Most bytes of a refusal's body that are read: what is longer is told by its HTTP status alone (rule X4). */
export const maxStatusBytes: number = 1024 * 1024

/** Most characters of a message that are kept. */
const maxMessage = 4096

/**
 * The error for a refusal.
 *
 * @param body what was read of the body: a `Status`, or any text; `undefined` where it was longer
 *   than {@link maxStatusBytes}.
 */
export function errorOfAnswer(
  status: number,
  headers: ResponseHeaders,
  body: Uint8Array | undefined,
  about: RequestInfo,
): ApiError {
  const retryAfterMs = retryAfterOf(headers)
  if (body === undefined) {
    const message = `the answer's body is longer than ${maxStatusBytes} bytes and was not read`
    return new ApiError({ status, message, retryAfterMs }, about)
  }
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
  const value = parsed(text)
  if (isStatus(value)) return errorOfStatus(value, about, { status, retryAfterMs })
  const message = clipped(hidden(text.trim(), about)) || 'no message'
  if (status === 404) return new ResourceNotFoundError({ status, message, retryAfterMs }, about)
  return new ApiError({ status, message, retryAfterMs }, about)
}

/** The error for a `Status`, as it also comes in a stream (`type: ERROR`) with its own `code` for a status. */
export function errorOfStatus(
  value: unknown,
  about: RequestInfo,
  answer: { readonly status?: number | undefined; readonly retryAfterMs?: number | undefined } = {},
): ApiError {
  const body = record(value)
  const details = record(body.details)
  const seconds = details.retryAfterSeconds
  const fromBody = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined
  const status = answer.status ?? (typeof body.code === 'number' ? body.code : 500)
  const parts: ApiErrorParts = {
    status,
    reason: string(body.reason),
    message: clipped(hidden(string(body.message) ?? 'no message', about)),
    causes: (Array.isArray(details.causes) ? details.causes : []).slice(0, 1000).map(cause => {
      const { reason, message, field } = record(cause)
      return {
        reason: string(reason) ?? '',
        message: clipped(hidden(string(message) ?? '', about)),
        field: string(field) ?? '',
      }
    }),
    details: {
      name: string(details.name),
      group: string(details.group),
      kind: string(details.kind),
      uid: string(details.uid),
    },
    retryAfterMs: answer.retryAfterMs ?? fromBody,
    continueToken: string(record(body.metadata).continue),
  }
  const unknownResource = status === 404 && string(details.name) === undefined && string(details.kind) === undefined
  return unknownResource ? new ResourceNotFoundError(parts, about) : new ApiError(parts, about)
}

/** `Retry-After` in milliseconds. Kubernetes sends seconds; a date, as a proxy might send, is not read. */
export function retryAfterOf(headers: ResponseHeaders): number | undefined {
  const value = headers['retry-after']
  const text = typeof value === 'string' ? value : value?.[0]
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) * 1000 : undefined
}

function isStatus(value: unknown): boolean {
  return record(value).kind === 'Status'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function record(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}
}

function string(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A refused Secret's values may be quoted in the refusal: what follows "Invalid value:" is cut out. */
function hidden(text: string, about: RequestInfo): string {
  if (about.sensitive !== true) return text
  return text.replace(/((?:Invalid|Duplicate|Unsupported) value: )("(?:[^"\\]|\\.)*"|\S+)/gs, '$1(hidden)')
}

function clipped(text: string): string {
  return text.length > maxMessage ? `${text.slice(0, maxMessage)}…` : text
}
