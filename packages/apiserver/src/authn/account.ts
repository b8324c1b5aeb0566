import type { Kubeconfig } from '../kubeconfig.ts'
import type { PolicyRule } from './policy.ts'

/** Rights to grant. A rule applies everywhere, and the rules of a Role apply in its namespace. The names of roles are ignored. */
export type Grant = PolicyRule | GrantedRole

/** A Role or a ClusterRole, from `server.rights()` or from a manifest. */
export interface GrantedRole {
  readonly kind: 'Role' | 'ClusterRole'
  readonly metadata: { readonly name: string; readonly namespace?: string }
  /** Absent in a ClusterRole that aggregates others. It grants nothing itself. */
  readonly rules?: readonly PolicyRule[] | null | undefined
}

/** The account that a test acts as. */
export interface AccountOptions {
  /** The name of the ServiceAccount. @default 'operator' */
  readonly name?: string | undefined
  /** The namespace of the account. It is created if it does not exist. @default 'default' */
  readonly namespace?: string | undefined
}

/** A ServiceAccount that a test's operator runs as. */
export interface Account {
  /** The user name `system:serviceaccount:NAMESPACE:NAME`, as `server.rights()` names it. */
  readonly user: string
  readonly token: string
  readonly kubeconfig: Kubeconfig
}

/** Ten years, because a test may simulate years. */
export const tokenSeconds = 315_360_000

/** An object to create. A namespace or ServiceAccount may exist already. */
export interface AccountObject {
  readonly apiVersion: string
  readonly kind: 'Namespace' | 'ServiceAccount' | 'Role' | 'ClusterRole' | 'RoleBinding' | 'ClusterRoleBinding'
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** The rules that apply to an account, by namespace. The rules at `''` apply everywhere. */
export function rulesByNamespace(grants: readonly Grant[]): ReadonlyMap<string, readonly PolicyRule[]> {
  const rules = new Map<string, PolicyRule[]>()
  for (const grant of grants) {
    const namespace = 'kind' in grant && grant.kind === 'Role' ? (grant.metadata.namespace ?? 'default') : ''
    const known = rules.get(namespace) ?? []
    rules.set(namespace, known)
    known.push(...('kind' in grant ? (grant.rules ?? []) : [grant]))
  }
  return rules
}

/** A ServiceAccount with its roles and bindings, in the order in which they must be created. */
export function accountObjects(grants: readonly Grant[], account: Required<AccountOptions>): AccountObject[] {
  const { name, namespace } = account as { name: string; namespace: string }
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  const rules = rulesByNamespace(grants)
  const namespaces = new Set([namespace, ...rules.keys()].filter(one => one !== ''))
  const roles = [...rules].flatMap(([home, list]): AccountObject[] => {
    const prefix = home === '' ? 'Cluster' : ''
    const metadata = { name: `${namespace}:${name}`, ...(home === '' ? {} : { namespace: home }) }
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: `${prefix}Role`, name: metadata.name }
    const role = { apiVersion, kind: `${prefix}Role` as const, metadata, rules: list }
    const subjects = [{ kind: 'ServiceAccount', name, namespace }]
    const binding = { apiVersion, kind: `${prefix}RoleBinding` as const, metadata, roleRef, subjects }
    return [role, binding]
  })
  return [
    ...[...namespaces].map(one => ({ apiVersion: 'v1', kind: 'Namespace' as const, metadata: { name: one } })),
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    ...roles,
  ]
}

/** Whether an object of {@link accountObjects} may exist already. */
export function mayExist({ kind }: AccountObject): boolean {
  return kind === 'Namespace' || kind === 'ServiceAccount'
}

/** Thrown by `account()` if every user may do everything. */
export class AccountError extends TypeError {
  readonly code: 'ERR_WHERRY_ACCOUNT' = 'ERR_WHERRY_ACCOUNT'

  constructor() {
    super("account: start the server with authorization: 'RBAC', without which an account has more rights than these")
    this.name = 'AccountError'
  }
}

/** Thrown by `rights()` and `usedRights()` of a server that does not record them. */
export class RightsError extends TypeError {
  readonly code: 'ERR_WHERRY_RIGHTS' = 'ERR_WHERRY_RIGHTS'

  constructor() {
    super('rights: start the server with recordRights: true')
    this.name = 'RightsError'
  }
}
