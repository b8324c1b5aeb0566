import {
  dnsLabelProblems,
  type JsonObject,
  labelValueProblems,
  objectAt,
  objectsAt,
  own,
  qualifiedNameProblems,
  stringAt,
  stringsAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import type { Causes } from './causes.ts'
import { checkSelector } from './label-selector.ts'

/** The effects of taints. */
export const effects: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** Checks tolerations, of a Pod or of a RuntimeClass. */
export function checkTolerations(field: string, tolerations: readonly JsonObject[], causes: Causes): void {
  for (const [i, one] of tolerations.entries()) {
    const at = `${field}[${i}]`
    const [key, operator] = [stringAt(one, 'key') ?? '', stringAt(one, 'operator') ?? '']
    const [value, effect] = [stringAt(one, 'value') ?? '', stringAt(one, 'effect') ?? '']
    if (key !== '') causes.invalid(`${at}.key`, key, ...qualifiedNameProblems(key))
    if (key === '' && operator !== 'Exists') {
      const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
      causes.invalid(`${at}.operator`, operator, why)
    }
    if (own(one, 'tolerationSeconds') !== undefined && effect !== 'NoExecute') {
      causes.invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
    }
    checkTolerationOperator(`${at}.operator`, operator, value, causes)
    if (effect !== '' && !effects.includes(effect)) causes.unsupported(`${at}.effect`, effect, effects)
  }
}

function checkTolerationOperator(field: string, operator: string, value: string, causes: Causes): void {
  if (operator === 'Equal' || operator === '') {
    const problems = labelValueProblems(value)
    if (problems.length > 0) causes.invalid(field, value, problems.join(';'))
  } else if (operator === 'Exists') {
    if (value !== '') causes.invalid(field, value, "value must be empty when `operator` is 'Exists'")
  } else causes.unsupported(field, operator, ['Equal', 'Exists'])
}

/** Checks the affinity and anti-affinity of a Pod to nodes and to other Pods. */
export function checkAffinity(field: string, affinity: JsonObject | undefined, causes: Causes): void {
  checkNodeAffinity(`${field}.nodeAffinity`, objectAt(affinity, 'nodeAffinity'), causes)
  for (const name of ['podAffinity', 'podAntiAffinity']) {
    const affinityToPods = objectAt(affinity, name)
    const required = objectsAt(affinityToPods, 'requiredDuringSchedulingIgnoredDuringExecution')
    for (const [i, term] of required.entries()) {
      checkPodTerm(`${field}.${name}.requiredDuringSchedulingIgnoredDuringExecution[${i}]`, term, causes)
    }
    const preferred = objectsAt(affinityToPods, 'preferredDuringSchedulingIgnoredDuringExecution')
    for (const [i, one] of preferred.entries()) {
      const at = `${field}.${name}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`
      checkWeight(`${at}.weight`, one, causes)
      checkPodTerm(`${at}.podAffinityTerm`, objectAt(one, 'podAffinityTerm') ?? {}, causes)
    }
  }
}

function checkWeight(field: string, one: JsonObject, causes: Causes): void {
  const weight = Number(own(one, 'weight') ?? 0)
  if (weight < 1 || weight > 100) causes.invalid(field, weight, 'must be in the range 1-100')
}

function checkPodTerm(field: string, term: JsonObject, causes: Causes): void {
  checkSelector(`${field}.labelSelector`, objectAt(term, 'labelSelector'), causes)
  checkSelector(`${field}.namespaceSelector`, objectAt(term, 'namespaceSelector'), causes)
  for (const name of stringsAt(term, 'namespaces'))
    causes.invalid(`${field}.namespace`, name, ...dnsLabelProblems(name))
  checkLabelKeys(field, term, causes)
  const key = stringAt(term, 'topologyKey') ?? ''
  if (key === '') causes.required(`${field}.topologyKey`, 'can not be empty')
  causes.invalid(`${field}.topologyKey`, key, ...qualifiedNameProblems(key))
}

function checkNodeAffinity(field: string, affinity: JsonObject | undefined, causes: Causes): void {
  const required = objectAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution')
  if (required !== undefined) {
    checkNodeSelector(`${field}.requiredDuringSchedulingIgnoredDuringExecution`, required, causes)
  }
  const preferred = objectsAt(affinity, 'preferredDuringSchedulingIgnoredDuringExecution')
  for (const [i, one] of preferred.entries()) {
    const at = `${field}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`
    checkWeight(`${at}.weight`, one, causes)
    checkNodeTerm(`${at}.preference`, objectAt(one, 'preference') ?? {}, causes)
  }
}

/** Checks a selector of nodes, which must have a term. */
export function checkNodeSelector(field: string, selector: JsonObject, causes: Causes): void {
  const [at, terms] = [`${field}.nodeSelectorTerms`, objectsAt(selector, 'nodeSelectorTerms')]
  if (terms.length === 0) causes.required(at, 'must have at least one node selector term')
  for (const [i, term] of terms.entries()) checkNodeTerm(`${at}[${i}]`, term, causes)
}

function checkNodeTerm(field: string, term: JsonObject, causes: Causes): void {
  for (const [i, one] of objectsAt(term, 'matchExpressions').entries()) {
    const at = `${field}.matchExpressions[${i}]`
    const [operator, key] = [stringAt(one, 'operator') ?? '', stringAt(one, 'key') ?? '']
    const values = stringsAt(one, 'values')
    if (['In', 'NotIn'].includes(operator)) {
      if (values.length === 0) {
        causes.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")
      }
    } else if (['Exists', 'DoesNotExist'].includes(operator)) {
      if (values.length > 0) {
        causes.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
      }
    } else if (['Gt', 'Lt'].includes(operator)) {
      if (values.length !== 1) {
        causes.required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")
      }
    } else causes.invalid(`${at}.operator`, operator, 'not a valid selector operator')
    causes.invalid(`${at}.key`, key, ...qualifiedNameProblems(key))
    for (const [j, value] of values.entries()) {
      causes.invalid(`${at}.values[${j}]`, value, ...labelValueProblems(value))
    }
  }
  for (const [i, one] of objectsAt(term, 'matchFields').entries()) checkField(`${field}.matchFields[${i}]`, one, causes)
}

/** Checks a condition on a field of nodes. The name is the only such field. */
function checkField(at: string, one: JsonObject, causes: Causes): void {
  const [operator, key] = [stringAt(one, 'operator') ?? '', stringAt(one, 'key') ?? '']
  const values = stringsAt(one, 'values')
  if (!['In', 'NotIn'].includes(operator)) causes.invalid(`${at}.operator`, operator, 'not a valid selector operator')
  else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    causes.required(`${at}.values`, why)
  }
  if (key !== 'metadata.name') return causes.invalid(`${at}.key`, key, 'not a valid field selector key')
  for (const [i, value] of values.entries()) causes.invalid(`${at}.values[${i}]`, value, ...subdomainProblems(value))
}

/** Checks the constraints on the spread of Pods. */
export function checkSpread(field: string, constraints: readonly JsonObject[], causes: Causes): void {
  for (const [i, one] of constraints.entries()) {
    const at = `${field}[${i}]`
    const skew = Number(own(one, 'maxSkew') ?? 0)
    const [key, whenUnsatisfiable] = [stringAt(one, 'topologyKey') ?? '', stringAt(one, 'whenUnsatisfiable') ?? '']
    if (skew <= 0) causes.invalid(`${at}.maxSkew`, skew, 'must be greater than zero')
    if (key === '') causes.required(`${at}.topologyKey`, 'can not be empty')
    const known = ['DoNotSchedule', 'ScheduleAnyway']
    if (!known.includes(whenUnsatisfiable)) causes.unsupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, known)
    const isRepeated = constraints
      .slice(i + 1)
      .some(
        other => stringAt(other, 'topologyKey') === key && stringAt(other, 'whenUnsatisfiable') === whenUnsatisfiable,
      )
    if (isRepeated) causes.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${whenUnsatisfiable}}`)
    const domains = own(one, 'minDomains')
    if (typeof domains === 'number') {
      if (domains <= 0) causes.invalid(`${at}.minDomains`, domains, 'must be greater than zero')
      if (whenUnsatisfiable !== 'DoNotSchedule') {
        const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`
        causes.invalid(`${at}.minDomains`, domains, why)
      }
    }
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      const [policy, policies] = [own(one, name), ['Honor', 'Ignore']]
      if (policy !== undefined && !policies.includes(policy as string)) {
        causes.unsupported(`${at}.${name}`, policy, policies)
      }
    }
    checkLabelKeys(at, one, causes)
    checkSelector(`${at}.labelSelector`, objectAt(one, 'labelSelector'), causes)
  }
}

/** Checks the keys of labels that join a selector with the values of the Pod itself. */
function checkLabelKeys(at: string, term: JsonObject, causes: Causes): void {
  const selector = objectAt(term, 'labelSelector')
  const [matching, other] = [stringsAt(term, 'matchLabelKeys'), stringsAt(term, 'mismatchLabelKeys')]
  for (const [name, keys] of Object.entries({ matchLabelKeys: matching, mismatchLabelKeys: other })) {
    if (keys.length > 0 && selector === undefined) {
      causes.forbidden(`${at}.${name}`, 'must not be specified when labelSelector is not set')
      continue
    }
    for (const [i, key] of keys.entries()) causes.invalid(`${at}.${name}[${i}]`, key, ...qualifiedNameProblems(key))
  }
  const known = new Set(Object.keys(objectAt(selector, 'matchLabels') ?? {}))
  for (const expression of objectsAt(selector, 'matchExpressions')) {
    const key = stringAt(expression, 'key') ?? ''
    if (matching.includes(key) && known.has(key)) {
      causes.invalid(`${at}[${matching.lastIndexOf(key)}]`, key, 'exists in both matchLabelKeys and labelSelector')
    }
    known.add(key)
  }
  for (const [i, key] of matching.entries()) {
    if (!other.includes(key)) continue
    causes.invalid(`${at}.matchLabelKeys[${i}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys')
  }
}
