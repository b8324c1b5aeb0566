import { authenticatedGroup, unauthenticatedGroup } from './authenticate.ts'
import type { Binding, ClusterRole, PolicyRule } from './policy.ts'
import { privilegedGroup } from './rbac.ts'
import { type SystemRole, systemRoles } from './system-roles.ts'
import { userRules } from './user-rules.ts'

/** A role or a binding that a server creates at its first start. */
export type BootstrapObject = (ClusterRole | Binding) & {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1'
  readonly kind: 'ClusterRole' | 'ClusterRoleBinding' | 'Role' | 'RoleBinding'
}

interface Default {
  readonly name: string
  readonly groups: readonly string[]
  readonly rules: readonly PolicyRule[]
}

const health = ['/healthz', '/livez', '/readyz']
const version = ['/version', '/version/']
const get = (paths: readonly string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs: paths.toSorted() })
const create = (apiGroup: string, resources: readonly string[]): PolicyRule => ({
  verbs: ['create'],
  apiGroups: [apiGroup],
  resources,
})

/**
 * The default roles of kube-apiserver that default bindings grant to groups. They let users without roles read health, version and discovery, and let
 * `system:masters` do everything. {@link userRoles} makes the roles that are bound to nobody, and {@link systemRoles} has the roles of the server's own parts.
 */
const defaults: readonly Default[] = [
  {
    name: 'cluster-admin',
    groups: [privilegedGroup],
    rules: [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ],
  },
  {
    name: 'system:basic-user',
    groups: [authenticatedGroup],
    rules: [
      create('authorization.k8s.io', ['selfsubjectaccessreviews', 'selfsubjectrulesreviews']),
      create('authentication.k8s.io', ['selfsubjectreviews']),
    ],
  },
  {
    name: 'system:discovery',
    groups: [authenticatedGroup],
    rules: [get(['/api', '/api/*', '/apis', '/apis/*', ...health, '/openapi', '/openapi/*', ...version])],
  },
  {
    name: 'system:public-info-viewer',
    groups: [authenticatedGroup, unauthenticatedGroup],
    rules: [get([...health, ...version])],
  },
]

const apiGroup = 'rbac.authorization.k8s.io'
const apiVersion = 'rbac.authorization.k8s.io/v1'
const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' }
const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }

/** Makes `view`, `edit` and `admin`. Each aggregates the roles with its label, so that roles of a user's own can add to them. */
function userRoles(): BootstrapObject[] {
  const aggregateTo = (name: string): Record<string, string> => ({
    [`rbac.authorization.k8s.io/aggregate-to-${name}`]: 'true',
  })
  /** The role that contains each role. */
  const next = { view: 'edit', edit: 'admin', admin: undefined }
  const names = ['admin', 'edit', 'view'] as const
  const wholes = names.map((name): BootstrapObject => {
    const above = next[name]
    const metadata = { name, annotations, labels: { ...labels, ...(above === undefined ? {} : aggregateTo(above)) } }
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: aggregateTo(name) }] }
    return { apiVersion, kind: 'ClusterRole', metadata, aggregationRule, rules: null }
  })
  const parts = names.map((name): BootstrapObject => {
    const metadata = { name: `system:aggregate-to-${name}`, annotations, labels: { ...labels, ...aggregateTo(name) } }
    return { apiVersion, kind: 'ClusterRole', metadata, rules: userRules[name] }
  })
  return [...wholes, ...parts]
}

/** The objects of the default policy, for a server to create at its start. */
export function bootstrapPolicy(): BootstrapObject[] {
  const bound = defaults.flatMap(({ name, groups, rules }): BootstrapObject[] => {
    const metadata = { name, labels, annotations }
    const subjects = groups.map(group => ({ apiGroup, kind: 'Group', name: group }))
    return [
      { apiVersion, kind: 'ClusterRole', metadata, rules },
      { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef: { apiGroup, kind: 'ClusterRole', name }, subjects },
    ]
  })
  return [...bound, ...userRoles(), ...systemRoles().flatMap(objectsOf)]
}

/** A default role of the system, and its binding. */
function objectsOf({ namespace, name, rules, binding }: SystemRole): BootstrapObject[] {
  const isCluster = namespace === ''
  const kind = isCluster ? 'ClusterRole' : 'Role'
  const metadata = { ...(!isCluster && { namespace }), labels, annotations }
  const role: BootstrapObject = { apiVersion, kind, metadata: { ...metadata, name }, rules }
  if (binding === undefined) return [role]
  const roleRef = { apiGroup, kind, name }
  const { subjects } = binding
  const bound = { metadata: { ...metadata, name: binding.name }, roleRef, ...(subjects.length > 0 && { subjects }) }
  return [role, { apiVersion, kind: `${kind}Binding`, ...bound }]
}
