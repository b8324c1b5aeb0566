import { type JsonObject, objectAt, objectsAt, own, stringAt, stringsAt, subdomainProblems } from '@wherry/cel/internal'
import { pathSegmentProblems } from '../../metadata/names.ts'
import type { Causes, Check } from './causes.ts'
import { checkSelector, isUsableSelector } from './label-selector.ts'

const group = 'rbac.authorization.k8s.io'

export const checkRole: Check = (role, causes) => checkRules(objectsAt(role, 'rules'), true, causes)

export const checkClusterRole: Check = (role, causes) => {
  checkRules(objectsAt(role, 'rules'), false, causes)
  const aggregation = objectAt(role, 'aggregationRule')
  if (aggregation === undefined) return
  const [at, selectors] = ['aggregationRule.clusterRoleSelectors', objectsAt(aggregation, 'clusterRoleSelectors')]
  if (selectors.length === 0) {
    causes.required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil')
  }
  for (const [i, selector] of selectors.entries()) {
    checkSelector(`${at}[${i}]`, selector, causes)
    if (!isUsableSelector(selector)) causes.invalid(`${at}[${i}]`, null, 'invalid label selector.')
  }
}

function checkRules(rules: readonly JsonObject[], isNamespaced: boolean, causes: Causes): void {
  for (const [i, rule] of rules.entries()) {
    const at = `rules[${i}]`
    const isGiven = (name: string): boolean => stringsAt(rule, name).length > 0
    if (!isGiven('verbs')) causes.last.required(`${at}.verbs`)
    if (isGiven('nonResourceURLs')) {
      const urls = own(rule, 'nonResourceURLs')
      const [ofNamespace, ofBoth] = [
        'namespaced rules cannot apply to non-resource URLs',
        'rules cannot apply to both regular resources and non-resource URLs',
      ]
      if (isNamespaced) causes.invalid(`${at}.nonResourceURLs`, urls, ofNamespace)
      if (['apiGroups', 'resources', 'resourceNames'].some(isGiven)) {
        causes.invalid(`${at}.nonResourceURLs`, urls, ofBoth)
      }
      continue
    }
    if (!isGiven('apiGroups')) causes.required(`${at}.apiGroups`, 'resource rules must supply at least one api group')
    if (!isGiven('resources')) causes.required(`${at}.resources`, 'resource rules must supply at least one resource')
  }
}

export const checkRoleBinding: Check = (binding, causes) => checkBinding(binding, true, causes)
export const checkClusterRoleBinding: Check = (binding, causes) => checkBinding(binding, false, causes)

function checkBinding(binding: JsonObject, isNamespaced: boolean, causes: Causes): void {
  const role = objectAt(binding, 'roleRef') ?? {}
  const [apiGroup, kind, name] = ['apiGroup', 'kind', 'name'].map(one => stringAt(role, one) ?? '') as [
    string,
    string,
    string,
  ]
  if (apiGroup !== group) causes.unsupported('roleRef.apiGroup', apiGroup, [group])
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']
  if (!kinds.includes(kind)) causes.unsupported('roleRef.kind', kind, kinds)
  if (name === '') causes.last.required('roleRef.name')
  else causes.invalid('roleRef.name', name, ...pathSegmentProblems(name))
  for (const [i, subject] of objectsAt(binding, 'subjects').entries()) {
    checkSubject(`subjects[${i}]`, subject, isNamespaced, causes)
  }
}

function checkSubject(field: string, subject: JsonObject, isNamespaced: boolean, causes: Causes): void {
  const [kind, name] = [stringAt(subject, 'kind') ?? '', stringAt(subject, 'name') ?? '']
  const apiGroup = stringAt(subject, 'apiGroup') ?? ''
  if (name === '') causes.last.required(`${field}.name`)
  if (kind === 'ServiceAccount') {
    if (name !== '') causes.invalid(`${field}.name`, name, ...subdomainProblems(name))
    if (apiGroup !== '') causes.unsupported(`${field}.apiGroup`, apiGroup, [''])
    if (!isNamespaced && (stringAt(subject, 'namespace') ?? '') === '') causes.required(`${field}.namespace`)
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== group) causes.unsupported(`${field}.apiGroup`, apiGroup, [group])
  } else causes.unsupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group'])
}
