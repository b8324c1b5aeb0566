import { stringify } from 'yaml'
import type { NeededRole, NeededRule } from './roles.ts'

/** More tests than these are counted. */
const maxTests = 3

/** Roles as YAML documents, each rule below the tests that need it. The same roles give the same text. */
export function rolesYaml(roles: readonly NeededRole[], name: string): string {
  return roles.map(role => roleYaml(role, name)).join('---\n')
}

function roleYaml({ namespace, rules }: NeededRole, name: string): string {
  const head = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: namespace === '' ? 'ClusterRole' : 'Role',
    metadata: namespace === '' ? { name } : { name, namespace },
  }
  return `${stringify(head)}rules:\n${rules.map(ruleYaml).join('')}`
}

function ruleYaml({ tests, ...rule }: NeededRule): string {
  const more = tests.length - maxTests
  const named = [...tests.slice(0, maxTests), ...(more > 0 ? [`and ${more} more`] : [])]
  const comments = named.map(test => `  # ${test}\n`).join('')
  // The comment above names why; a rule is then short enough to be read at a glance.
  const lines = stringify([rule], { collectionStyle: 'any', lineWidth: 0 }).trimEnd().split('\n')
  return `${comments}${lines.map(line => `  ${line}\n`).join('')}`
}
