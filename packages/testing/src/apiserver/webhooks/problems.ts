import { type JsonObject, objectAt, objectsAt, own, stringAt, stringsAt, subdomainProblems } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import type { StatusCause } from '../status.ts'
import { conditionProblems } from './conditions.ts'
import { webhooksIn } from './configuration.ts'

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const reviewVersions = ['v1', 'v1beta1']
const urlForm = '; desired format: https://host[/path]'

/** What the server has against a webhook configuration, with its causes. */
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
        ? [missing(`${at}.sideEffects`, 'must specify one of None, NoneOnDryRun')]
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

function missing(field: string, why = ''): StatusCause {
  return { reason: 'FieldValueRequired', message: why === '' ? 'Required value' : `Required value: ${why}`, field }
}

function wrong(field: string, value: unknown, why: string): StatusCause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}`, field }
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
  if (name === '') return [missing(field)]
  const why = subdomainProblems(name)
  if (why.length > 0) return [wrong(field, name, why.join(','))]
  if (name.split('.').length >= 3) return []
  return [wrong(field, name, 'should be a domain with at least three segments separated by dots')]
}

export function ruleProblems(rule: JsonObject, at: string): StatusCause[] {
  const causes: StatusCause[] = []
  const asked = stringsAt(rule, 'operations')
  if (asked.length === 0) causes.push(missing(`${at}.operations`))
  if (asked.length > 1 && asked.includes('*')) {
    causes.push(wrong(`${at}.operations`, asked, "if '*' is present, must not specify other operations"))
  }
  for (const [i, operation] of asked.entries()) {
    if (!operations.includes(operation)) causes.push(unsupported(`${at}.operations[${i}]`, operation, operations))
  }
  for (const [field, what] of [
    ['apiGroups', 'API groups'],
    ['apiVersions', 'API versions'],
  ] as const) {
    const values = stringsAt(rule, field)
    if (values.length === 0) causes.push(missing(`${at}.${field}`))
    if (values.length > 1 && values.includes('*')) {
      causes.push(wrong(`${at}.${field}`, values, `if '*' is present, must not specify other ${what}`))
    }
  }
  if (stringsAt(rule, 'resources').length === 0) causes.push(missing(`${at}.resources`))
  return [...causes, ...chosen(rule, 'scope', ['*', 'Cluster', 'Namespaced'], at)]
}

function timeoutProblems(seconds: number, field: string): StatusCause[] {
  return seconds >= 1 && seconds <= 30
    ? []
    : [wrong(field, seconds, 'the timeout value must be between 1 and 30 seconds')]
}

/** What the server has against the address of a webhook, of an admission webhook or a conversion. */
export function addressProblems(config: JsonObject, at: string): StatusCause[] {
  const url = stringAt(config, 'url')
  const service = objectAt(config, 'service')
  if ((url === undefined) === (service === undefined)) {
    return [missing(at, 'exactly one of url or service is required')]
  }
  if (service !== undefined) {
    const parts = ['name', 'namespace'].filter(part => (stringAt(service, part) ?? '') === '')
    return parts.map(part => missing(`${at}.service.${part}`))
  }
  const field = `${at}.url`
  if (url === undefined || !URL.canParse(url)) return [missing(field, `url must be a valid URL: ${url}${urlForm}`)]
  const { protocol, host, username, password, hash, search } = new URL(url)
  const user = password === '' ? username : `${username}:${password}`
  return [
    ...(protocol === 'https:'
      ? []
      : [wrong(field, protocol.slice(0, -1), `'https' is the only allowed URL scheme${urlForm}`)]),
    ...(host === '' ? [wrong(field, host, `host must be specified${urlForm}`)] : []),
    ...(user === '' ? [] : [wrong(field, user, 'user information is not permitted in the URL')]),
    ...(hash === '' ? [] : [wrong(field, hash.slice(1), 'fragments are not permitted in the URL')]),
    ...(search === '' ? [] : [wrong(field, search.slice(1), 'query parameters are not permitted in the URL')]),
  ]
}

function versionProblems(versions: readonly string[], field: string): StatusCause[] {
  if (versions.length === 0) return [missing(field, `must specify one of ${reviewVersions.join(', ')}`)]
  const repeated = versions.flatMap((version, i) =>
    versions.indexOf(version) < i ? [wrong(`${field}[${i}]`, version, 'duplicate version')] : [],
  )
  if (versions.some(version => reviewVersions.includes(version))) return repeated
  return [...repeated, wrong(field, versions, `must include at least one of ${reviewVersions.join(', ')}`)]
}
