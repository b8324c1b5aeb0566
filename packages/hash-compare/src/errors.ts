/**
 * What was to be hashed or printed is no JSON: a function, a symbol, a number that is not finite, a `bigint` where none is
 * taken, `undefined` in a list, a lone surrogate, a cycle, an object of a class, or what is nested too deeply.
 */
export class NotJsonError extends TypeError {
  override readonly name = 'NotJsonError'
  readonly code = 'NOT_JSON'
  /** Where it is, as a JSON pointer (RFC 6901): `/spec/ports/0`; `''` is the value as a whole. */
  readonly path: string

  constructor(path: string, what: string) {
    super(`${place(path)} is no JSON: ${what}`)
    this.path = path
  }
}

/**
 * An integer beyond 2^53 − 1, which may have been rounded when it was read: hashed, it could pass for its neighbour (rules
 * H1, X11). Read it through an `exact()` view, and hash with `integers: 'bigint'`.
 */
export class InexactIntegerError extends TypeError {
  override readonly name = 'InexactIntegerError'
  readonly code = 'INEXACT_NUMBER'
  /** Where it is, as a JSON pointer (RFC 6901): `/spec/ports/0`; `''` is the value as a whole. */
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
