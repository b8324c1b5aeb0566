import type { ResponseHeaders } from '../transport.ts'
import { withoutCredentials } from './known-secrets.ts'
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
 * Has no header and no body of the request or the answer, and the client's own credentials are cut out of what the server
 * says. Of Secrets, and of reviews and requests of tokens, it says no more than the reason, and of each cause reason and
 * field: a server's words may quote them.
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
 * The error for a refusal. `redact` hides the client's own credentials in what the server says.
 *
 * @param body what was read of the body: a `Status`, or any text; `undefined` where it was longer
 *   than {@link maxStatusBytes}.
 */
export function errorOfAnswer(
  status: number,
  headers: ResponseHeaders,
  body: Uint8Array | undefined,
  about: RequestInfo,
  redact: Redact = withoutCredentials,
): ApiError {
  const retryAfterMs = retryAfterOf(headers)
  if (body === undefined) {
    const message = `the answer's body is longer than ${maxStatusBytes} bytes and was not read`
    return new ApiError({ status, message, retryAfterMs }, about)
  }
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
  const value = parsed(text)
  if (isStatus(value)) return errorOfStatus(value, about, { status, retryAfterMs, redact })
  const message = about.sensitive === true ? unshown(text) : clipped(redact(text.trim())) || 'no message'
  if (status === 404) return new ResourceNotFoundError({ status, message, retryAfterMs }, about)
  return new ApiError({ status, message, retryAfterMs }, about)
}

/** The error for a `Status`, as it also comes in a stream (`type: ERROR`) with its own `code` for a status. */
export function errorOfStatus(
  value: unknown,
  about: RequestInfo,
  answer: {
    readonly status?: number | undefined
    readonly retryAfterMs?: number | undefined
    readonly redact?: Redact | undefined
  } = {},
): ApiError {
  const { redact = withoutCredentials } = answer
  const body = record(value)
  const details = record(body.details)
  const seconds = details.retryAfterSeconds
  const fromBody = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined
  const status = answer.status ?? (typeof body.code === 'number' ? body.code : 500)
  const text = (value: unknown): string | undefined => {
    const given = string(value)
    return given === undefined ? undefined : clipped(redact(given))
  }
  // What the request says itself is no secret, even where a token happens to be the same word.
  const own = [about.resource, about.key].flatMap(one => one?.split('/') ?? [])
  const identity = (value: unknown): string | undefined => (own.includes(value as string) ? string(value) : text(value))
  const causes = (Array.isArray(details.causes) ? details.causes : []).slice(0, 1000).map(record)
  const parts: ApiErrorParts = {
    status,
    ...(about.sensitive === true
      ? wordless(body, details, causes, about)
      : {
          reason: knownReason(body.reason) ?? text(body.reason),
          message: text(body.message) ?? 'no message',
          causes: causes.map(({ reason, message, field }) => ({
            reason: knownReason(reason) ?? text(reason) ?? '',
            message: text(message) ?? '',
            field: text(field) ?? '',
          })),
          details: {
            name: identity(details.name),
            group: identity(details.group),
            kind: identity(details.kind),
            uid: text(details.uid),
          },
        }),
    retryAfterMs: answer.retryAfterMs ?? fromBody,
    continueToken: text(record(body.metadata).continue),
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

/** Hides a client's own credentials in a text. */
export type Redact = (text: string) => string

/**
 * What is told of a `Status` about a secret. All of it may be a webhook's words, and quote the object: what is told is of a
 * known form, or what the request says itself.
 */
function wordless(
  { reason, message }: Record<string, unknown>,
  { name, kind, uid }: Record<string, unknown>,
  causes: readonly Record<string, unknown>[],
  { resource, key }: RequestInfo,
): Pick<ApiErrorParts, 'reason' | 'message' | 'causes' | 'details'> {
  const [plural, , group] = resource?.split('/').reverse() ?? []
  const told = causes.map(cause => ({
    reason: knownReason(cause.reason) ?? '',
    message: '',
    field: fieldPath(cause.field) ?? '',
  }))
  const fields = told.filter(({ field }) => field !== '').map(one => `${one.field} ${one.reason}`.trim())
  const where = fields.length === 0 ? '' : `${clipped(fields.join(', '))} `
  return {
    reason: knownReason(reason),
    message: where + unshown(string(message) ?? ''),
    causes: told,
    details: {
      name: string(name) !== undefined && name === key?.split('/').at(-1) ? `${name}` : undefined,
      group: string(kind) === undefined ? undefined : group,
      kind: string(kind) === undefined ? undefined : plural,
      uid: typeof uid === 'string' && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(uid) ? uid : undefined,
    },
  }
}

/** What stands for a server's words about a secret. Those that decide what is to be done are the API server's own. */
function unshown(words: string): string {
  const known = ownWords.find(one => words.includes(one))
  return `${known === undefined ? '' : `${known} `}(the server's message is not shown: the resource is sensitive)`
}

const ownWords = ['Too large resource version', 'request is too large']

/** `reason` if it is one that Kubernetes has: a webhook may answer with any text. */
function knownReason(reason: unknown): string | undefined {
  return typeof reason === 'string' && reasons.has(reason) ? reason : undefined
}

const reasons: ReadonlySet<string> = new Set(
  [
    'Unauthorized Forbidden NotFound AlreadyExists Conflict Gone Invalid ServerTimeout StoreReadError Timeout',
    'TooManyRequests BadRequest MethodNotAllowed NotAcceptable RequestEntityTooLarge UnsupportedMediaType InternalError',
    'Expired ServiceUnavailable FieldValueNotFound FieldValueRequired FieldValueDuplicate FieldValueInvalid',
    'FieldValueNotSupported FieldValueForbidden FieldValueTooLong FieldValueTooMany FieldValueTypeInvalid',
    'UnexpectedServerResponse FieldManagerConflict ResourceVersionTooLarge NamespaceTerminating DisruptionBudget',
  ].flatMap(line => line.split(' ')),
)

/** `field` if it has the form of a path: no text, and no value, has it. */
function fieldPath(field: unknown): string | undefined {
  return typeof field === 'string' && /^[\w.[\]/-]{1,512}$/.test(field) ? field : undefined
}

function clipped(text: string): string {
  return text.length > maxMessage ? `${text.slice(0, maxMessage)}…` : text
}
