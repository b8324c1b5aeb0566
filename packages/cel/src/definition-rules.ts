import type { JsonObject } from './json/json.ts'
import { compileRules } from './rule.ts'
import type { RuleSchema } from './schema-rules.ts'
import { readSchema, type Schema } from './structural/schema.ts'

/** A rule of a schema with an expression that an API server would refuse. */
export interface DefinitionRuleProblem {
  /** The field with the rule: `spec.players[].name`, with `{}` for the values of a map. Empty for the whole object. */
  readonly path: string
  /** The part of the rule, for example `x-kubernetes-validations[0].rule`. */
  readonly part: string
  /** The message, in the API server's words. */
  readonly message: string
}

/**
 * The rules (`x-kubernetes-validations`) of an `openAPIV3Schema` with expressions that an API server would refuse. Neither costs nor the places where `oldSelf`
 * may be used are checked.
 */
export function definitionRuleProblems(schema: RuleSchema): readonly DefinitionRuleProblem[] {
  return problemsBelow(readSchema(schema as JsonObject), '', true)
}

function problemsBelow(schema: Schema, path: string, isResource: boolean): DefinitionRuleProblem[] {
  if (!schema.hasRules) return []
  const { additional, items, properties } = schema
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const below = [
    ...[...properties].flatMap(([name, one]) => problemsBelow(one, at(name), one.embedded)),
    ...(items === undefined ? [] : problemsBelow(items, `${path}[]`, items.embedded)),
    ...(typeof additional === 'object' ? problemsBelow(additional, `${path}{}`, additional.embedded) : []),
  ]
  if (schema.rules.length === 0) return below
  const compiled = compileRules(schema, isResource || schema.embedded)
  if (compiled === undefined) {
    const message = 'its fields have no types that a rule can see'
    return [...below, { path, part: 'x-kubernetes-validations', message }]
  }
  const own = compiled.flatMap(({ problem, messageProblem }, i) => {
    const part = `x-kubernetes-validations[${i}]`
    return [
      ...(problem === '' ? [] : [{ path, part: `${part}.rule`, message: problem }]),
      ...(messageProblem === '' ? [] : [{ path, part: `${part}.messageExpression`, message: messageProblem }]),
    ]
  })
  return [...below, ...own]
}
