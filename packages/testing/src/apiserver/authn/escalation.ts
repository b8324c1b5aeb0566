import type { AccessAttributes, AccessControl, User } from '../access.ts'
import type { KubeObject } from '../objects/object.ts'
import { StatusError } from '../status.ts'
import { quoted } from './forbidden.ts'
import type { Binding, PolicyRule, Role } from './policy.ts'
import { privilegedGroup } from './rbac.ts'
import { ruleAllows } from './rule.ts'

const group = 'rbac.authorization.k8s.io'
/** What a rule allows: one verb on one resource (a subresource is `pods/log`), or on one path. */
type Single = Pick<AccessAttributes, 'verb' | 'group' | 'resource' | 'name' | 'path'>

export interface Granting {
  readonly user: User
  /** `roles`, `clusterroles`, `rolebindings` or `clusterrolebindings` */
  readonly plural: string
  readonly namespace: string
  readonly object: KubeObject
}

/**
 * Refuses a role with rights that the user does not have, unless they may `escalate` it, and a binding of such a role, unless they may
 * `bind` that. As kube-apiserver does; what a function allows can't be compared.
 *
 * @throws StatusError
 */
export function confirmNoEscalation(access: AccessControl, { user, plural, namespace, object }: Granting): void {
  const held = access.rules(user, namespace)
  if (user.groups.includes(privilegedGroup) || held.incomplete) return
  const may = (verb: string, resource: string, within: string, name: string): boolean => {
    const asked = { user, verb, resource, group, version: 'v1', namespace: within, name, subresource: '', path: '' }
    return access.decide(asked satisfies AccessAttributes).allowed
  }
  let granted: readonly PolicyRule[]
  if (plural.endsWith('bindings')) {
    const { roleRef } = object as unknown as Binding
    const resource = roleRef.kind === 'Role' ? 'roles' : 'clusterroles'
    if (may('bind', resource, namespace, roleRef.name)) return
    const rules = access.rulesOfRole(roleRef, namespace)
    if (rules === undefined) throw missing(plural, roleRef.name)
    granted = rules
  } else {
    const { name = '' } = object.metadata
    if (may('escalate', plural, namespace, name)) return
    granted = (object as unknown as Role).rules ?? []
  }
  const lacking = granted.flatMap(singles).filter(one => !held.rules.some(rule => allows(rule, user, one)))
  if (lacking.length === 0) return
  const groups = user.groups.map(one => JSON.stringify(one)).join(' ')
  const why = `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${compact(lacking).join('\n')}`
  const { name = '' } = object.metadata
  throw new StatusError(403, 'Forbidden', `${plural}.${group} ${JSON.stringify(name)} is forbidden: ${why}`, {
    details: { name, group, kind: plural },
  })
}

function missing(plural: string, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${plural}.${group} ${JSON.stringify(name)} not found`, {
    details: { name, group, kind: plural },
  })
}

function singles({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): Single[] {
  const names = resourceNames.length === 0 ? [''] : resourceNames
  return verbs.flatMap(verb => [
    ...apiGroups.flatMap(group =>
      resources.flatMap(resource => names.map(name => ({ verb, group, resource, name, path: '' }))),
    ),
    ...nonResourceURLs.map(path => ({ verb, group: '', resource: '', name: '', path })),
  ])
}

function allows(rule: PolicyRule, user: User, { resource: of, ...single }: Single): boolean {
  const [resource = '', subresource = ''] = of.split('/')
  return ruleAllows(rule, { ...single, user, resource, subresource, version: '', namespace: '' })
}

/** As kube-apiserver prints rules: those of one resource as one. */
function compact(all: readonly Single[]): string[] {
  const verbs = Map.groupBy(all, ({ group, resource, name, path }) =>
    path === ''
      ? `APIGroups:[${quoted(group)}], Resources:[${quoted(resource)}]${name && `, ResourceNames:[${quoted(name)}]`}`
      : `NonResourceURLs:[${quoted(path)}]`,
  )
  return [...verbs].map(([of, same]) => `{${of}, Verbs:[${same.map(({ verb }) => quoted(verb)).join(' ')}]}`).sort()
}
