/** Why an object could not be converted. */
export type ConversionErrorCode =
  /** The converter threw an {@link UnconvertibleError}. */
  | 'UNCONVERTIBLE'
  /** The converter threw something else. */
  | 'THROWN'
  /** The converter did not end in time. */
  | 'DEADLINE'
  /** The converter changed `apiVersion`, `kind`, or metadata other than labels and annotations. */
  | 'FORBIDDEN_CHANGE'
  /** The converter returned a value that JSON does not have, or no object. */
  | 'NOT_JSON'
  /** The object has an integer that JavaScript would round. */
  | 'ROUNDED_INTEGER'
  /** The version is not declared. */
  | 'UNKNOWN_VERSION'
  /** The object is of another kind. */
  | 'OTHER_KIND'

/** An object could not be converted. The message has the object and the reason, but not the text of a converter's error, which is the `cause`. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError'
  readonly code: ConversionErrorCode
  /** `NAMESPACE/NAME` of the object. */
  readonly key: string
  /** A JSON pointer; `''` if the error is not about a field. */
  readonly path: string
  /** The problem, without the name of the object. */
  readonly why: string

  constructor(code: ConversionErrorCode, key: string, path: string, why: string, cause?: unknown) {
    super(`${key}: ${why}`, { cause })
    this.code = code
    this.key = key
    this.path = path
    this.why = why
  }
}

/** Whether an error is a {@link ConversionError}, by its name, because the conversion may be of another copy of this package. */
export function isConversionError(error: unknown): error is ConversionError {
  return error instanceof Error && error.name === 'ConversionError' && 'why' in error
}

/**
 * Thrown by a converter if the object has no counterpart in the other version. Every user that requests the object sees the message. For other errors,
 * users see only the class, and the operator's log has the text.
 *
 * @example
 * ```ts
 * import { UnconvertibleError } from '@wherry/webhook'
 *
 * const levels = new Map([['easy', 1], ['hard', 9]])
 * export function levelOf(word: string): number {
 *   const level = levels.get(word)
 *   if (level === undefined) throw new UnconvertibleError(`no level is called ${word}`, { field: 'spec.level' })
 *   return level
 * }
 * ```
 */
export class UnconvertibleError extends Error {
  override readonly name = 'UnconvertibleError'
  readonly code = 'UNCONVERTIBLE'
  /** The path of the field, such as `spec.level`; `undefined` if the error is not about a field. */
  readonly field: string | undefined

  constructor(message: string, { field }: { readonly field?: string | undefined } = {}) {
    super(message)
    this.field = field
  }
}
