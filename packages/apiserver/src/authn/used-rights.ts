import type { AccessAttributes } from './access.ts'
import type { SingleRight } from './grants.ts'
import type { PolicyRule } from './policy.ts'

/** The rights that a user has used, as the role that grants exactly these rights. */
export interface UsedRole {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1'
  /** `Role` for rights in one namespace, `ClusterRole` for rights without a namespace. */
  readonly kind: 'Role' | 'ClusterRole'
  readonly metadata: { readonly name: 'used'; readonly namespace?: string }
  readonly rules: readonly PolicyRule[]
}

/** A right that a user has used. */
export interface UsedRight {
  readonly verb: string
  /** '' for the core group. Absent for a path that is no resource. */
  readonly group?: string | undefined
  /** The resource with its subresource: `games/status`. */
  readonly resource?: string | undefined
  /** Absent for the whole cluster. */
  readonly namespace?: string | undefined
  /** The object, or the name in a field selector. Absent for all objects, or for more than a hundred. */
  readonly name?: string | undefined
  /** The path of a request without a resource. */
  readonly path?: string | undefined
  /**
   * For `escalate` and `bind` only: the rights that the user granted to others by a role or a binding, in the same namespace. A server allows the grant to
   * users with this verb, and to users that have these rights themselves.
   */
  readonly grants?: readonly UsedRight[] | undefined
}

/** The maximum number of recorded names. More names count as any name, so that a long test does not keep the name of each of its objects. */
const maxNames = 100

/** Verbs by resource or path, each with the names that it was used with. */
type Used = Map<string, Map<string, Set<string>>>

/** Rights that a user granted to others. */
interface Grant {
  /** The `escalate` or `bind` that these rights are recorded under. */
  readonly by: AccessAttributes
  readonly rights: Map<string, SingleRight>
  /** Whether the user could grant the rights only because the user had them. */
  readonly isHeld: boolean
}

/** Records the rights that each user has used. */
export class UsedRights {
  /** The used rights by user and namespace. */
  readonly #users = new Map<string, Map<string, Used>>()
  /** By user, and then by the `escalate` or `bind` that allows them. */
  readonly #grants = new Map<string, Map<string, Grant>>()

  note(right: AccessAttributes): void {
    add(entry(this.#users, right.user.name, newMap<Used>), right)
  }

  /** Records rights that a user granted to others, under the right `by` that allows the grant. */
  noteGrant(by: AccessAttributes, rights: readonly SingleRight[], isHeld: boolean): void {
    const key = JSON.stringify([by.verb, by.resource, by.namespace, by.name, isHeld])
    const grants = entry(this.#grants, by.user.name, newMap<Grant>)
    const grant = entry(grants, key, () => ({ by, rights: new Map(), isHeld }))
    for (const right of rights) grant.rights.set(JSON.stringify(right), right)
  }

  clear(): void {
    this.#users.clear()
    this.#grants.clear()
  }

  /** The used rights of a user, sorted. */
  of(user: string): readonly UsedRight[] {
    const rights: UsedRight[] = []
    const namespaces = this.#users.get(user) ?? newMap<Used>()
    for (const [namespace, used] of [...namespaces].sort(byKey))
      for (const [what, verbs] of [...used].sort(byKey))
        for (const [verb, names] of [...verbs].sort(byKey)) {
          const place = namespace === '' ? {} : { namespace }
          const space = what.indexOf(' ')
          const target = { group: what.slice(0, space), resource: what.slice(space + 1) }
          if (what.startsWith('/')) rights.push({ verb, path: what })
          else if (names.has('')) rights.push({ verb, ...target, ...place })
          else for (const name of [...names].sort()) rights.push({ verb, ...target, ...place, name })
        }
    for (const [, grant] of [...(this.#grants.get(user) ?? [])].sort(byKey)) rights.push(grantedBy(grant))
    return rights
  }

  /** The used rights of a user, with the rights that the user needs for its grants. */
  #withGrants(user: string, namespaces: ReadonlyMap<string, Used>): ReadonlyMap<string, Used> {
    const grants = this.#grants.get(user)
    if (grants === undefined) return namespaces
    const all = structuredClone(namespaces) as Map<string, Used>
    for (const { by, rights, isHeld } of grants.values()) {
      if (!isHeld) add(all, by)
      else for (const right of rights.values()) add(all, { ...right, namespace: by.namespace, subresource: '' })
    }
    return all
  }

  /** The roles by user: the ClusterRole first and then the Roles by namespace. */
  roles(): Readonly<Record<string, readonly UsedRole[]>> {
    return Object.fromEntries(
      [...this.#users].map(([user, namespaces]) => [
        user,
        [...this.#withGrants(user, namespaces)].sort(byKey).map(
          ([namespace, used]): UsedRole => ({
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: namespace === '' ? 'ClusterRole' : 'Role',
            metadata: namespace === '' ? { name: 'used' } : { name: 'used', namespace },
            rules: rulesOf(used),
          }),
        ),
      ]),
    )
  }
}

/** Adds a right to those of a user. */
function add(namespaces: Map<string, Used>, right: Omit<AccessAttributes, 'user' | 'version'>): void {
  const { verb, group, resource, subresource, namespace, name, path } = right
  const what = resource === '' ? path : `${group} ${subresource === '' ? resource : `${resource}/${subresource}`}`
  const verbs = entry(entry(namespaces, namespace, newMap<Map<string, Set<string>>>), what, newMap<Set<string>>)
  const names = entry(verbs, verb, newSet)
  if (names.size < maxNames) names.add(name)
  else if (!names.has(name)) names.add('')
}

function grantedBy({ by, rights }: Grant): UsedRight {
  const place = by.namespace === '' ? {} : { namespace: by.namespace }
  const grants = [...rights].sort(byKey).map(([, { verb, group, resource, name, path }]): UsedRight => {
    if (path !== '') return { verb, path }
    return { verb, group, resource, ...place, ...(name !== '' && { name }) }
  })
  const name = by.name === '' ? {} : { name: by.name }
  return { verb: by.verb, group: by.group, resource: by.resource, ...place, ...name, grants }
}

const newMap = <V>(): Map<string, V> => new Map()
const newSet = (): Set<string> => new Set()
const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}

/** Makes a rule for the resources of a group that have the same verbs. Paths likewise. */
function rulesOf(used: ReadonlyMap<string, ReadonlyMap<string, unknown>>): PolicyRule[] {
  const alike = Map.groupBy([...used].sort(byKey), ([what, verbs]) => {
    const group = what.startsWith('/') ? '/' : what.slice(0, what.indexOf(' '))
    return `${group} ${[...verbs.keys()].sort().join()}`
  })
  return [...alike].map(([key, same]): PolicyRule => {
    const [group = '', list = ''] = key.split(' ')
    const verbs = list.split(',')
    const names = same.map(([what]) => what)
    if (group === '/') return { verbs, nonResourceURLs: names }
    return { verbs, apiGroups: [group], resources: names.map(what => what.slice(what.indexOf(' ') + 1)) }
  })
}
