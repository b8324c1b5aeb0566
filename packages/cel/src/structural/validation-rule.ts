import { isObject, type Json, type JsonObject, own, stringAt } from '../json/json.ts'

/** A rule of `x-kubernetes-validations`. Absent texts are `''`. */
export interface ValidationRule {
  readonly rule: string
  readonly message: string
  readonly messageExpression: string
  readonly reason: string | undefined
  readonly fieldPath: string
  readonly optionalOldSelf: boolean | undefined
}

/** The rules of a node of a raw schema. */
export function rulesOf(raw: JsonObject): ValidationRule[] {
  const rules = own(raw, 'x-kubernetes-validations')
  if (!Array.isArray(rules)) return []
  return (rules as Json[]).filter(isObject).map(rule => ({
    rule: stringAt(rule, 'rule') ?? '',
    message: stringAt(rule, 'message') ?? '',
    messageExpression: stringAt(rule, 'messageExpression') ?? '',
    reason: stringAt(rule, 'reason'),
    fieldPath: stringAt(rule, 'fieldPath') ?? '',
    optionalOldSelf: own(rule, 'optionalOldSelf') as boolean | undefined,
  }))
}
