import type { ResponseHeaders } from '../transport.ts'
import {
  ApiError,
  type ApiErrorParts,
  ResourceNotFoundError,
  type StatusCause,
  type StatusDetails,
} from './api-error.ts'
import { type Redact, withoutCredentials } from './redact.ts'
import type { RequestInfo } from './request-info.ts'
import { sensitiveParts, sensitiveText } from './sensitive-answer.ts'

/** The maximum size of a refusal's body, in bytes. A longer one is reported only by its HTTP status. */
export const maxStatusBytes: number = 1024 * 1024

/**
 * Makes the error of a refusal. `redact` hides the client's credentials in the server's texts.
 * @param body a `Status`, or any text; `undefined` if it was longer than {@link maxStatusBytes}
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
  if (record(value).kind === 'Status') return errorOfStatus(value, about, { status, retryAfterMs, redact })
  const message = about.sensitive === true ? sensitiveText(text) : redact(text.trim()) || 'no message'
  const parts = { status, message, retryAfterMs }
  return status === 404 ? new ResourceNotFoundError(parts, about) : new ApiError(parts, about)
}

/** Makes the error of a `Status`. A `Status` in a stream (`type: ERROR`) has the HTTP status in its `code`. */
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
  const causes = (Array.isArray(details.causes) ? details.causes : []).slice(0, 1000).map(cause => {
    const { reason, message, field } = record(cause)
    return { reason: string(reason) ?? '', message: string(message) ?? '', field: string(field) ?? '' }
  })
  const said: Said = {
    reason: string(body.reason) ?? '',
    message: string(body.message) ?? '',
    causes,
    details: {
      name: string(details.name),
      group: string(details.group),
      kind: string(details.kind),
      uid: string(details.uid),
    },
  }
  const token = string(record(body.metadata).continue)
  const parts: ApiErrorParts = {
    status,
    ...(about.sensitive === true ? sensitiveParts(said, about) : redactedParts(said, about, redact)),
    retryAfterMs: answer.retryAfterMs ?? fromBody,
    continueToken: token === undefined ? undefined : redact(token),
  }
  const isUnknownResource = status === 404 && said.details.name === undefined && said.details.kind === undefined
  return isUnknownResource ? new ResourceNotFoundError(parts, about) : new ApiError(parts, about)
}

/** The texts of a `Status`. A missing text is empty. */
export interface Said {
  readonly reason: string
  readonly message: string
  readonly causes: readonly StatusCause[]
  readonly details: StatusDetails
}

function redactedParts({ reason, message, causes, details }: Said, about: RequestInfo, redact: Redact): Said {
  // Names of the request stay, even if a credential is the same word, because callers branch on them.
  const own = [about.resource, about.key].flatMap(one => one?.split('/') ?? [])
  const identity = (text: string | undefined): string | undefined =>
    text === undefined || own.includes(text) ? text : redact(text)
  return {
    reason: redact(reason),
    message: redact(message) || 'no message',
    causes: causes.map(cause => ({
      reason: redact(cause.reason),
      message: redact(cause.message),
      field: redact(cause.field),
    })),
    details: {
      name: identity(details.name),
      group: identity(details.group),
      kind: identity(details.kind),
      uid: identity(details.uid),
    },
  }
}

/** `Retry-After` in milliseconds. Kubernetes sends seconds. A date, which a proxy can send, is not read. */
export function retryAfterOf(headers: ResponseHeaders): number | undefined {
  const value = headers['retry-after']
  const text = typeof value === 'string' ? value : value?.[0]
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) * 1000 : undefined
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
