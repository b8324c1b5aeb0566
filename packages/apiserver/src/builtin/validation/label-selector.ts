import {
  type Json,
  type JsonObject,
  labelValueProblems,
  objectAt,
  objectsAt,
  own,
  qualifiedNameProblems,
  sortKeys,
  stringAt,
  stringsAt,
} from '@wherry/cel/internal'
import { labelsMatch } from '../../selectors/match.ts'
import { Causes } from './causes.ts'

/** Checks labels, and the labels of a selector. */
export function checkLabels(field: string, labels: JsonObject | undefined, causes: Causes): void {
  const reported = new Set<string>()
  for (const key of Object.keys(labels ?? {}).sort()) {
    const value = labels?.[key] as string
    causes.invalid(field, key, ...qualifiedNameProblems(key))
    // A value of several labels is reported once.
    if (!reported.has(value)) causes.invalid(field, value, ...labelValueProblems(value))
    reported.add(value)
  }
}

export function checkSelector(field: string, selector: JsonObject | undefined, causes: Causes): void {
  checkLabels(`${field}.matchLabels`, objectAt(selector, 'matchLabels'), causes)
  for (const [i, one] of objectsAt(selector, 'matchExpressions').entries()) {
    checkRequirement(`${field}.matchExpressions[${i}]`, one, causes)
  }
}

function checkRequirement(field: string, one: JsonObject, causes: Causes): void {
  const [operator, key] = [stringAt(one, 'operator') ?? '', stringAt(one, 'key') ?? '']
  const values = stringsAt(one, 'values')
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      causes.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      causes.forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
    }
  } else causes.invalid(`${field}.operator`, operator, 'not a valid selector operator')
  causes.invalid(`${field}.key`, key, ...qualifiedNameProblems(key))
  for (const [i, value] of values.entries()) {
    causes.invalid(`${field}.values[${i}]`, value, ...labelValueProblems(value))
  }
}

/** Whether a real server can make a selector of this value, because the value has no problems. */
export function isUsableSelector(selector: JsonObject | undefined): boolean {
  const causes = new Causes()
  checkSelector('', selector, causes)
  return causes.all.length === 0
}

/** Checks that a selector selects its template's labels. */
export function checkSelects(
  field: string,
  selector: JsonObject | undefined,
  labels: JsonObject | undefined,
  causes: Causes,
): void {
  // An absent selector selects nothing, and an empty selector selects everything.
  if (selector !== undefined && labelsMatch(selector, labels as Record<string, string> | undefined)) return
  causes.invalid(field, sortKeys(labels ?? null), '`selector` does not match template `labels`')
}

/** A selector as refusals quote it, with the fields in the order of its type. */
export function printedSelector(selector: JsonObject | undefined): Json {
  if (selector === undefined) return null
  const [labels, expressions] = [own(selector, 'matchLabels'), own(selector, 'matchExpressions')]
  return {
    ...(labels === undefined ? {} : { matchLabels: sortKeys(labels) }),
    ...(expressions === undefined ? {} : { matchExpressions: objectsAt(selector, 'matchExpressions').map(printedOne) }),
  }
}

function printedOne(one: JsonObject): Json {
  const values = stringsAt(one, 'values')
  const [key, operator] = [stringAt(one, 'key') ?? '', stringAt(one, 'operator') ?? '']
  return { key, operator, ...(values.length === 0 ? {} : { values }) }
}
