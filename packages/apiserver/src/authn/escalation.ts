import type { KubeObject } from '../objects/object.ts'
import { StatusError } from '../status.ts'
import type { AccessAttributes, AccessControl, User } from './access.ts'
import { quoted } from './forbidden.ts'
import { type SingleRight, singles } from './grants.ts'
import type { Binding, PolicyRule, Role } from './policy.ts'
import { privilegedGroup } from './rbac.ts'
import { ruleAllows } from './rule.ts'

const group = 'rbac.authorization.k8s.io'

export interface Granting {
  readonly user: User
  /** `roles`, `clusterroles`, `rolebindings` or `clusterrolebindings` */
  readonly plural: string
  readonly namespace: string
  /** The name in the path of the request: '' for a POST. */
  readonly name: string
  readonly object: KubeObject
}

/**
 * Refuses a role with rights that the user does not have, unless the user may `escalate` it, and a binding of such a role, unless the user may `bind` the role.
 * kube-apiserver does the same. If a function authorizes, its rights can't be compared, so nothing is refused. Records the rights that the user granted to
 * others.
 *
 * @throws StatusError
 */
export function confirmNoEscalation(access: AccessControl, granting: Granting): void {
  const { user, plural, namespace, object } = granting
  const held = access.rules(user, namespace)
  if (user.groups.includes(privilegedGroup) || held.incomplete) return
  const { verb, resource, name: role, rules } = grantOf(access, granting)
  const asked = { user, verb, resource, group, version: 'v1', namespace, name: role, subresource: '', path: '' }
  const { allowed } = access.decide(asked satisfies AccessAttributes)
  if (rules === undefined) {
    if (allowed) return
    throw missing(plural, role)
  }
  const granted = rules.flatMap(singles)
  const lacking = granted.filter(one => !held.rules.some(rule => allows(rule, user, one)))
  if (allowed || lacking.length === 0) {
    access.used.noteGrant(asked, granted, !allowed)
    return
  }
  const groups = user.groups.map(one => JSON.stringify(one)).join(' ')
  const why = `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${compact(lacking).join('\n')}`
  const { name = '' } = object.metadata
  throw new StatusError(403, 'Forbidden', `${plural}.${group} ${JSON.stringify(name)} is forbidden: ${why}`, {
    details: { name, group, kind: plural },
  })
}

/** The right `escalate` or `bind` that would allow a write, and the rights that the write grants; `undefined` if the role of a binding does not exist. */
function grantOf(access: AccessControl, { plural, namespace, name, object }: Granting) {
  if (!plural.endsWith('bindings')) {
    const rules: readonly PolicyRule[] | undefined = (object as unknown as Role).rules ?? []
    return { verb: 'escalate', resource: plural, name, rules }
  }
  const { roleRef } = object as unknown as Binding
  const resource = roleRef.kind === 'Role' ? 'roles' : 'clusterroles'
  return { verb: 'bind', resource, name: roleRef.name, rules: access.rulesOfRole(roleRef, namespace) }
}

function missing(plural: string, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${plural}.${group} ${JSON.stringify(name)} not found`, {
    details: { name, group, kind: plural },
  })
}

function allows(rule: PolicyRule, user: User, { resource: of, ...single }: SingleRight): boolean {
  const [resource = '', subresource = ''] = of.split('/')
  return ruleAllows(rule, { ...single, user, resource, subresource, version: '', namespace: '' })
}

/** The rights as kube-apiserver prints them: those of one resource together. */
function compact(all: readonly SingleRight[]): string[] {
  const verbs = Map.groupBy(all, ({ group, resource, name, path }) =>
    path === ''
      ? `APIGroups:[${quoted(group)}], Resources:[${quoted(resource)}]${name && `, ResourceNames:[${quoted(name)}]`}`
      : `NonResourceURLs:[${quoted(path)}]`,
  )
  return [...verbs].map(([of, same]) => `{${of}, Verbs:[${same.map(({ verb }) => quoted(verb)).join(' ')}]}`).sort()
}
