import { OptionTypeError } from '@wherry/client'

/** A part of a schema that a CustomResourceDefinition can't express. */
export interface SchemaProblem {
  /** The path of the field, as in `kubectl explain`, with `[]` for the items of a list and `{}` for the values of a map: `spec.players[].name`. */
  readonly path: string
  /** The problem and its remedy. */
  readonly message: string
}

/** An error that lists all problems, a line each. */
export function problemsError(problems: readonly SchemaProblem[]): OptionTypeError {
  const message = problems.map(one => `${one.path}: ${one.message}`).join('\n')
  return new OptionTypeError(problems[0]?.path ?? '', 'what a CustomResourceDefinition can express', '', message)
}
