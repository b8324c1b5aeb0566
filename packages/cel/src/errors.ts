/**
 * A text is no expression of CEL, or uses an unknown function, variable or field. The message has the server's words, with a line for each place.
 *
 * @example
 * ```ts
 * import { CelSyntaxError, compile } from '@wherry/cel'
 *
 * try {
 *   compile('game.players >')
 * } catch (error) {
 *   if (error instanceof CelSyntaxError) console.error(error.message)
 * }
 * ```
 */
export class CelSyntaxError extends Error {
  override readonly name = 'CelSyntaxError'
  readonly code = 'CEL_SYNTAX'
  /** The expression. */
  readonly source: string

  constructor(source: string, issues: string) {
    super(issues)
    this.source = source
  }
}

/** An expression has no result for the given values. The message has the server's words. */
export class CelEvaluationError extends Error {
  override readonly name = 'CelEvaluationError'
  readonly code = 'CEL_EVALUATION'
  /** The expression. */
  readonly source: string

  constructor(source: string, message: string) {
    super(message)
    this.source = source
  }
}
