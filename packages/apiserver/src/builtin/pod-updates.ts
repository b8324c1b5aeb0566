import { type Json, type JsonObject, objectAt, objectsAt, own, sameJson, stringAt } from '@wherry/cel/internal'
import { invalid } from '../metadata/validate.ts'
import type { KubeObject } from '../objects/object.ts'
import type { StatusCause } from '../status.ts'
import { forbidden, withDifference } from './spec-difference.ts'

const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
]

/** The problems of a Pod that replaces another. Only a few fields of its spec can be changed. */
export function podProblems(pod: KubeObject, old: KubeObject | undefined): StatusCause[] {
  if (old === undefined) return []
  const [spec, before] = [objectAt(pod, 'spec') ?? {}, objectAt(old, 'spec') ?? {}]
  if (sameJson(spec, before)) return []
  const causes: StatusCause[] = []
  for (const list of ['containers', 'initContainers']) {
    if (objectsAt(spec, list).length !== objectsAt(before, list).length) {
      return [forbidden(`spec.${list}`, 'pod updates may not add or remove containers')]
    }
  }
  const deadline = deadlineProblem(own(spec, 'activeDeadlineSeconds'), own(before, 'activeDeadlineSeconds'))
  if (deadline !== undefined) causes.push(deadline)
  if (deadline !== undefined && own(spec, 'activeDeadlineSeconds') !== undefined) return causes
  causes.push(...tolerationProblems(objectsAt(spec, 'tolerations'), objectsAt(before, 'tolerations')))
  causes.push(...gateProblems(objectsAt(spec, 'schedulingGates'), objectsAt(before, 'schedulingGates')))
  const rest = asBefore(spec, before)
  if (objectsAt(before, 'schedulingGates').length > 0) causes.push(...whereItRuns(rest, before))
  if (sameJson(rest, before)) return causes
  const why = `pod updates may not change fields other than ${changeable.join(',')}`
  return [...causes, forbidden('spec', withDifference(why, before, rest))]
}

/** The new spec, with the old values of all fields that may be changed. */
function asBefore(spec: JsonObject, before: JsonObject): JsonObject {
  const rest: JsonObject = { ...spec }
  for (const list of ['containers', 'initContainers']) {
    const were = objectsAt(before, list)
    if (were.length > 0) {
      rest[list] = objectsAt(spec, list).map((one, i) => restored(one, were[i] as JsonObject, ['image']))
    }
  }
  const { terminationGracePeriodSeconds: grace } = before
  const shortened = typeof grace === 'number' && grace < 0 && own(spec, 'terminationGracePeriodSeconds') === 1
  const fields = ['activeDeadlineSeconds', 'tolerations', 'schedulingGates']
  return restored(rest, before, shortened ? [...fields, 'terminationGracePeriodSeconds'] : fields)
}

function restored(object: JsonObject, before: JsonObject, fields: readonly string[]): JsonObject {
  const next = { ...object }
  for (const field of fields) {
    const value = own(before, field)
    if (value === undefined) delete next[field]
    else next[field] = value
  }
  return next
}

function deadlineProblem(now: Json | undefined, before: Json | undefined): StatusCause | undefined {
  const field = 'spec.activeDeadlineSeconds'
  if (now !== undefined && (Number(now) < 0 || Number(now) > 2_147_483_647)) {
    return invalid(field, now, 'must be between 0 and 2147483647, inclusive')
  }
  if (before === undefined || now === before) return undefined
  if (now === undefined) return invalid(field, null, 'must not update from a positive integer to nil value')
  return Number(now) > Number(before) ? invalid(field, now, 'must be less than or equal to previous value') : undefined
}

function tolerationProblems(now: readonly JsonObject[], before: readonly JsonObject[]): StatusCause[] {
  const untimed = ({ tolerationSeconds: _, ...toleration }: JsonObject): JsonObject => toleration
  const gone = before.some(old => !now.some(one => sameJson(untimed(one), untimed(old))))
  const why = 'existing toleration can not be modified except its tolerationSeconds'
  return gone ? [forbidden('spec.tolerations', why)] : []
}

function gateProblems(now: readonly JsonObject[], before: readonly JsonObject[]): StatusCause[] {
  const known = new Set(before.map(gate => own(gate, 'name')))
  return now.flatMap((gate, i) => {
    const name = stringAt(gate, 'name') ?? ''
    if (known.has(name)) return []
    return [
      forbidden(`spec.schedulingGates[${i}].name`, `only deletion is allowed, but found new scheduling gate '${name}'`),
    ]
  })
}

/**
 * The causes against changes of `nodeSelector` and `affinity.nodeAffinity` in a Pod with scheduling gates: the nodes on which it must run can only become
 * fewer. Puts the old values back into `rest`.
 */
function whereItRuns(rest: JsonObject, before: JsonObject): StatusCause[] {
  const [selector, had] = [objectAt(rest, 'nodeSelector') ?? {}, objectAt(before, 'nodeSelector') ?? {}]
  const narrowed = Object.keys(had).every(key => own(selector, key) === own(had, key))
  Object.assign(rest, restored(rest, before, ['nodeSelector']))
  if (own(before, 'nodeSelector') === undefined) delete rest.nodeSelector
  const why = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)'
  const causes = narrowed ? [] : [invalid('spec.nodeSelector', selector, why)]
  return [...causes, ...nodeAffinityProblems(rest, before)]
}

function nodeAffinityProblems(rest: JsonObject, before: JsonObject): StatusCause[] {
  const [affinity, old] = [objectAt(rest, 'affinity'), objectAt(before, 'affinity')]
  const [now, had] = [objectAt(affinity, 'nodeAffinity'), objectAt(old, 'nodeAffinity')]
  if (sameJson(now, had)) return []
  const others = restored(affinity ?? {}, old ?? {}, ['nodeAffinity'])
  if (old === undefined && Object.keys(others).length === 0) delete rest.affinity
  else rest.affinity = others
  const [terms, were] = [requiredTerms(now), requiredTerms(had)]
  const field = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`
  if (were.length > 0 && terms.length !== were.length) {
    const why = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'
    return [invalid(field, terms.length === 0 ? null : terms.map(termAsGo), why)]
  }
  return were.flatMap((one, i) => {
    const term = terms[i] as JsonObject
    const why = 'only additions are allowed (no mutations or deletions)'
    return addsOnly(term, one) ? [] : [invalid(`${field}[${i}]`, termAsGo(term), why)]
  })
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution'

function requiredTerms(nodeAffinity: JsonObject | undefined): JsonObject[] {
  return objectsAt(objectAt(nodeAffinity, required), 'nodeSelectorTerms')
}

/** Whether a term begins with the requirements of another one. An empty term matches no node, and stays empty. */
function addsOnly(term: JsonObject, before: JsonObject): boolean {
  const lists = ['matchExpressions', 'matchFields'].map(
    list => [objectsAt(term, list), objectsAt(before, list)] as const,
  )
  const isEmpty = lists.every(([, were]) => were.length === 0)
  return lists.every(([now, were]) => (isEmpty ? now.length === 0 : sameJson(now.slice(0, were.length), [...were])))
}

/** A term in Go's names, as a message of a real server has it. */
function termAsGo(term: JsonObject): JsonObject {
  const listOf = (list: string): Json => {
    const found = objectsAt(term, list)
    const asGo = (one: JsonObject): JsonObject => ({
      Key: stringAt(one, 'key') ?? '',
      Operator: stringAt(one, 'operator') ?? '',
      Values: own(one, 'values') ?? null,
    })
    return found.length === 0 ? null : found.map(asGo)
  }
  return { MatchExpressions: listOf('matchExpressions'), MatchFields: listOf('matchFields') }
}
