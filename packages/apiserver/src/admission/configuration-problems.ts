import { type JsonObject, objectAt, objectsAt, own, stringAt, stringsAt, subdomainProblems } from '@wherry/cel/internal'
import { invalid, required } from '../metadata/validate.ts'
import type { KubeObject } from '../objects/object.ts'
import { addressProblems } from '../outside/address-problems.ts'
import type { StatusCause } from '../status.ts'
import { conditionProblems } from './conditions.ts'
import { webhooksIn } from './configuration.ts'

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const reviewVersions = ['v1', 'v1beta1']

/** The server's objections to a webhook configuration, with their causes. */
export function configurationProblems(configuration: KubeObject): StatusCause[] {
  const seen = new Set<string>()
  return webhooksIn(configuration).flatMap((hook, i) => {
    const at = `webhooks[${i}]`
    const name = stringAt(hook, 'name') ?? ''
    const repeated = name !== '' && seen.has(name)
    seen.add(name)
    return [
      ...nameProblems(name, `${at}.name`),
      ...objectsAt(hook, 'rules').flatMap((rule, j) => ruleProblems(rule, `${at}.rules[${j}]`)),
      ...chosen(hook, 'failurePolicy', ['Fail', 'Ignore'], at),
      ...chosen(hook, 'matchPolicy', ['Equivalent', 'Exact'], at),
      ...(own(hook, 'sideEffects') === undefined
        ? [required(`${at}.sideEffects`, 'must specify one of None, NoneOnDryRun')]
        : chosen(hook, 'sideEffects', ['None', 'NoneOnDryRun'], at)),
      ...timeoutProblems(Number(own(hook, 'timeoutSeconds')), `${at}.timeoutSeconds`),
      ...chosen(hook, 'reinvocationPolicy', ['IfNeeded', 'Never'], at),
      ...addressProblems(objectAt(hook, 'clientConfig') ?? {}, `${at}.clientConfig`),
      ...conditionProblems(hook, at, false),
      ...versionProblems(stringsAt(hook, 'admissionReviewVersions'), `${at}.admissionReviewVersions`),
      ...(repeated
        ? [{ reason: 'FieldValueDuplicate', message: `Duplicate value: ${JSON.stringify(name)}`, field: `${at}.name` }]
        : []),
    ]
  })
}

function unsupported(field: string, value: unknown, supported: readonly string[]): StatusCause {
  const known = supported.map(one => JSON.stringify(one)).join(', ')
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${known}`
  return { reason: 'FieldValueNotSupported', message, field }
}

export function chosen(hook: JsonObject, field: string, from: readonly string[], at: string): StatusCause[] {
  const value = own(hook, field)
  return value === undefined || from.includes(String(value)) ? [] : [unsupported(`${at}.${field}`, value, from)]
}

function nameProblems(name: string, field: string): StatusCause[] {
  if (name === '') return [required(field, '')]
  const why = subdomainProblems(name)
  if (why.length > 0) return [invalid(field, name, why.join(','))]
  if (name.split('.').length >= 3) return []
  return [invalid(field, name, 'should be a domain with at least three segments separated by dots')]
}

export function ruleProblems(rule: JsonObject, at: string): StatusCause[] {
  const causes: StatusCause[] = []
  const asked = stringsAt(rule, 'operations')
  if (asked.length === 0) causes.push(required(`${at}.operations`, ''))
  if (asked.length > 1 && asked.includes('*')) {
    causes.push(invalid(`${at}.operations`, asked, "if '*' is present, must not specify other operations"))
  }
  for (const [i, operation] of asked.entries()) {
    if (!operations.includes(operation)) causes.push(unsupported(`${at}.operations[${i}]`, operation, operations))
  }
  for (const [field, what] of [
    ['apiGroups', 'API groups'],
    ['apiVersions', 'API versions'],
  ] as const) {
    const values = stringsAt(rule, field)
    if (values.length === 0) causes.push(required(`${at}.${field}`, ''))
    if (values.length > 1 && values.includes('*')) {
      causes.push(invalid(`${at}.${field}`, values, `if '*' is present, must not specify other ${what}`))
    }
  }
  if (stringsAt(rule, 'resources').length === 0) causes.push(required(`${at}.resources`, ''))
  return [...causes, ...chosen(rule, 'scope', ['*', 'Cluster', 'Namespaced'], at)]
}

function timeoutProblems(seconds: number, field: string): StatusCause[] {
  return seconds >= 1 && seconds <= 30
    ? []
    : [invalid(field, seconds, 'the timeout value must be between 1 and 30 seconds')]
}

function versionProblems(versions: readonly string[], field: string): StatusCause[] {
  if (versions.length === 0) return [required(field, `must specify one of ${reviewVersions.join(', ')}`)]
  const repeated = versions.flatMap((version, i) =>
    versions.indexOf(version) < i ? [invalid(`${field}[${i}]`, version, 'duplicate version')] : [],
  )
  if (versions.some(version => reviewVersions.includes(version))) return repeated
  return [...repeated, invalid(field, versions, `must include at least one of ${reviewVersions.join(', ')}`)]
}
