import type { JsonObject } from '@wherry/cel/internal'
import type { Registry } from '../definitions/registry.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { type HookRule, labelsMatch, type Matched, ruleMatches, selectsAll } from '../selectors/match.ts'
import { StatusError } from '../status.ts'
import type { Store } from '../store/store.ts'
import { type Attributes, labelsOf } from './review.ts'

/** The criteria by which a webhook or a policy matches requests. */
export interface Criteria {
  readonly rules: readonly HookRule[]
  readonly equivalent: boolean
  readonly namespaceSelector: JsonObject
  readonly objectSelector: JsonObject
}

interface Source {
  readonly store: Store
  readonly registry: Registry
}

/** The version at which the webhook or policy with these criteria receives a request; `undefined` if it does not match the request. */
export function selectedAt(criteria: Criteria, asked: Attributes, source: Source): ResourceType | undefined {
  return selectorsMatch(criteria, asked, source) ? versionByRules(criteria, asked, source) : undefined
}

export function selectorsMatch(criteria: Criteria, asked: Attributes, source: Source): boolean {
  const { type, namespace, operation, subresource, object, oldObject } = asked
  const isNamespace = type.group === '' && type.plural === 'namespaces'
  if (namespace !== '' && !selectsAll(criteria.namespaceSelector)) {
    const own = isNamespace && subresource === '' && operation !== 'DELETE'
    const labels = own ? labelsOf(object) : namespaceLabels(namespace, source)
    if (!labelsMatch(criteria.namespaceSelector, labels)) return false
  }
  if (selectsAll(criteria.objectSelector)) return true
  return [object, oldObject].some(one => one !== undefined && labelsMatch(criteria.objectSelector, labelsOf(one)))
}

/** The version at which the rules match a request. */
export function versionByRules(
  { rules, equivalent }: Pick<Criteria, 'rules' | 'equivalent'>,
  asked: Attributes,
  { registry }: Source,
): ResourceType | undefined {
  const { type, namespace, operation, subresource, name } = asked
  const matched = (version: string): Matched => ({
    ...{ group: type.group, version, plural: type.plural },
    ...{ subresource, operation, namespace, name },
  })
  if (rules.some(rule => ruleMatches(rule, matched(type.version)))) return type
  if (!equivalent || !type.custom || subresource === 'scale') return undefined
  for (const at of registry.all()) {
    if (at.group !== type.group || at.plural !== type.plural || at.version === type.version) continue
    if (rules.some(rule => ruleMatches(rule, matched(at.version)))) return at
  }
  return undefined
}

function namespaceLabels(name: string, { store, registry }: Source): { readonly [key: string]: string } | undefined {
  const namespaces = registry.resolve('', 'v1', 'namespaces')
  const version = store.collection(namespaces).get(name)
  if (version === undefined) throw StatusError.notFound(namespaces, name)
  return version.labels
}
