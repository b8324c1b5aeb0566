import { type JsonObject, objectAt, objectsAt, own, stringAt, stringsAt } from '@wherry/cel/internal'
import type { Labels } from './labels.ts'

/** A rule of a webhook or a policy, which matches requests. */
export interface HookRule {
  readonly operations: readonly string[]
  readonly groups: readonly string[]
  readonly versions: readonly string[]
  readonly resources: readonly string[]
  readonly scope: string
  /** The names of the objects, only for policies; empty for any name. */
  readonly names: readonly string[]
}

/** Reads a rule. */
export function ruleOf(rule: JsonObject): HookRule {
  return {
    operations: stringsAt(rule, 'operations'),
    groups: stringsAt(rule, 'apiGroups'),
    versions: stringsAt(rule, 'apiVersions'),
    resources: stringsAt(rule, 'resources'),
    scope: stringAt(rule, 'scope') ?? '*',
    names: stringsAt(rule, 'resourceNames'),
  }
}

/** The attributes of a request that rules match. */
export interface Matched {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly subresource: string
  readonly operation: string
  /** The namespace of the request; for a Namespace its own name. */
  readonly namespace: string
  readonly name: string
}

/** Whether a rule matches a request. */
export function ruleMatches(rule: HookRule, asked: Matched): boolean {
  const isNamespace = asked.group === '' && asked.plural === 'namespaces'
  const inNamespace = !isNamespace && asked.namespace !== ''
  if (rule.scope === 'Namespaced' && !inNamespace) return false
  if (rule.scope === 'Cluster' && inNamespace) return false
  return (
    includes(rule.operations, asked.operation) &&
    includes(rule.groups, asked.group) &&
    includes(rule.versions, asked.version) &&
    (rule.names.length === 0 || rule.names.includes(asked.name)) &&
    rule.resources.some(one => {
      const slash = one.indexOf('/')
      const resource = slash === -1 ? one : one.slice(0, slash)
      const subresource = slash === -1 ? '' : one.slice(slash + 1)
      return (
        (resource === '*' || resource === asked.plural) && (subresource === '*' || subresource === asked.subresource)
      )
    })
  )
}

function includes(values: readonly string[], value: string): boolean {
  return values.includes('*') || values.includes(value)
}

/** Whether a LabelSelector, as in objects, is empty. */
export function selectsAll(selector: JsonObject): boolean {
  return (
    Object.keys(objectAt(selector, 'matchLabels') ?? {}).length === 0 &&
    objectsAt(selector, 'matchExpressions').length === 0
  )
}

/** Whether a LabelSelector, as in objects, selects these labels. */
export function labelsMatch(selector: JsonObject, labels: Labels): boolean {
  const has = (key: string): boolean => labels !== undefined && Object.hasOwn(labels, key)
  for (const [key, value] of Object.entries(objectAt(selector, 'matchLabels') ?? {})) {
    if (!has(key) || labels?.[key] !== value) return false
  }
  return objectsAt(selector, 'matchExpressions').every(one => {
    const key = stringAt(one, 'key') ?? ''
    const within = has(key) && stringsAt(one, 'values').includes(labels?.[key] as string)
    switch (own(one, 'operator')) {
      case 'In':
        return within
      case 'NotIn':
        return !within
      case 'Exists':
        return has(key)
      case 'DoesNotExist':
        return !has(key)
      default:
        return false
    }
  })
}
