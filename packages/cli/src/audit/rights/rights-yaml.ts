import { neededRights } from '../../rbac/needed.ts'
import type { SeenRight } from '../../rbac/recorded.ts'
import { rolesYaml } from '../../rbac/role-yaml.ts'
import { neededRoles } from '../../rbac/roles.ts'

/** The roles for the rights that a program used, as YAML. Comments name the limits of such a run. */
export function rightsYaml(seen: readonly SeenRight[]): string {
  const own = seen.filter(one => !isActing(one))
  const needed = neededRights(own, undefined, { namespace: undefined, own: [], isEach: true })
  // The right to act as any user would be the right to everything.
  const acting = seen.filter(isActing).map(right => ({ ...right, exact: true }))
  const roles = neededRoles([...needed, ...acting], { fixed: [], any: [] }).map(role => ({
    ...role,
    rules: role.rules.map(rule => ({ ...rule, by: rule.by.filter(Boolean) })),
  }))
  const comments = [
    'Seen by wherry audit. What the program did not ask for in this run is not granted.',
    ...(seen.some(grants)
      ? [
          'The program wrote roles or bindings: it also needs the rights that they grant, or the verbs escalate and bind.',
        ]
      : []),
    ...(acting.length > 0
      ? ['The program acted as other users. The rights of these requests are theirs, and are not in these roles.']
      : []),
    ...(roles.length === 0 ? ['No request needed a right.'] : []),
  ]
  return `${comments.map(text => `# ${text}\n`).join('')}${rolesYaml(roles, 'operator')}`
}

const isActing = ({ verb }: SeenRight): boolean => verb === 'impersonate'

const grants = ({ group, verb }: SeenRight): boolean =>
  group === 'rbac.authorization.k8s.io' && ['create', 'update', 'patch'].includes(verb)
