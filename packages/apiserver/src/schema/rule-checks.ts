import type { ValidationRule } from '@wherry/cel/internal'
import {
  addAll,
  children,
  flag,
  goQuote,
  isFieldPath,
  isObject,
  type Json,
  type JsonObject,
  list,
  own,
  type Schema,
  stringAt,
} from '@wherry/cel/internal'
import type { StatusCause } from '../status.ts'
import { CostTotal, overBudget } from './rule-costs.ts'
import { cel } from './rules.ts'

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/** The causes about the form of rules, and about their expressions. */
interface Found {
  readonly written: StatusCause[]
  readonly expressions: StatusCause[]
}

/** The problems of the rules of a schema, at `path`. With `compile`, their expressions are checked, too. */
export function checkRules(raw: JsonObject, schema: Schema, path: string, compile: boolean): StatusCause[] {
  if (!schema.hasRules) return []
  const total = new CostTotal()
  const { written, expressions } = visit(
    { raw, schema, path, isResource: true, uncorrelated: undefined, times: 1 },
    {
      compile,
      total,
    },
  )
  return [...written, ...expressions, ...total.problems(path)]
}

/** A node of a schema. */
interface Place {
  readonly raw: JsonObject
  readonly schema: Schema
  readonly path: string
  readonly isResource: boolean
  /** The path of a parent list, if its items can't be matched between two states of an object. */
  readonly uncorrelated: string | undefined
  /** The maximum number of values of this node in an object; `undefined` if there is no bound. */
  readonly times: number | undefined
}

function visit(place: Place, how: { readonly compile: boolean; readonly total: CostTotal }): Found {
  const { raw, schema, path, isResource, uncorrelated } = place
  const found: Found = { written: [], expressions: [] }
  const times = timesBelow(place)
  const into = (key: string, child: Schema | undefined, rawChild: Json | undefined, above = uncorrelated): void => {
    if (child?.hasRules !== true || !isObject(rawChild)) return
    const below = { raw: rawChild, schema: child, path: `${path}.${key}`, isResource: child.embedded }
    const { written, expressions } = visit({ ...below, uncorrelated: above, times }, how)
    addAll(found.written, written)
    addAll(found.expressions, expressions)
  }
  const { additional } = schema
  into(
    'additionalProperties',
    typeof additional === 'object' ? additional : undefined,
    own(raw, 'additionalProperties'),
  )
  for (const [name, child] of children(raw, 'properties')) {
    into(`properties[${name}]`, schema.properties.get(name), child)
  }
  const isMap = stringAt(raw, 'x-kubernetes-list-type') === 'map'
  into('items', schema.items, own(raw, 'items'), isMap ? uncorrelated : (uncorrelated ?? path))
  const at = `${path}.x-kubernetes-validations`
  for (const [i, rule] of schema.rules.entries()) addAll(found.written, checkWritten(rule, schema, `${at}[${i}]`))
  if (schema.rules.length === 0 || found.written.length > 0 || !how.compile) return found
  const asResource = isResource || flag(raw, 'x-kubernetes-embedded-resource')
  const compiled = cel().compileRules(schema, asResource)
  if (compiled === undefined) {
    const why = 'internal error: failed to retrieve type information for x-kubernetes-validations'
    found.expressions.push({ reason: 'InternalError', message: `Internal error: ${why}`, field: at })
    return found
  }
  const given = list(raw, 'x-kubernetes-validations').filter(isObject)
  const costs = cel().costsOfRules(schema, asResource)
  for (const [i, one] of compiled.entries()) {
    const invalid = (field: string, value: string, why: string): void => {
      found.expressions.push({
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${value}: ${why}`,
        field: `${at}[${i}].${field}`,
      })
    }
    const spend = (field: string, what: string, cost: number): void => {
      const problem = overBudget(what, cost, `${at}[${i}].${field}`)
      if (problem !== undefined) found.expressions.push(problem)
      how.total.add(`${at}[${i}].${field}`, cost)
    }
    spend('rule', 'estimated rule cost', costs.rule(one) * (place.times ?? costs.times))
    if (one.program === undefined) invalid('rule', printRule(one.rule, given[i]), one.problem)
    if (one.messageProblem !== '') invalid('messageExpression', printRule(one.rule, given[i]), one.messageProblem)
    else if (one.message !== undefined) {
      spend('messageExpression', 'estimated messageExpression cost', costs.message(one))
    }
    if (one.usesOldSelf && uncorrelated !== undefined) {
      const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`
      invalid('rule', goQuote(one.rule.rule), why)
    } else if (!one.usesOldSelf && one.rule.optionalOldSelf !== undefined) {
      invalid('optionalOldSelf', String(one.rule.optionalOldSelf), 'may not be set if oldSelf is not used in rule')
    }
  }
  return found
}

/** The maximum number of values of a child node in an object; `undefined` if there is no bound. */
function timesBelow({ schema, times }: Place): number | undefined {
  const isMap = schema.additional !== undefined
  const type = schema.types.length === 1 ? schema.types[0] : ''
  const each = type === 'array' ? schema.maxItems : type === 'object' && isMap ? schema.maxProperties : 1
  return times === undefined || each === undefined ? undefined : times * Math.max(0, each)
}

/** A rule as the server's own type prints it. */
function printRule(rule: ValidationRule, raw: JsonObject | undefined): string {
  const printed = {
    Rule: rule.rule,
    Message: rule.message,
    MessageExpression: rule.messageExpression,
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath,
    OptionalOldSelf: raw === undefined ? null : (own(raw, 'optionalOldSelf') ?? null),
  }
  const escaped = /[<>&\u2028\u2029]/g
  return JSON.stringify(printed).replace(escaped, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The problems of a rule's form, without those of its expressions. */
function checkWritten(rule: ValidationRule, schema: Schema, at: string): StatusCause[] {
  const causes: StatusCause[] = []
  const required = (field: string, why: string): void => {
    causes.push({ reason: 'FieldValueRequired', message: `Required value: ${why}`, field: `${at}.${field}` })
  }
  const invalid = (field: string, value: string, why: string): void => {
    const message = `Invalid value: ${goQuote(value)}: ${why}`
    causes.push({ reason: 'FieldValueInvalid', message, field: `${at}.${field}` })
  }
  const message = rule.message.trim()
  const text = rule.rule.trim()
  const lines = /[\n\r]/
  if (text === '') required('rule', 'rule is not specified')
  else if (rule.message !== '' && message === '') invalid('message', rule.message, 'must be non-empty if specified')
  else if (lines.test(message)) invalid('message', rule.message, 'must not contain line breaks')
  else if (lines.test(text) && message === '') {
    required('message', 'message must be specified if rule contains line breaks')
  }
  if (rule.messageExpression !== '' && rule.messageExpression.trim() === '') {
    required('messageExpression', 'messageExpression must be non-empty if specified')
  }
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
    const supported = reasons.map(goQuote).join(', ')
    const why = `Unsupported value: ${goQuote(rule.reason)}: supported values: ${supported}`
    causes.push({ reason: 'FieldValueNotSupported', message: why, field: `${at}.reason` })
  }
  if (rule.fieldPath === '') return causes
  if (rule.fieldPath.trim() === '') invalid('fieldPath', rule.fieldPath, 'must be non-empty if specified')
  if (lines.test(rule.fieldPath)) invalid('fieldPath', rule.fieldPath, 'must not contain line breaks')
  if (!isFieldPath(rule.fieldPath, schema)) invalid('fieldPath', rule.fieldPath, 'must be a valid path')
  return causes
}
