import type { Json, JsonObject } from './json/json.ts'
import { readSchema } from './structural/schema.ts'
import { ruleProblems } from './validator.ts'

/** An `openAPIV3Schema` of a version of a definition. */
export type RuleSchema = Readonly<Record<string, unknown>>

/** The objection of a rule to an object. */
export interface RuleProblem {
  /** The path of the field, for example `spec.players`. */
  readonly field: string
  /** The reason, for example `FieldValueInvalid`. */
  readonly reason: string
  readonly message: string
}

/**
 * The objections of a schema's rules (`x-kubernetes-validations`) to an object, in the API server's words and order. Types, limits and defaults are not
 * checked.
 *
 * @param old the object before an update. With it, problems of unchanged values are ignored. Without it, rules that read `oldSelf` are not evaluated, except
 * those with `optionalOldSelf`
 *
 * @example
 * ```ts
 * import { evaluateRules } from '@wherry/cel'
 *
 * const rule = { rule: 'self.spec.players <= 8', message: 'at most 8 players' }
 * const spec = { type: 'object', properties: { players: { type: 'integer', maximum: 100 } } }
 * const schema = { type: 'object', properties: { spec }, 'x-kubernetes-validations': [rule] }
 * console.log(evaluateRules(schema, { spec: { players: 9 } })[0]?.message) // Invalid value: at most 8 players
 * ```
 */
export function evaluateRules(schema: RuleSchema, object: object, old?: object): readonly RuleProblem[] {
  const causes = ruleProblems(readSchema(schema as JsonObject), object as Json, old as Json | undefined)
  return causes.map(({ field = '', reason = '', message = '' }) => ({ field, reason, message }))
}
