import type { AccessAttributes } from './access.ts'
import type { PolicyRule } from './policy.ts'

/** A right that a rule allows: one verb on one resource (a subresource is `pods/log`), or on one path. */
export type SingleRight = Pick<AccessAttributes, 'verb' | 'group' | 'resource' | 'name' | 'path'>

/** All rights that a rule allows, one by one. */
export function singles(rule: PolicyRule): SingleRight[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const names = resourceNames.length === 0 ? [''] : resourceNames
  return verbs.flatMap(verb => [
    ...apiGroups.flatMap(group =>
      resources.flatMap(resource => names.map(name => ({ verb, group, resource, name, path: '' }))),
    ),
    ...nonResourceURLs.map(path => ({ verb, group: '', resource: '', name: '', path })),
  ])
}
