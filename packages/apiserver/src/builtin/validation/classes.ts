import {
  dnsLabelProblems,
  isObject,
  objectAt,
  objectsAt,
  own,
  sameJson,
  stringAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import { pathSegmentProblems } from '../../metadata/names.ts'
import { systemPriorities } from '../pod-classes.ts'
import type { Causes, Check } from './causes.ts'
import { checkLabels } from './label-selector.ts'
import { checkResources } from './resources.ts'
import { checkTolerations } from './scheduling.ts'

const maxPriority = 1_000_000_000
const reserved = "priority class names with 'system-' prefix are reserved for system use only"
const preemptionPolicies = ['PreemptLowerPriority', 'Never']
const maxControllerBytes = 250
const notAPath = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"

export const checkLease: Check = (lease, causes) => {
  const spec = objectAt(lease, 'spec') ?? {}
  const seconds = own(spec, 'leaseDurationSeconds')
  if (typeof seconds === 'number' && seconds <= 0) {
    causes.invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')
  }
  causes.notNegative('spec.leaseTransitions', own(spec, 'leaseTransitions'))
}

export const checkPriorityClass: Check = (priorityClass, causes) => {
  const { name = '' } = priorityClass.metadata
  const value = Number(own(priorityClass, 'value') ?? 0)
  if (name.startsWith('system-')) {
    const known = own(systemPriorities, name)
    const why =
      known === undefined
        ? `${name} is not a known system priority class`
        : `value of ${name} PriorityClass must be ${known}`
    if (value !== known) causes.forbidden('metadata.name', `${reserved}. error: ${why}`)
  } else if (value > maxPriority) {
    causes.forbidden('value', `maximum allowed value of a user defined priority is ${maxPriority}`)
  }
  const policy = stringAt(priorityClass, 'preemptionPolicy') ?? ''
  if (policy === '') causes.required('preemptionPolicy')
  else if (!preemptionPolicies.includes(policy)) {
    causes.unsupported('preemptionPolicy', policy, preemptionPolicies)
  }
}

export const checkRuntimeClass: Check = (runtimeClass, causes) => {
  const handler = stringAt(runtimeClass, 'handler') ?? ''
  if (handler === '') causes.required('handler')
  else causes.invalid('handler', handler, ...dnsLabelProblems(handler))
  const overhead = own(runtimeClass, 'overhead')
  if (overhead !== undefined)
    checkResources('overhead', { limits: objectAt(objectAt(runtimeClass, 'overhead'), 'podFixed') ?? {} }, causes)
  const scheduling = objectAt(runtimeClass, 'scheduling')
  checkLabels('scheduling.nodeSelector', objectAt(scheduling, 'nodeSelector'), causes)
  const tolerations = objectsAt(scheduling, 'tolerations')
  checkTolerations('scheduling.tolerations', tolerations, causes)
  for (const [i, one] of tolerations.entries()) {
    if (tolerations.slice(0, i).some(other => sameJson(one, other))) {
      causes.duplicate(`scheduling.tolerations[${i}]`, one)
    }
  }
}

export const checkIngressClass: Check = (ingressClass, causes) => {
  const spec = objectAt(ingressClass, 'spec') ?? {}
  const controller = stringAt(spec, 'controller') ?? ''
  if (Buffer.byteLength(controller) > maxControllerBytes) causes.tooLong('spec.controller', maxControllerBytes)
  checkController('spec.controller', controller, causes)
  const parameters = objectAt(spec, 'parameters')
  if (parameters === undefined) return
  const at = (name: string): string => `spec.parameters.${name}`
  const said = (name: string): string => stringAt(parameters, name) ?? ''
  const group = stringAt(parameters, 'apiGroup')
  if (group !== undefined) causes.invalid(at('apiGroup'), group, ...subdomainProblems(group))
  for (const name of ['kind', 'name']) {
    if (said(name) === '') causes.required(at(name))
    else causes.invalid(at(name), said(name), ...pathSegmentProblems(said(name)))
  }
  const [scope, namespace] = [said('scope'), own(parameters, 'namespace')]
  if (scope === 'Namespace') {
    if (namespace === undefined) causes.required(at('namespace'), "`parameters.scope` is set to 'Namespace'")
    else causes.invalid(at('namespace'), said('namespace'), ...dnsLabelProblems(said('namespace')))
  } else if (scope !== 'Cluster') {
    causes.unsupported(at('scope'), scope, ['Cluster', 'Namespace'])
  } else if (namespace !== undefined) {
    causes.forbidden(at('namespace'), "`parameters.scope` is set to 'Cluster'")
  }
}

/** Checks a name such as `example.com/controller`. */
function checkController(field: string, name: string, causes: Causes): void {
  if (name === '') return causes.required(field)
  const slash = name.indexOf('/')
  const [domain, path] = [name.slice(0, Math.max(slash, 0)), name.slice(slash + 1)]
  if (domain === '' || path === '') {
    return causes.invalid(field, name, 'must be a domain-prefixed path (such as "acme.io/foo")')
  }
  causes.invalid(field, domain, ...subdomainProblems(domain))
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)) causes.invalid(field, path, notAPath)
}

/** Checks the data of a new ControllerRevision. */
export const checkRevisionData: Check = (revision, causes) => {
  const data = own(revision, 'data')
  if (data == null) causes.required('data', 'data is mandatory')
  else if (!isObject(data)) causes.required('data', 'data must be a valid JSON object')
}

export const checkRevision: Check = (revision, causes) => causes.notNegative('revision', own(revision, 'revision'))
