import { serviceAccountUserName } from '@wherry/cel/internal'
import type { AccessAttributes, User } from './access.ts'
import { rulesOf } from './aggregation.ts'
import type { Binding, PolicyRule, PolicySource, RoleRef, Subject } from './policy.ts'
import { ruleAllows } from './rule.ts'

/** Whether an access is allowed. `reason`: the binding that allows it, or the roles that were missing. */
export interface Decision {
  readonly allowed: boolean
  readonly reason?: string | undefined
}

/** The group that is allowed everything, whatever the policy. */
export const privilegedGroup = 'system:masters'

/**
 * Decides as the RBAC authorizer does: an access is allowed if a rule of a role that is bound to the user allows it. ClusterRoleBindings apply everywhere,
 * RoleBindings in their namespace.
 *
 * A list or watch of one name by field selector has that `name`.
 */
export function authorize(asked: AccessAttributes, policy: PolicySource): Decision {
  if (asked.user.groups.includes(privilegedGroup)) return { allowed: true }
  const missing = new Set<string>()
  const visit = (bindings: Iterable<Binding>, namespace: string): string | undefined => {
    for (const binding of bindings) {
      const subject = binding.subjects?.find(one => isFor(one, asked.user, namespace))
      if (subject === undefined) continue
      const rules = rulesOfRole(binding.roleRef, namespace, policy)
      if (rules === undefined) missing.add(notFound(binding))
      else if (rules.some(rule => ruleAllows(rule, asked)))
        return `RBAC: allowed by ${describe(binding, namespace, subject)}`
    }
    return undefined
  }
  const reason =
    visit(policy.clusterRoleBindings(), '') ??
    (asked.namespace === '' ? undefined : visit(policy.roleBindings(asked.namespace), asked.namespace))
  if (reason !== undefined) return { allowed: true, reason }
  if (missing.size === 0) return { allowed: false }
  const list = [...missing].join(', ')
  return { allowed: false, reason: `RBAC: ${missing.size === 1 ? list : `[${list}]`}` }
}

/**
 * All rules that apply to a user in a namespace, binding by binding. Being in a privileged group is no rule: `system:masters` has the rules of the default role
 * `cluster-admin` while it is bound to that role.
 */
export function rulesFor(user: User, namespace: string, policy: PolicySource): PolicyRule[] {
  const bound = (bindings: Iterable<Binding>, within: string): PolicyRule[] =>
    [...bindings]
      .filter(binding => binding.subjects?.some(subject => isFor(subject, user, within)))
      .flatMap(binding => rulesOfRole(binding.roleRef, within, policy) ?? [])
  return [...bound(policy.clusterRoleBindings(), ''), ...bound(policy.roleBindings(namespace), namespace)]
}

function isFor(subject: Subject, user: User, namespace: string): boolean {
  if (subject.kind === 'User') return subject.name === user.name
  if (subject.kind === 'Group') return user.groups.includes(subject.name)
  if (subject.kind !== 'ServiceAccount') return false
  const home = subject.namespace || namespace
  return home !== '' && user.name === serviceAccountUserName(home, subject.name)
}

/** The rules of a role; `undefined` if the role does not exist. */
export function rulesOfRole(
  { kind, name }: RoleRef,
  namespace: string,
  policy: PolicySource,
): readonly PolicyRule[] | undefined {
  if (kind === 'Role') {
    const role = policy.role(namespace, name)
    return role && (role.rules ?? [])
  }
  const role = policy.clusterRole(name)
  return role && rulesOf(role, policy)
}

function notFound({ roleRef: { kind, name } }: Binding): string {
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io "${name}" not found`
}

function describe({ metadata, roleRef }: Binding, namespace: string, subject: Subject): string {
  const binding =
    namespace === '' ? `ClusterRoleBinding "${metadata.name}"` : `RoleBinding "${metadata.name}/${namespace}"`
  const name = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name
  return `${binding} of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${name}"`
}
