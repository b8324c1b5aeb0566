/**
 * The value to be hashed or printed is not JSON: a function, a symbol, a number that is not finite, a `bigint` that is not allowed, `undefined` in
 * a list, a lone surrogate, a cycle, an object of a class, or a value that is nested too deeply.
 *
 * @example
 * ```ts
 * import { hash, InexactIntegerError, NotJsonError } from '@wherry/hash-compare'
 *
 * try {
 *   hash({ spec: { endsAt: new Date() } })
 * } catch (error) {
 *   if (!(error instanceof NotJsonError || error instanceof InexactIntegerError)) throw error
 *   console.error(error.path, error.message) // /spec/endsAt …
 * }
 * ```
 */
export class NotJsonError extends TypeError {
  override readonly name = 'NotJsonError'
  readonly code = 'NOT_JSON'
  /** The position, as a JSON pointer (RFC 6901): `/spec/ports/0`; `''` is the whole value. */
  readonly path: string

  constructor(path: string, what: string) {
    super(`${place(path)} is not JSON: ${what}`)
    this.path = path
  }
}

/**
 * An integer beyond 2^53 − 1, which may have been rounded when it was read, so its hash could match that of another integer (rules H1, X11). Read
 * the object through an `exact()` view, and hash with `integers: 'bigint'`.
 */
export class InexactIntegerError extends TypeError {
  override readonly name = 'InexactIntegerError'
  readonly code = 'INEXACT_INTEGER'
  /** The position, as a JSON pointer (RFC 6901): `/spec/ports/0`; `''` is the whole value. */
  readonly path: string

  constructor(path: string) {
    super(`${place(path)} is an integer beyond 2^53 - 1, which a number does not hold exactly`)
    this.path = path
  }
}

function place(path: string): string {
  if (path === '') return 'the value'
  return `the value at ${path.length <= 400 ? path : `${path.slice(0, 200)} … ${path.slice(-200)}`}`
}
