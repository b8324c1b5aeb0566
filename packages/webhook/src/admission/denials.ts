import { OptionRangeError, OptionTypeError } from '@wherry/client'
import { checkOptions, integer, text } from '@wherry/client/internal'
import type { DenyOptions } from '../handler/context.ts'

/** The fields of a `Status` in an answer. */
export interface AnswerStatus {
  readonly code: number
  readonly message: string
  readonly reason?: string | undefined
  readonly details?: { readonly causes: readonly StatusCause[] } | undefined
}

/** A reason of a refusal. */
export interface StatusCause {
  readonly message: string
  readonly field?: string | undefined
}

const reasons: Readonly<Record<number, string>> = {
  ...{ 400: 'BadRequest', 403: 'Forbidden', 404: 'NotFound', 409: 'Conflict', 422: 'Invalid' },
  ...{ 429: 'TooManyRequests', 500: 'InternalError', 503: 'ServiceUnavailable', 504: 'Timeout' },
}

/** A refusal for a single reason. */
export function refusal(code: number, message: string): AnswerStatus {
  const reason = reasons[code]
  return { code, message, ...(reason !== undefined && { reason }) }
}

/** The denials and warnings of one run of a handler so far. */
export class Denials {
  readonly #causes: StatusCause[] = []
  readonly warnings: string[] = []
  #code: number | undefined

  deny(message: string, options: DenyOptions = {}): void {
    shown('deny.message', message)
    checkOptions('deny', options, { field: text, code: integer(400, 599) })
    const { field, code = 403 } = options
    this.#code ??= code
    this.#causes.push({ message, ...(field !== undefined && { field }) })
  }

  warn(message: string): void {
    shown('warn.message', message)
    this.warnings.push(message)
  }

  /** The refusal with all denials; `undefined` if there is none. */
  get status(): AnswerStatus | undefined {
    if (this.#code === undefined) return undefined
    const lines = this.#causes.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`))
    return { ...refusal(this.#code, lines.join('; ')), details: { causes: this.#causes } }
  }
}

/** Checks a message. It may have several lines, but must not be empty. @throws OptionTypeError, OptionRangeError */
function shown(option: string, value: unknown): void {
  if (typeof value !== 'string') throw new OptionTypeError(option, 'a text', typeof value)
  if (value.trim() === '') throw new OptionRangeError(option, 'a text that says why', 'an empty text')
}
