import { type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import { pathSegmentProblems } from '../../metadata/names.ts'
import type { Causes, Check } from './causes.ts'

/** The field of a metric's source by the metric's type, in the order in which a real server checks the types. */
const sources: readonly (readonly [type: string, field: string])[] = [
  ['Object', 'object'],
  ['External', 'external'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
  ['ContainerResource', 'containerResource'],
]
const types = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource']
const maxWindowSeconds = 3600
const maxPeriodSeconds = 1800

export const checkAutoscaler: Check = (autoscaler, causes) => {
  const spec = objectAt(autoscaler, 'spec') ?? {}
  const [min, max] = [Number(own(spec, 'minReplicas') ?? 1), Number(own(spec, 'maxReplicas') ?? 0)]
  if (min < 0) causes.last.invalid('spec.minReplicas', min, 'must be greater than or equal to 0')
  if (max === 0) causes.last.required('spec.maxReplicas')
  else if (max < 0) causes.last.invalid('spec.maxReplicas', max, 'must be greater than or equal to 1')
  if (max < min) causes.invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`')
  for (const name of ['kind', 'name']) {
    const text = stringAt(objectAt(spec, 'scaleTargetRef'), name) ?? ''
    if (text === '') causes.required(`spec.scaleTargetRef.${name}`)
    else causes.invalid(`spec.scaleTargetRef.${name}`, text, ...pathSegmentProblems(text))
  }
  const version = stringAt(objectAt(spec, 'scaleTargetRef'), 'apiVersion') ?? ''
  const [group = '', ...parts] = version.split('/')
  if (parts.length > 1) {
    causes.invalid('spec.scaleTargetRef.apiVersion', version, `unexpected GroupVersion string: ${version}`)
  } else if (parts.length === 0 || group === '') {
    causes.invalid('spec.scaleTargetRef.apiVersion', version, 'apiVersion must specify API group')
  }
  const metrics = objectsAt(spec, 'metrics')
  for (const [i, metric] of metrics.entries()) checkMetric(`spec.metrics[${i}]`, metric, causes)
  if (min === 0 && !metrics.some(metric => ['Object', 'External'].includes(stringAt(metric, 'type') ?? ''))) {
    const why = 'must specify at least one Object or External metric to support scaling to zero replicas'
    causes.forbidden('spec.metrics', why)
  }
  for (const name of ['scaleUp', 'scaleDown']) {
    const rules = objectAt(objectAt(spec, 'behavior'), name)
    if (rules !== undefined) checkRules(`spec.behavior.${name}`, rules, causes)
  }
}

function checkMetric(field: string, metric: JsonObject, causes: Causes): void {
  const type = stringAt(metric, 'type') ?? ''
  if (type === '') causes.required(`${field}.type`, 'must specify a metric source type')
  if (!types.includes(type)) causes.unsupported(`${field}.type`, type, types)
  const given = sources.map(([, name]) => name).filter(name => own(metric, name) !== undefined)
  const [first] = given
  if (first === 'resource' || first === 'containerResource') {
    checkResource(`${field}.${first}`, objectAt(metric, first) ?? {}, first, causes)
  }
  const expected = sources.find(([one]) => one === type)?.[1]
  if (expected !== undefined && !given.includes(expected)) {
    causes.required(`${field}.${expected}`, 'must populate information for the given metric source')
  }
  if (given.length === 1) return
  for (const name of given) {
    if (name !== expected) causes.forbidden(`${field}.${name}`, 'must populate the given metric source only')
  }
}

function checkResource(field: string, source: JsonObject, of: string, causes: Causes): void {
  const target = objectAt(source, 'target') ?? {}
  if ((stringAt(source, 'name') ?? '') === '') causes.required(`${field}.name`, 'must specify a resource name')
  if (of === 'containerResource' && (stringAt(source, 'container') ?? '') === '') {
    causes.required(`${field}.container`, 'must specify a container')
  }
  checkTarget(`${field}.target`, target, causes)
  const [share, value] = [own(target, 'averageUtilization'), own(target, 'averageValue')]
  if (share === undefined && value === undefined) {
    const why = 'must set either a target raw value or a target utilization'
    causes.required(`${field}.target.averageUtilization`, why)
  }
  if (share !== undefined && value !== undefined) {
    const why = 'may not set both a target raw value and a target utilization'
    causes.forbidden(`${field}.target.averageValue`, why)
  }
}

function checkTarget(field: string, target: JsonObject, causes: Causes): void {
  const type = stringAt(target, 'type') ?? ''
  if (type === '') causes.required(`${field}.type`, 'must specify a metric target type')
  if (!['Utilization', 'Value', 'AverageValue'].includes(type)) {
    causes.invalid(`${field}.type`, type, 'must be either Utilization, Value, or AverageValue')
  }
  for (const name of ['value', 'averageValue']) {
    const amount = stringAt(target, name)
    if (amount === '0' || amount?.startsWith('-')) causes.invalid(`${field}.${name}`, amount, 'must be positive')
  }
  const share = own(target, 'averageUtilization')
  if (typeof share === 'number' && share < 1) {
    causes.invalid(`${field}.averageUtilization`, share, 'must be greater than 0')
  }
}

function checkRules(field: string, rules: JsonObject, causes: Causes): void {
  const window = own(rules, 'stabilizationWindowSeconds')
  const at = `${field}.stabilizationWindowSeconds`
  if (typeof window === 'number' && window < 0) causes.invalid(at, window, 'must be greater than or equal to zero')
  if (typeof window === 'number' && window > maxWindowSeconds) {
    causes.invalid(at, window, `must be less than or equal to ${maxWindowSeconds}`)
  }
  const [select, known] = [stringAt(rules, 'selectPolicy'), ['Disabled', 'Max', 'Min']]
  if (select !== undefined && !known.includes(select)) causes.unsupported(`${field}.selectPolicy`, select, known)
  const policies = objectsAt(rules, 'policies')
  if (policies.length === 0) causes.required(`${field}.policies`, 'must specify at least one Policy')
  for (const [i, policy] of policies.entries()) checkPolicy(`${field}.policies[${i}]`, policy, causes)
}

function checkPolicy(field: string, policy: JsonObject, causes: Causes): void {
  const [type, known] = [stringAt(policy, 'type') ?? '', ['Percent', 'Pods']]
  if (!known.includes(type)) causes.unsupported(`${field}.type`, type, known)
  for (const name of ['value', 'periodSeconds']) {
    const number = Number(own(policy, name) ?? 0)
    if (number <= 0) causes.invalid(`${field}.${name}`, number, 'must be greater than zero')
  }
  const period = Number(own(policy, 'periodSeconds') ?? 0)
  if (period > maxPeriodSeconds) {
    causes.invalid(`${field}.periodSeconds`, period, `must be less than or equal to ${maxPeriodSeconds}`)
  }
}
