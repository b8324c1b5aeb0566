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

/** Records what each user was allowed to do and did. Names of objects are not recorded. */
export class UsedRights {
  /** Verbs by user, namespace, and resource or path. */
  readonly #users = new Map<string, Map<string, Map<string, Set<string>>>>()

  note({ user, verb, group, resource, subresource, namespace, path }: AccessAttributes): void {
    const what = resource === '' ? path : `${group} ${subresource === '' ? resource : `${resource}/${subresource}`}`
    const namespaces = entry(this.#users, user.name, newMap<Map<string, Set<string>>>)
    entry(entry(namespaces, namespace, newMap<Set<string>>), what, newSet).add(verb)
  }

  clear(): void {
    this.#users.clear()
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
function rulesOf(used: ReadonlyMap<string, ReadonlySet<string>>): PolicyRule[] {
  const alike = Map.groupBy([...used].sort(byKey), ([what, verbs]) => {
    const group = what.startsWith('/') ? '/' : what.slice(0, what.indexOf(' '))
    return `${group} ${[...verbs].sort().join()}`
  })
  return [...alike].map(([key, same]): PolicyRule => {
    const [group = '', list = ''] = key.split(' ')
    const verbs = list.split(',')
    const names = same.map(([what]) => what)
    if (group === '/') return { verbs, nonResourceURLs: names }
    return { verbs, apiGroups: [group], resources: names.map(what => what.slice(what.indexOf(' ') + 1)) }
  })
}
