import { OptionTypeError } from '@wherry/client'

/** One thing in a schema that a CustomResourceDefinition can't express. */
export interface SchemaProblem {
  /** The field, as `kubectl explain` names it, with `[]` for the items of a list and `{}` for the values of a map: `spec.players[].name`. */
  readonly path: string
  /** The problem, and what to do. */
  readonly message: string
}

/** An error that names all of them, each on a line of its own. */
export function problemsError(problems: readonly SchemaProblem[]): OptionTypeError {
  const message = problems.map(one => `${one.path}: ${one.message}`).join('\n')
  return new OptionTypeError(problems[0]?.path ?? '', 'what a CustomResourceDefinition can express', '', message)
}
