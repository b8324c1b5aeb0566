import type { AccessAttributes } from './access.ts'
import type { PolicyRule } from './policy.ts'

const any = '*'

/** Whether a rule allows an access, as in https://kubernetes.io/docs/reference/access-authn-authz/rbac/. */
export function ruleAllows(rule: PolicyRule, asked: AccessAttributes): boolean {
  if (!has(rule.verbs, asked.verb)) return false
  if (asked.resource === '') return pathMatches(rule.nonResourceURLs ?? [], asked.path)
  return (
    has(rule.apiGroups ?? [], asked.group) && resourceMatches(rule.resources ?? [], asked) && nameMatches(rule, asked)
  )
}

function has(list: readonly string[], value: string): boolean {
  return list.includes(any) || list.includes(value)
}

/** `*` matches every resource and subresource. `pods` does not match `pods/log`. `*` before `/scale` matches that subresource of any resource. */
function resourceMatches(resources: readonly string[], { resource, subresource }: AccessAttributes): boolean {
  if (resources.includes(any)) return true
  if (subresource === '') return resources.includes(resource)
  return resources.includes(`${resource}/${subresource}`) || resources.includes(`${any}/${subresource}`)
}

function nameMatches({ resourceNames = [] }: PolicyRule, { name }: AccessAttributes): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name)
}

function pathMatches(urls: readonly string[], path: string): boolean {
  return urls.some(
    url => url === any || url === path || (url.endsWith(any) && path.startsWith(url.replace(/\*+$/, ''))),
  )
}
