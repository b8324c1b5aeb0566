import {
  type Json,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  qualifiedNameProblems,
  stringAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import type { Causes } from './causes.ts'
import { countIndexes, indexesProblem } from './job-indexes.ts'
import { always, anyOf, atMost, each, fields, type Rule } from './rules.ts'

const maxRules = 20
const maxValues = 255
const maxIndexesBytes = 65_536
const maxManagerBytes = 63

/** A text of `known`. A refusal of an absent text lists them. */
const listed =
  (...known: readonly string[]): Rule =>
  (at, value, causes) => {
    if ((value ?? '') === '') causes.required(at, `valid values: [${known.map(one => JSON.stringify(one)).join(' ')}]`)
    else if (!known.includes(value as string)) causes.unsupported(at, value as Json, known)
  }

const conditions: readonly Rule[] = [
  atMost(maxRules),
  each(fields({ type: always(qualifiedNameProblems), status: listed('False', 'True', 'Unknown') })),
]

/** Checks what happens to a Job when its Pods fail. */
export function checkFailurePolicy(at: string, spec: JsonObject, causes: Causes): void {
  const policy = objectAt(spec, 'podFailurePolicy')
  if (policy === undefined) return
  const rules = objectsAt(policy, 'rules')
  const pod = objectAt(objectAt(spec, 'template'), 'spec')
  const names = new Set(
    ['containers', 'initContainers'].flatMap(list => objectsAt(pod, list).map(one => stringAt(one, 'name') ?? '')),
  )
  atMost(maxRules)(`${at}.rules`, rules as Json, causes, policy)
  for (const [i, rule] of rules.entries()) {
    const place = `${at}.rules[${i}]`
    const [codes, patterns] = [objectAt(rule, 'onExitCodes'), objectsAt(rule, 'onPodConditions')]
    if (own(rule, 'action') !== 'FailIndex') {
      listed('Count', 'FailIndex', 'FailJob', 'Ignore')(`${place}.action`, own(rule, 'action'), causes, rule)
    } else if (own(spec, 'backoffLimitPerIndex') === undefined) {
      causes.invalid(`${place}.action`, 'FailIndex', 'requires the backoffLimitPerIndex to be set')
    }
    if (codes !== undefined) checkExitCodes(`${place}.onExitCodes`, codes, names, causes)
    for (const check of conditions) check(`${place}.onPodConditions`, patterns as Json, causes, rule)
    if (codes !== undefined && patterns.length > 0) {
      causes.contradicts(place, 'specifying both OnExitCodes and OnPodConditions is not supported')
    } else if (codes === undefined && patterns.length === 0) {
      causes.contradicts(place, `specifying ${anyOf} OnExitCodes and OnPodConditions is required`)
    }
  }
}

function checkExitCodes(at: string, codes: JsonObject, names: ReadonlySet<string>, causes: Causes): void {
  const [operator, name] = [own(codes, 'operator'), own(codes, 'containerName')]
  const list = own(codes, 'values')
  const values = Array.isArray(list) ? (list as number[]) : []
  listed('In', 'NotIn')(`${at}.operator`, operator, causes, codes)
  if (name !== undefined && !names.has(String(name))) {
    const why = `must be ${anyOf} the container or initContainer names in the pod template`
    causes.invalid(`${at}.containerName`, name, why)
  }
  if (values.length === 0) causes.invalid(`${at}.values`, list, 'at least one value is required')
  atMost(maxValues)(`${at}.values`, values, causes, codes)
  for (const [i, value] of values.entries()) {
    if (operator === 'In' && value === 0) causes.invalid(`${at}.values[${i}]`, 0, 'must not be 0 for the In operator')
    if (values.indexOf(value) < i) causes.duplicate(`${at}.values[${i}]`, value)
  }
  if (values.some((value, i) => i > 0 && (values[i - 1] as number) > value)) {
    causes.invalid(`${at}.values`, values, 'must be ordered')
  }
}

/** Checks when a Job has succeeded before all its Pods have. */
export function checkSuccessPolicy(at: string, spec: JsonObject, causes: Causes): void {
  const policy = objectAt(spec, 'successPolicy')
  if (policy === undefined) return
  const rules = objectsAt(policy, 'rules')
  if (own(spec, 'completionMode') !== 'Indexed') {
    const printed = rules.map(rule => ({
      SucceededIndexes: own(rule, 'succeededIndexes') ?? null,
      SucceededCount: own(rule, 'succeededCount') ?? null,
    }))
    return causes.invalid(at, { Rules: printed.length > 0 ? printed : null }, 'requires indexed completion mode')
  }
  if (rules.length === 0) {
    causes.required(`${at}.rules`, 'at least one rules must be specified when the successPolicy is specified')
  }
  atMost(maxRules)(`${at}.rules`, rules as Json, causes, policy)
  const completions = Number(own(spec, 'completions') ?? 0)
  for (const [i, rule] of rules.entries()) checkSuccessRule(`${at}.rules[${i}]`, rule, completions, causes)
}

function checkSuccessRule(at: string, rule: JsonObject, completions: number, causes: Causes): void {
  const [count, indexes] = [own(rule, 'succeededCount'), stringAt(rule, 'succeededIndexes')]
  if (count === undefined && indexes === undefined) {
    causes.required(at, `at least ${anyOf} succeededCount or succeededIndexes must be specified`)
  }
  const problem = indexes === undefined ? undefined : indexesProblem(indexes, completions)
  if (indexes !== undefined && indexes.length > maxIndexesBytes)
    causes.tooLong(`${at}.succeededIndexes`, maxIndexesBytes)
  if (problem !== undefined) {
    causes.invalid(`${at}.succeededIndexes`, indexes, `error parsing succeededIndexes: ${problem}`)
  }
  if (typeof count !== 'number') return
  causes.notNegative(`${at}.succeededCount`, count)
  const less = (most: number, what: string): void => {
    if (count > most) causes.invalid(`${at}.succeededCount`, count, `must be less than or equal to ${most} (${what})`)
  }
  less(completions, 'the number of specified completions')
  if (indexes === undefined) return
  const total = problem === undefined ? countIndexes(indexes, completions) : 0
  less(total, 'the number of indexes in the specified succeededIndexes field')
}

/** Checks the controller that a Job is for: `example.com/controller`. */
export function checkManager(at: string, manager: Json | undefined, causes: Causes): void {
  if (typeof manager !== 'string') return
  const slash = manager.indexOf('/')
  const [domain, path] = [manager.slice(0, Math.max(slash, 0)), manager.slice(slash + 1)]
  if (manager === '') causes.required(at)
  else if (slash === -1 || domain === '' || path === '') {
    causes.invalid(at, manager, 'must be a domain-prefixed path (such as "acme.io/foo")')
  } else {
    causes.invalid(at, domain, ...subdomainProblems(domain))
    const isPath = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)
    if (!isPath)
      causes.invalid(at, path, "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')")
  }
  if (Buffer.byteLength(manager) > maxManagerBytes) causes.tooLong(at, maxManagerBytes)
}
