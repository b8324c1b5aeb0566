/** The verbs that a rule allows on resources, or on paths that are no resources. */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[] | undefined
  readonly resources?: readonly string[] | undefined
  /** Absent: any name, and requests without a name. */
  readonly resourceNames?: readonly string[] | undefined
  readonly nonResourceURLs?: readonly string[] | undefined
}

interface Named {
  readonly name: string
  readonly namespace?: string | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
}

/** A Role of `rbac.authorization.k8s.io/v1`, with the evaluated fields. */
export interface Role {
  readonly metadata: Named
  readonly rules?: readonly PolicyRule[] | null | undefined
}

/** A selector of labels. An empty selector selects everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined
  readonly matchExpressions?:
    | readonly {
        readonly key: string
        readonly operator: string
        readonly values?: readonly string[] | undefined
      }[]
    | undefined
}

/** A ClusterRole. With an aggregation rule, it has the rules of the roles that it selects, and none of its own. */
export interface ClusterRole extends Role {
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] | undefined } | undefined
}

/** A user, group or service account of a binding. */
export interface Subject {
  readonly apiGroup?: string | undefined
  readonly kind: string
  readonly name: string
  /** The namespace of a ServiceAccount. If it is absent in a RoleBinding, it is the binding's own. */
  readonly namespace?: string | undefined
}

/** The role of a binding. */
export interface RoleRef {
  readonly apiGroup?: string | undefined
  readonly kind: string
  readonly name: string
}

/** A RoleBinding or a ClusterRoleBinding. */
export interface Binding {
  readonly metadata: Named
  readonly roleRef: RoleRef
  readonly subjects?: readonly Subject[] | undefined
}

/** The source of the policy, which is read again for each decision: the server's store, or lists in a test. */
export interface PolicySource {
  role(namespace: string, name: string): Role | undefined
  clusterRole(name: string): ClusterRole | undefined
  clusterRoles(): Iterable<ClusterRole>
  roleBindings(namespace: string): Iterable<Binding>
  clusterRoleBindings(): Iterable<Binding>
}
