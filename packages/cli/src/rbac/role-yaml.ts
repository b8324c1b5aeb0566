import { yamlText } from '@wherry/crd/internal'
import type { NeededRole, NeededRule } from './roles.ts'

/** The maximum number of reasons that are named. The others are counted. */
const maxReasons = 3

/** Roles as YAML documents, each rule below a comment with the uses that need it. The text is the same for the same roles. */
export function rolesYaml(roles: readonly NeededRole[], name: string): string {
  return roles.map(role => roleYaml(role, name)).join('---\n')
}

function roleYaml({ namespace, rules }: NeededRole, name: string): string {
  const head = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: namespace === '' ? 'ClusterRole' : 'Role',
    metadata: namespace === '' ? { name } : { name, namespace },
  }
  return `${yamlText(head)}rules:\n${rules.map(ruleYaml).join('')}`
}

function ruleYaml({ by, ...rule }: NeededRule): string {
  const more = by.length - maxReasons
  const named = [...by.slice(0, maxReasons), ...(more > 0 ? [`and ${more} more`] : [])]
  const comments = named.map(reason => `  # ${reason}\n`).join('')
  const lines = yamlText([rule]).trimEnd().split('\n')
  return `${comments}${lines.map(line => `  ${line}\n`).join('')}`
}
