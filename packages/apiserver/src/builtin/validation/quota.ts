import {
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  qualifiedNameProblems,
  stringAt,
  stringsAt,
} from '@wherry/cel/internal'
import { invalid } from '../../metadata/validate.ts'
import type { KubeObject } from '../../objects/object.ts'
import type { StatusCause } from '../../status.ts'
import { isLess, numberOf } from '../quantity.ts'
import type { Causes, Check } from './causes.ts'
import {
  checkAmount,
  containerResourceProblems,
  isOfQuotas,
  mayOvercommit,
  quotaResourceProblems,
  resourceProblems,
} from './resources.ts'
import { checkOf, entries, type Rule } from './rules.ts'

const ofPods = ['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']
/** The resources that a quota with a scope can limit. */
const limitedBy: Readonly<Record<string, readonly string[]>> = {
  Terminating: ofPods,
  NotTerminating: ofPods,
  BestEffort: ['pods'],
  NotBestEffort: ofPods,
  PriorityClass: ofPods,
  CrossNamespacePodAffinity: ofPods,
  VolumeAttributesClass: ['persistentvolumeclaims', 'requests.storage'],
}
/** The scopes that exclude their opposites: `BestEffort` and `NotBestEffort`. */
const opposites = ['BestEffort', 'Terminating']
/** The scopes that have values, by which a quota can select. */
const withValues = ['PriorityClass', 'VolumeAttributesClass']
const mustExist =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

const amounts: Rule = entries((at, name, amount, causes) => {
  causes.invalid(at, name, ...quotaResourceProblems(name))
  checkAmount(at, name, amount, causes)
})

export const checkQuota: Check = checkOf({ 'spec.hard': amounts, spec: checkScopes })

export const checkQuotaStatus: Check = checkOf({ 'status.hard': amounts, 'status.used': amounts })

/** The problems of a quota that replaces another: its scopes can't change. */
export function quotaProblems(quota: KubeObject, old: KubeObject | undefined): StatusCause[] {
  if (old === undefined) return []
  const [now, before] = [quota, old].map(one => stringsAt(objectAt(one, 'spec'), 'scopes')) as [string[], string[]]
  const isSame = now.every(one => before.includes(one)) && before.every(one => now.includes(one))
  return isSame ? [] : [invalid('spec.scopes', now.length === 0 ? null : now, 'field is immutable')]
}

function checkScopes(at: string, spec: Json | undefined, causes: Causes): void {
  if (!isObject(spec)) return
  const scopes = stringsAt(spec, 'scopes')
  const known = Object.keys(objectAt(spec, 'hard') ?? {}).filter(isOfQuotas)
  const isLimitedBy = (scope: string) => (name: string) => own(limitedBy, scope)?.includes(name) ?? true
  const checkScope = (field: string, scope: string, within: Json, onList: string): void => {
    if (own(limitedBy, scope) === undefined)
      causes.invalid(field, field === onList ? within : scope, 'unsupported scope')
    for (const name of known) {
      if (!isLimitedBy(scope)(name)) causes.invalid(onList, within, 'unsupported scope applied to resource')
    }
  }
  const checkOpposites = (all: readonly string[], field: string): void => {
    for (const scope of opposites) {
      if (all.includes(scope) && all.includes(`Not${scope}`)) {
        causes.invalid(field, scopes.length === 0 ? null : scopes, 'conflicting scopes')
      }
    }
  }
  for (const scope of scopes) checkScope(`${at}.scopes`, scope, scopes, `${at}.scopes`)
  checkOpposites(scopes, `${at}.scopes`)
  const selector = objectAt(spec, 'scopeSelector')
  const [list, expressions] = [`${at}.scopeSelector.matchExpressions`, objectsAt(selector, 'matchExpressions')]
  for (const expression of expressions) {
    checkScope(`${list}.scopeName`, stringAt(expression, 'scopeName') ?? '', printedScopes(expressions), list)
    checkRequirement(list, expression, causes)
  }
  checkOpposites(
    expressions.map(one => stringAt(one, 'scopeName') ?? ''),
    list,
  )
}

/** A selector of scopes, as the server's own type prints it. */
function printedScopes(expressions: readonly JsonObject[]): Json {
  return {
    MatchExpressions: expressions.map(one => ({
      ScopeName: stringAt(one, 'scopeName') ?? '',
      Operator: stringAt(one, 'operator') ?? '',
      Values: own(one, 'values') ?? null,
    })),
  }
}

function checkRequirement(list: string, one: JsonObject, causes: Causes): void {
  const [scope, operator] = [stringAt(one, 'scopeName') ?? '', stringAt(one, 'operator') ?? '']
  const values = stringsAt(one, 'values')
  if (own(limitedBy, scope) !== undefined && !withValues.includes(scope) && operator !== 'Exists') {
    causes.invalid(`${list}.operator`, operator, mustExist)
  }
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length > 0) return
    causes.required(
      `${list}.values`,
      "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    )
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length === 0) return
    const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
    causes.invalid(`${list}.values`, values, why)
  } else causes.invalid(`${list}.operator`, operator, 'not a valid selector operator')
}

const limitTypes = ['Pod', 'Container', 'PersistentVolumeClaim']
type Limit = 'min' | 'max' | 'default' | 'defaultRequest'
const names: Readonly<Record<Limit, string>> = {
  min: 'min value',
  max: 'max value',
  default: 'default value',
  defaultRequest: 'default request value',
}
/** Which limits must not be above which others, with the field that a real server reports, and the limit that it prints. */
const orders: readonly (readonly [below: Limit, above: Limit, field: Limit, printed: Limit, name?: string])[] = [
  ['min', 'max', 'min', 'min'],
  ['min', 'defaultRequest', 'defaultRequest', 'defaultRequest'],
  ['defaultRequest', 'max', 'defaultRequest', 'defaultRequest'],
  ['defaultRequest', 'default', 'defaultRequest', 'defaultRequest', 'default limit value'],
  ['min', 'default', 'default', 'min'],
  ['default', 'max', 'default', 'max'],
]

export const checkLimitRange: Check = (range, causes) => {
  const seen = new Set<string>()
  for (const [i, limit] of objectsAt(objectAt(range, 'spec'), 'limits').entries()) {
    const [at, type] = [`spec.limits[${i}]`, stringAt(limit, 'type') ?? '']
    const problems = qualifiedNameProblems(type)
    causes.invalid(`${at}.type`, type, ...problems)
    if (problems.length === 0 && !type.includes('/') && !limitTypes.includes(type)) {
      causes.invalid(`${at}.type`, type, 'must be a standard limit type or fully qualified')
    }
    if (seen.has(type)) causes.duplicate(`${at}.type`, type)
    seen.add(type)
    checkLimits(at, type, limit, causes)
  }
}

function checkLimits(at: string, type: string, limit: JsonObject, causes: Causes): void {
  const ofLimit = (name: string): JsonObject => objectAt(limit, name) ?? {}
  const defaults = ['default', 'defaultRequest'] as const
  const nameProblems = type === 'Pod' || type === 'Container' ? containerResourceProblems : resourceProblems
  for (const name of type === 'Pod' ? defaults : []) {
    if (Object.keys(ofLimit(name)).length > 0) {
      causes.forbidden(`${at}.${name}`, "may not be specified when `type` is 'Pod'")
    }
  }
  const used = ['max', 'min', ...(type === 'Pod' ? [] : defaults), 'maxLimitRequestRatio']
  for (const name of used) {
    for (const key of Object.keys(ofLimit(name)).sort()) {
      causes.invalid(`${at}.${name}[${key}]`, key, ...nameProblems(key))
    }
  }
  if (type === 'PersistentVolumeClaim' && !['min', 'max'].some(name => 'storage' in ofLimit(name))) {
    causes.required(`${at}.limits`, 'either minimum or maximum storage value is required, but neither was provided')
  }
  const amount = (name: string, key: string): string | undefined =>
    used.includes(name) ? stringAt(ofLimit(name), key) : undefined
  for (const key of new Set(used.flatMap(name => Object.keys(ofLimit(name)).sort()))) {
    for (const [below, above, field, printed, called = names[above]] of orders) {
      const [low, high] = [amount(below, key), amount(above, key)]
      if (low === undefined || high === undefined || !isLess(high, low)) continue
      const why = `${names[below]} ${low} is greater than ${called} ${high}`
      causes.invalid(`${at}.${field}[${key}]`, amount(printed, key), why)
    }
    checkRatio(
      `${at}.maxLimitRequestRatio[${key}]`,
      [amount('min', key), amount('max', key)],
      amount(used.at(-1) as string, key),
      causes,
    )
    const [limited, asked] = [amount('default', key), amount('defaultRequest', key)]
    if (mayOvercommit(key) || limited === undefined || asked === undefined) continue
    if (isLess(limited, asked) || isLess(asked, limited)) {
      const why = `default value ${limited} must equal to defaultRequest value ${asked} in ${key}`
      causes.invalid(`${at}.defaultRequest[${key}]`, asked, why)
    }
  }
}

function checkRatio(
  at: string,
  [min, max]: readonly [string | undefined, string | undefined],
  ratio: string | undefined,
  causes: Causes,
): void {
  if (ratio === undefined) return
  if (isLess(ratio, '1')) causes.invalid(at, ratio, `ratio ${ratio} is less than 1`)
  if (min === undefined || max === undefined) return
  const most = numberOf(max) / numberOf(min)
  if (numberOf(ratio) > most) {
    causes.invalid(at, ratio, `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`)
  }
}
