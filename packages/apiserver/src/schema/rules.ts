import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Json, JsonObject, Schema } from '@wherry/cel/internal'
import type * as Cel from '@wherry/cel/internal/evaluator'
import type { StatusCause } from '../status.ts'

let loaded: typeof Cel | undefined

/**
 * The evaluator of rules, loaded as the first rule is met: a server without rules does not pay for it. It is loaded at
 * once, and not by `import()`: a simulated clock could not wait for that.
 */
export function cel(): typeof Cel {
  loaded ??= createRequire(import.meta.url)(entry()) as typeof Cel
  return loaded
}

/** The source of the package next to this one; from the built package, the package itself. */
function entry(): string {
  const here = import.meta.url
  if (!here.endsWith('.ts')) return '@wherry/cel/internal/evaluator'
  return fileURLToPath(new URL('../../../cel/src/internal/evaluator.ts', here))
}

const blocking = new Set([
  ...['FieldValueNotSupported', 'FieldValueRequired', 'FieldValueTooLong', 'FieldValueTooMany'],
  'FieldValueTypeInvalid',
])
const unchecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

/** What the rules of a schema (`x-kubernetes-validations`) have against an object, which `causes` were found in already. */
export function problemsOfRules(
  schema: Schema,
  object: JsonObject,
  old: JsonObject | undefined,
  causes: readonly StatusCause[],
): StatusCause[] {
  if (!schema.hasRules) return []
  if (causes.some(({ reason = '' }) => blocking.has(reason))) {
    return [{ reason: 'FieldValueInvalid', message: `Invalid value: null: ${unchecked}`, field: '<nil>' }]
  }
  return cel().ruleProblems(schema, object as Json, old)
}
