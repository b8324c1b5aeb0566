import type { JsonObject, StatusCause } from '@wherry/cel/internal'
import { goQuote } from '@wherry/cel/internal/values'

export type { StatusCause } from '@wherry/cel/internal'

/** The body of an answer without an object: metav1.Status. */
export interface Status extends JsonObject {
  kind: 'Status'
  apiVersion: 'v1'
  metadata: JsonObject
  status: 'Success' | 'Failure'
  message?: string
  reason?: string
  details?: JsonObject
  code?: number
}

/** The names of a resource in messages: `configmaps`, `games.arcade.example.com`. */
export interface Named {
  readonly group: string
  readonly plural: string
  readonly kind: string
}

function qualified(of: Named): string {
  return of.group === '' ? of.plural : `${of.plural}.${of.group}`
}

function detailsOf(of: Named, name: string, kind: string): JsonObject {
  const details: JsonObject = {}
  if (name !== '') details.name = name
  if (of.group !== '') details.group = of.group
  details.kind = kind
  return details
}

/** A refusal in kube-apiserver's words and form. Thrown by verbs, sent by the server. */
export class StatusError extends Error {
  readonly code: number
  readonly reason: string
  readonly details: JsonObject | undefined
  /** Headers in addition to the body, such as Retry-After. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the answer is text/plain instead of a Status. */
  readonly plain: boolean
  /** The token in a 410's `metadata.continue`, with which the rest can still be read. */
  readonly continueToken: string | undefined

  constructor(
    code: number,
    reason: string,
    message: string,
    more: {
      readonly details?: JsonObject | undefined
      readonly headers?: Readonly<Record<string, string>> | undefined
      readonly plain?: boolean | undefined
      readonly continueToken?: string | undefined
    } = {},
  ) {
    super(message)
    this.name = 'StatusError'
    this.code = code
    this.reason = reason
    this.details = more.details
    this.headers = more.headers ?? {}
    this.plain = more.plain ?? false
    this.continueToken = more.continueToken
  }

  toStatus(): Status {
    const metadata = this.continueToken === undefined ? {} : { continue: this.continueToken }
    const status: Status = { kind: 'Status', apiVersion: 'v1', metadata, status: 'Failure', message: this.message }
    if (this.reason !== '') status.reason = this.reason
    if (this.details !== undefined) status.details = this.details
    status.code = this.code
    return status
  }

  static internal(why: string): StatusError {
    const details = { causes: [{ message: why }] }
    return new StatusError(500, 'InternalError', `Internal error occurred: ${why}`, { details })
  }

  static badRequest(message: string): StatusError {
    return new StatusError(400, 'BadRequest', message)
  }

  static notFound(of: Named, name: string): StatusError {
    return new StatusError(404, 'NotFound', `${qualified(of)} "${name}" not found`, {
      details: detailsOf(of, name, of.plural),
    })
  }

  /** The 404 for a resource or subresource that a known group version does not have. */
  static noSuchResource(): StatusError {
    return new StatusError(404, 'NotFound', 'the server could not find the requested resource', { details: {} })
  }

  /** The 404 for a path that the server does not serve: plain text, no Status. */
  static noSuchPath(): StatusError {
    return new StatusError(404, '', '404 page not found\n', {
      plain: true,
      headers: { 'x-content-type-options': 'nosniff' },
    })
  }

  static alreadyExists(of: Named, name: string, terminating: boolean): StatusError {
    const message = `${terminating ? 'object is being deleted: ' : ''}${qualified(of)} "${name}" already exists`
    return new StatusError(409, 'AlreadyExists', message, { details: detailsOf(of, name, of.plural) })
  }

  static conflict(of: Named, name: string, why: string): StatusError {
    return new StatusError(409, 'Conflict', `Operation cannot be fulfilled on ${qualified(of)} "${name}": ${why}`, {
      details: detailsOf(of, name, of.plural),
    })
  }

  static modified(of: Named, name: string): StatusError {
    return StatusError.conflict(
      of,
      name,
      'the object has been modified; please apply your changes to the latest version and try again',
    )
  }

  /** A 422. The message lists `causes` as the server does. */
  static invalid(of: Named, name: string, causes: readonly StatusCause[], kind: string = of.kind): StatusError {
    const each = causes.map(({ field, message }) => `${field}: ${message}`)
    const once = [...new Set(each)]
    const list = once.length === 1 ? once[0] : `[${once.join(', ')}]`
    const type = of.group === '' ? kind : `${kind}.${of.group}`
    return new StatusError(422, 'Invalid', `${type} ${goQuote(name)} is invalid: ${list}`, {
      details: { ...detailsOf(of, name, kind), causes: causes.map(cause => ({ ...cause })) },
    })
  }

  static forbidden(of: Named, name: string, why: string): StatusError {
    const what = name === '' ? qualified(of) : `${qualified(of)} "${name}"`
    return new StatusError(403, 'Forbidden', `${what} is forbidden: ${why}`, {
      details: detailsOf(of, name, of.plural),
    })
  }

  static expired(message: string, continueToken?: string): StatusError {
    return new StatusError(410, 'Expired', message, { continueToken })
  }

  static tooLarge(asked: number, current: number, retryAfter: number): StatusError {
    return new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        ...(retryAfter > 0 ? { retryAfterSeconds: retryAfter } : {}),
      },
      headers: retryAfter > 0 ? { 'retry-after': String(retryAfter) } : {},
    })
  }

  static methodNotAllowed(): StatusError {
    return new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {
      details: {},
    })
  }

  /** The 405 of the server of custom resources. */
  static notSupported(of: Named, verb: string): StatusError {
    const message = `${verb} is not supported on resources of kind "${qualified(of)}"`
    return new StatusError(405, 'MethodNotAllowed', message, { details: detailsOf(of, '', of.plural) })
  }

  /** The 501 for a feature that a real server has and this server has not. It is refused, never imitated. */
  static missing(what: string): StatusError {
    return new StatusError(501, 'NotImplemented', `the embedded API server does not do this: ${what}`)
  }
}

/** The Success with which a delete is answered. */
export function deleted(of: Named, name: string, uid: string): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { ...detailsOf(of, name, of.plural), uid },
  }
}
