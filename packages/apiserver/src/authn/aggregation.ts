import type { ClusterRole, LabelSelector, PolicyRule, PolicySource } from './policy.ts'

/**
 * The rules of a ClusterRole. An aggregated ClusterRole has the rules of all roles that its selectors match, whatever it lists itself: in a real cluster a
 * controller writes them there a moment later.
 */
export function rulesOf(role: ClusterRole, policy: Pick<PolicySource, 'clusterRoles'>): readonly PolicyRule[] {
  return collect(role, policy, new Set())
}

function collect(
  role: ClusterRole,
  policy: Pick<PolicySource, 'clusterRoles'>,
  seen: Set<string>,
): readonly PolicyRule[] {
  const { aggregationRule } = role
  if (aggregationRule === undefined) return role.rules ?? []
  seen.add(role.metadata.name)
  const selectors = aggregationRule.clusterRoleSelectors ?? []
  return [...policy.clusterRoles()]
    .filter(other => !seen.has(other.metadata.name))
    .filter(other => selectors.some(selector => selects(selector, other.metadata.labels ?? {})))
    .flatMap(other => collect(other, policy, seen))
}

function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector
  return (
    Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labelOf(labels, key)
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value)
        case 'NotIn':
          return value === undefined || !values.includes(value)
        case 'Exists':
          return value !== undefined
        case 'DoesNotExist':
          return value === undefined
        default:
          return false
      }
    })
  )
}

/** Own keys only: `constructor` is a label like any other. */
function labelOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}
