import type { AccessAttributes } from '../access.ts'
import type { PolicyRule } from './policy.ts'

/** The rights that a user made use of, as the object that grants exactly these. */
export interface UsedRole {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1'
  /** `Role` for what was done in one namespace; `ClusterRole` for what names none. */
  readonly kind: 'Role' | 'ClusterRole'
  readonly metadata: { readonly name: 'used'; readonly namespace?: string }
  readonly rules: readonly PolicyRule[]
}

/** A request that a user was allowed to do and did. */
export interface UsedRight {
  readonly verb: string
  /** '' for the core group. Not there for a path that is no resource. */
  readonly group?: string | undefined
  /** With its subresource: `games/status`. */
  readonly resource?: string | undefined
  /** Not there for the whole cluster. */
  readonly namespace?: string | undefined
  /** The object, or the one that a field selector names. Not there for all of them, or for more than a hundred. */
  readonly name?: string | undefined
  /** For what is no resource. */
  readonly path?: string | undefined
}

/** Names beyond these are any name, so that a long test does not keep the name of each of its objects. */
const maxNames = 100

/** Verbs by resource or path, each with the names that it was used with. */
type Used = Map<string, Map<string, Set<string>>>

/** Records what each user was allowed to do and did. */
export class UsedRights {
  /** By user and namespace. */
  readonly #users = new Map<string, Map<string, Used>>()

  note({ user, verb, group, resource, subresource, namespace, name, path }: AccessAttributes): void {
    const what = resource === '' ? path : `${group} ${subresource === '' ? resource : `${resource}/${subresource}`}`
    const namespaces = entry(this.#users, user.name, newMap<Used>)
    const verbs = entry(entry(namespaces, namespace, newMap<Map<string, Set<string>>>), what, newMap<Set<string>>)
    const names = entry(verbs, verb, newSet)
    if (names.size < maxNames) names.add(name)
    else if (!names.has(name)) names.add('')
  }

  clear(): void {
    this.#users.clear()
  }

  /** What one user did, sorted. */
  of(user: string): readonly UsedRight[] {
    const rights: UsedRight[] = []
    for (const [namespace, used] of [...(this.#users.get(user) ?? [])].sort(byKey))
      for (const [what, verbs] of [...used].sort(byKey))
        for (const [verb, names] of [...verbs].sort(byKey)) {
          const place = namespace === '' ? {} : { namespace }
          const space = what.indexOf(' ')
          const target = { group: what.slice(0, space), resource: what.slice(space + 1) }
          if (what.startsWith('/')) rights.push({ verb, path: what })
          else if (names.has('')) rights.push({ verb, ...target, ...place })
          else for (const name of [...names].sort()) rights.push({ verb, ...target, ...place, name })
        }
    return rights
  }

  /** By user, the ClusterRole first and then the Roles by namespace. */
  roles(): Readonly<Record<string, readonly UsedRole[]>> {
    return Object.fromEntries(
      [...this.#users].map(([user, namespaces]) => [
        user,
        [...namespaces].sort(byKey).map(
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

/** One rule for the resources of a group that have the same verbs; paths likewise. */
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
