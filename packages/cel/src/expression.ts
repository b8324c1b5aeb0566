import { compile as compileProgram } from './compile.ts'
import { dynamicValue } from './dynamic-values.ts'
import { CelEvaluationError, CelSyntaxError } from './errors.ts'
import type { Json } from './json/json.ts'
import { jsonOf, MutationError } from './mutation.ts'
import { readType } from './types.ts'
import { CelError } from './values.ts'

/** Options of {@link compile}. */
export interface CelOptions {
  /** The names of the variables that the expression may read. Each may be any value of JSON. @default none */
  readonly variables?: readonly string[] | undefined
}

/** An expression that can be evaluated. */
export interface CelExpression {
  readonly source: string
  /** The variables that the expression reads. */
  readonly reads: readonly string[]
  /**
   * The result, as JSON. An integer beyond 2^53 − 1 is a `JSON.rawJSON`, which keeps all its digits. A variable without a value is null.
   *
   * @throws CelEvaluationError with the server's words, for example for a missing key; also if the result has no JSON, for example a timestamp or `0.0 / 0.0`
   */
  evaluate(values?: Readonly<Record<string, unknown>>): unknown
}

/**
 * Compiles an expression with the functions that an API server has (strings, lists, regular expressions, URLs, addresses, quantities, formats).
 *
 * @throws CelSyntaxError
 *
 * @example
 * ```ts
 * import { compile } from '@wherry/cel'
 *
 * const isLarge = compile('game.players > limit', { variables: ['game', 'limit'] })
 * console.log(isLarge.evaluate({ game: { players: 9 }, limit: 8 })) // true
 * ```
 */
export function compile(source: string, { variables = [] }: CelOptions = {}): CelExpression {
  const types = new Map(variables.map(name => [name, readType('dyn')]))
  const program = compileProgram(source, types)
  if ('issues' in program) throw new CelSyntaxError(source, program.issues)
  return {
    source,
    reads: [...program.reads],
    evaluate: (values = {}) => {
      const given = variables.map(name => [name, dynamicValue(values[name] as Json | undefined, false)] as const)
      try {
        return jsonOf(program.evaluate(new Map(given)))
      } catch (error) {
        if (error instanceof CelError || error instanceof MutationError)
          throw new CelEvaluationError(source, error.message)
        throw error
      }
    },
  }
}
