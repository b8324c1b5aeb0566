import { Budget, OutOfBudgetError } from './cost/budget.ts'
import { TooCostlyError } from './cost/meter.ts'
import { isObject, isRawNumber, type Json, own } from './json/json.ts'
import { type CompiledRule, compileRules } from './rule.ts'
import { isIntOrString } from './schema-types.ts'
import { valueOfJson } from './schema-values.ts'
import { type Correlation, fieldOf, itemOf, unchanged } from './structural/correlation.ts'
import { fieldPath } from './structural/field-path.ts'
import { goQuote, goValue } from './structural/go-text.ts'
import type { Schema } from './structural/schema.ts'
import type { StatusCause } from './structural/status-cause.ts'
import { CelError, Optional, type Value } from './values.ts'

const compiled = new WeakMap<Schema, readonly CompiledRule[]>()

/** The compiled rules of a node. Each node is compiled once. */
function rulesOf(schema: Schema, isResource: boolean): readonly CompiledRule[] {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const rules = compileRules(schema, isResource) ?? []
  compiled.set(schema, rules)
  return rules
}

/** A value, its old value, and its path. */
interface Place {
  readonly schema: Schema
  readonly value: Json
  /** The old value. `undefined` if there was none, or if it can't be identified. */
  readonly old: Json | undefined
  readonly path: string
  readonly isResource: boolean
  readonly was: Correlation | undefined
  /** The nearest parent with a known old state. Problems of unchanged values are ignored. */
  readonly above: Correlation | undefined
}

/** The objections of a schema's rules to a value, in the server's words. `path`: the path of the value. */
export function ruleProblems(
  schema: Schema,
  value: Json,
  old?: Json | undefined,
  path = '',
  isResource = true,
): StatusCause[] {
  const causes: StatusCause[] = []
  const was = old === undefined ? undefined : { schema, value, old }
  visit({ schema, value, old, path, isResource, was, above: undefined }, { causes, budget: new Budget() })
  return causes
}

/** The causes found so far, and the remaining budget for the rules of an object. */
interface Run {
  readonly causes: StatusCause[]
  readonly budget: Budget
}

function visit(place: Place, run: Run): void {
  const { schema, value, old, path } = place
  if (value === null || !schema.hasRules) return
  evaluateRules(place, run)
  const known = place.was
  const below = { above: known ?? place.above }
  if (Array.isArray(value) && schema.items?.hasRules === true) {
    const items = schema.items
    for (const [i, item] of (value as Json[]).entries()) {
      const was = itemOf(known, i)
      visit(
        { ...below, schema: items, value: item, old: was?.old, path: `${path}[${i}]`, isResource: items.embedded, was },
        run,
      )
    }
  }
  if (!isObject(value)) return
  const before = isObject(old) ? old : {}
  for (const key of Object.keys(value).sort()) {
    const property = schema.properties.get(key)
    const inner = property ?? (typeof schema.additional === 'object' ? schema.additional : undefined)
    if (inner?.hasRules !== true) continue
    const at = property === undefined ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
    const child = { ...below, schema: inner, value: own(value, key) as Json, old: own(before, key), path: at }
    visit({ ...child, isResource: inner.embedded, was: fieldOf(known, key) }, run)
  }
}

function evaluateRules(place: Place, { causes, budget }: Run): void {
  const { schema, value, old, isResource } = place
  if (schema.rules.length === 0 || budget.isOver) return
  const self = valueOrError(() => valueOfJson(value, schema, isResource))
  const before =
    old === undefined || old === null ? undefined : valueOrError(() => valueOfJson(old, schema, isResource))
  for (const rule of rulesOf(schema, isResource)) {
    if (budget.isOver) return
    causes.push(...evaluateRule(rule, place, self, before, budget))
  }
}

function valueOrError(make: () => Value): () => Value {
  try {
    const value = make()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}

function evaluateRule(
  compiledRule: CompiledRule,
  place: Place,
  self: () => Value,
  before: (() => Value) | undefined,
  budget: Budget,
): StatusCause[] {
  const { rule, program, problem, message, usesOldSelf } = compiledRule
  const optional = rule.optionalOldSelf === true
  const shownType = JSON.stringify(typeShown(place))
  const failed = (why: string): StatusCause[] => [invalid(place.path, `Invalid value: ${shownType}: ${why}`)]
  if (program === undefined) return failed(`rule compile error: ${problem}`)
  if (usesOldSelf && before === undefined && !optional) return []
  const text = (rule.message === '' ? rule.rule : rule.message).trim()
  const variables = (): Map<string, Value | undefined> =>
    new Map<string, Value | undefined>([
      ['self', self()],
      ['oldSelf', optional ? new Optional(before?.()) : before?.()],
    ])
  const outcome = budget.evaluate(meter => program.evaluate(variables(), meter))
  if (outcome instanceof OutOfBudgetError) return failed(`validation ${outOfBudget}`)
  if (outcome === true) return []
  if (outcome instanceof CelError) {
    const why = outcome.message
    if (why.startsWith('no such overload')) {
      return failed(
        `'${why}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`,
      )
    }
    if (outcome instanceof TooCostlyError) {
      return failed(
        `'${why}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`,
      )
    }
    return failed(`${why} evaluating rule: ${text}`)
  }
  // Problems of unchanged values are ignored, except those of rules that read `oldSelf`.
  const correlation = place.was ?? place.above
  if (!usesOldSelf && correlation !== undefined && unchanged(correlation)) return []
  // As on a real server, an expression for the message has no optional `oldSelf`.
  const shown = new Map<string, Value | undefined>([
    ['self', self()],
    ['oldSelf', before?.()],
  ])
  const made = message === undefined ? undefined : budget.evaluate(meter => message.evaluate(shown, meter))
  if (made instanceof OutOfBudgetError)
    return [costlyMessage(compiledRule, place, `messageExpression evaluation ${outOfBudget}`)]
  if (made instanceof TooCostlyError) {
    const why = 'no further validation rules will be run due to call cost exceeds limit for messageExpression'
    return [costlyMessage(compiledRule, place, `${why}: ${goQuote(rule.messageExpression)}`)]
  }
  const given = made === undefined || made instanceof CelError ? undefined : usableMessage(made)
  const detail = given ?? (rule.message === '' ? `failed rule: ${text}` : text)
  return [failure(compiledRule, place, detail)]
}

const outOfBudget = 'failed due to running out of cost budget, no further validation rules will be run'
const longestMessage = 5 * 1024

/** The result of an expression for a message, if it can be used. */
export function usableMessage(value: Value): string | undefined {
  const text = String(value).trim()
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > longestMessage ? undefined : text
}

/** The path at which a rule reports its failures. */
function placeOfFailure({ rule }: CompiledRule, { schema, path }: Place): string {
  const inner = rule.fieldPath === '' ? '' : (fieldPath(rule.fieldPath, schema) ?? '')
  return inner === '' ? path : path === '' ? inner : `${path}.${inner}`
}

/** The cause for a rule with a `messageExpression` that costs too much. */
function costlyMessage(rule: CompiledRule, place: Place, why: string): StatusCause {
  return invalid(placeOfFailure(rule, place), `Invalid value: ${JSON.stringify(typeShown(place))}: ${why}`)
}

function typeShown({ schema }: Place): string {
  return isIntOrString(schema) ? '' : (schema.types[0] ?? '')
}

function failure(compiledRule: CompiledRule, place: Place, detail: string): StatusCause {
  const { rule } = compiledRule
  const { schema, value } = place
  const field = placeOfFailure(compiledRule, place)
  const composite = schema.types[0] === 'object' || schema.types[0] === 'array'
  const shown = composite && !isIntOrString(schema) ? '' : `: ${printed(value)}`
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return { reason: 'FieldValueForbidden', message: `Forbidden: ${detail}`, field: nameOf(field) }
    case 'FieldValueRequired':
      return { reason: 'FieldValueRequired', message: `Required value: ${detail}`, field: nameOf(field) }
    case 'FieldValueDuplicate':
      return { reason: 'FieldValueDuplicate', message: `Duplicate value${shown}`, field: nameOf(field) }
    default:
      return invalid(field, `Invalid value${shown}: ${detail}`)
  }
}

function printed(value: Json): string {
  return isRawNumber(value) ? value.rawJSON : goValue(value)
}

function invalid(path: string, message: string): StatusCause {
  return { reason: 'FieldValueInvalid', message, field: nameOf(path) }
}

function nameOf(path: string): string {
  return path === '' ? '<nil>' : path
}
