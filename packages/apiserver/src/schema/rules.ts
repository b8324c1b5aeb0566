import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Json, JsonObject, Schema } from '@wherry/cel/internal'
import type * as Cel from '@wherry/cel/internal/evaluator'
import type { StatusCause } from '../status.ts'

let loaded: typeof Cel | undefined

/**
 * The evaluator of rules. It is loaded at the first rule, so that a server without rules does not load it. The load is synchronous, without `import()`, because
 * a simulated clock could not wait for it.
 */
export function cel(): typeof Cel {
  loaded ??= createRequire(import.meta.url)(entry()) as typeof Cel
  return loaded
}

/** The path of the package's source next to this package, or the package itself if this package is built. */
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

/** The objections of a schema's rules (`x-kubernetes-validations`) to an object. `causes` are the ones that were found before. */
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
