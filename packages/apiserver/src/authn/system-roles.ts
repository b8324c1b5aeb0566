import type { PolicyRule, Subject } from './policy.ts'
import { systemRoleLines } from './system-role-lines.ts'

/** A default role of a server's own parts or of extensions. */
export interface SystemRole {
  /** The namespace of a Role; '' for a ClusterRole. */
  readonly namespace: string
  readonly name: string
  readonly rules: readonly PolicyRule[]
  /** The role's binding. Without it the role is bound to nobody. */
  readonly binding?: { readonly name: string; readonly subjects: readonly Subject[] } | undefined
}

const apiGroup = 'rbac.authorization.k8s.io'
const controller = 'system:controller:'

/** The roles in {@link systemRoleLines}. */
export function systemRoles(): SystemRole[] {
  const roles: (SystemRole & { readonly rules: PolicyRule[] })[] = []
  for (const line of systemRoleLines.trim().split('\n')) {
    if (line.startsWith(' ')) roles.at(-1)?.rules.push(ruleIn(line.trim()))
    else roles.push({ ...roleIn(line), rules: [] })
  }
  return roles
}

function roleIn(line: string): Omit<SystemRole, 'rules'> {
  const [key = '', bound] = line.split(' < ')
  const name = key.slice(key.indexOf('/') + 1)
  const namespace = key.slice(0, Math.max(0, key.length - name.length - 1))
  if (name.startsWith(controller)) {
    const subject = { kind: 'ServiceAccount', name: name.slice(controller.length), namespace: 'kube-system' }
    return { namespace, name, binding: { name, subjects: [subject] } }
  }
  if (bound === undefined) return { namespace, name }
  const subjects = bound === 'nobody' ? [] : bound.split(', ').map(subjectIn)
  return { namespace, name, binding: { name: name.startsWith('system:') ? name : `system::${name}`, subjects } }
}

function subjectIn(text: string): Subject {
  const [kind = '', name = ''] = text.split(' ')
  if (kind !== 'ServiceAccount') return { kind, apiGroup, name } as Subject
  const [namespace, account = ''] = name.split('/')
  return { kind, name: account, namespace }
}

function ruleIn(line: string): PolicyRule {
  const [verbs = [], groups = [], resources = [], resourceNames] = line.split(' ').map(part => part.split(','))
  if (groups[0]?.startsWith('/')) return { verbs, nonResourceURLs: groups }
  const apiGroups = groups.map(group => (group === 'core' ? '' : group))
  return { verbs, apiGroups, resources, ...(resourceNames && { resourceNames }) }
}
