import { isGrantedToAll } from './granted-to-all.ts'
import type { SeenRight } from './recorded.ts'

/** One rule of a role, with the tests that need it. */
export interface NeededRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly tests: readonly string[]
}

/** The rules that hold in a namespace, or everywhere. */
export interface NeededRole {
  /** '' for a ClusterRole. */
  readonly namespace: string
  readonly rules: readonly NeededRule[]
}

/** What the user says of the names of objects. */
export interface NameChoice {
  /** Resources whose names in the tests are those of every cluster. */
  readonly fixed: readonly string[]
  /** Resources whose names come from other objects, although they are watched by name. */
  readonly any: readonly string[]
}

type Target = SeenRight & { readonly group: string; readonly resource: string }

/** The roles that grant what tests used and no more: the ClusterRole first, then a Role for each namespace. */
export function neededRoles(seen: readonly SeenRight[], choice: NameChoice): readonly NeededRole[] {
  const needed = seen.filter(right => !isGrantedToAll(right))
  const targets = needed.filter((right): right is Target => right.resource !== undefined)
  const hasClusterViews = targets.some(
    right => isView(right) && right.namespace === undefined && right.name === undefined,
  )
  const roles = new Map<string, NeededRule[]>()
  const add = (namespace: string, rules: readonly NeededRule[]): void =>
    void roles.set(namespace, [...(roles.get(namespace) ?? []), ...rules])
  for (const [, rights] of byKey(targets, ({ group, resource }) => `${group} ${withoutSubresource(resource)}`)) {
    add(home(rights, hasClusterViews), resourceRules(rights, choice))
  }
  for (const [path, rights] of byKey(needed, right => right.path)) {
    add('', [{ nonResourceURLs: [path], verbs: verbsOf(rights), tests: testsOf(rights) }])
  }
  return [...roles].sort(inOrder).map(([namespace, rules]) => ({ namespace, rules }))
}

/** A resource without its subresource: `games` of `games/status`. */
export function withoutSubresource(resource: string): string {
  return resource.split('/')[0] ?? ''
}

const isView = ({ verb }: SeenRight): boolean => verb === 'list' || verb === 'watch'

/** The namespace whose Role grants rights on one resource; '' for the ClusterRole. */
function home(rights: readonly Target[], hasClusterViews: boolean): string {
  const [namespace = '', ...others] = new Set(rights.map(right => right.namespace ?? ''))
  if (others.length > 0) return ''
  // What is written but never watched is written wherever the operator's objects are: a test shows only one such place.
  const isHere = rights.some(isView) || !hasClusterViews || rights[0]?.group === 'coordination.k8s.io'
  return isHere ? namespace : ''
}

/** The rules for one resource and its subresources. */
function resourceRules(rights: readonly Target[], choice: NameChoice): NeededRule[] {
  const names = fixedNames(rights, choice)
  /** Creation of an object has no name yet, and neither has the deletion of many. */
  const unnamed = new Set(['create', 'deletecollection'])
  return byKey(rights, ({ resource }) => resource).flatMap(([resource, all]) => {
    const verbs = byKey(all, ({ verb }) => verb)
    const isNamed = ([verb, uses]: (typeof verbs)[number]): boolean =>
      !unnamed.has(verb) && uses.every(({ name }) => name !== undefined && names.has(name))
    const rule = (some: typeof verbs, resourceNames: readonly string[]): NeededRule[] => {
      const uses = some.flatMap(([, list]) => list)
      if (uses.length === 0) return []
      const target = { apiGroups: [uses[0]?.group ?? ''], resources: [resource] }
      const named = resourceNames.length === 0 ? {} : { resourceNames }
      return [{ ...target, ...named, verbs: verbsOf(uses), tests: testsOf(uses) }]
    }
    return [
      ...rule(verbs.filter(isNamed), [...names].sort()),
      ...rule(
        verbs.filter(one => !isNamed(one)),
        [],
      ),
    ]
  })
}

/** The only names that a resource's objects have for the operator: those of its views, if each view is of one name. */
function fixedNames(rights: readonly Target[], { fixed, any }: NameChoice): ReadonlySet<string> {
  const resource = withoutSubresource(rights[0]?.resource ?? '')
  if (any.includes(resource)) return new Set()
  const namesOf = (some: readonly Target[]): string[] => some.flatMap(({ name }) => name ?? [])
  if (fixed.includes(resource)) return new Set(namesOf(rights))
  const views = rights.filter(isView)
  return new Set(views.every(({ name }) => name !== undefined) ? namesOf(views) : [])
}

const order = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']

function verbsOf(rights: readonly SeenRight[]): string[] {
  const verbs = new Set(rights.map(({ verb }) => verb))
  return [...order.filter(verb => verbs.has(verb)), ...[...verbs].filter(verb => !order.includes(verb)).sort()]
}

function testsOf(rights: readonly SeenRight[]): string[] {
  return [...new Set(rights.map(({ test }) => test))].sort()
}

/** Groups by key, sorted. What has no key is in no group. */
function byKey<T>(all: readonly T[], key: (one: T) => string | undefined): [string, T[]][] {
  const groups = [...Map.groupBy(all, key)]
  return groups.flatMap(([name, list]): [string, T[]][] => (name === undefined ? [] : [[name, list]])).sort(inOrder)
}

function inOrder([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
