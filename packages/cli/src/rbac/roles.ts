import { isLease, isTarget, isView, type NeededRight, resourceOf, type Target, withoutSubresource } from './needed.ts'

/** A rule of a role, with the uses that need it. */
export interface NeededRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  /** Declarations and tests. */
  readonly by: readonly string[]
}

/** The rules that hold in a namespace, or everywhere. */
export interface NeededRole {
  /** '' for a ClusterRole. */
  readonly namespace: string
  readonly rules: readonly NeededRule[]
}

/** The user's choices about the names of objects. */
export interface NameChoice {
  /** Resources with the same names in every cluster as in the tests. */
  readonly fixed: readonly string[]
  /** Resources that are watched by name, but by names that come from other objects. */
  readonly any: readonly string[]
}

/** The roles that grant these rights: the ClusterRole first, then a Role for each namespace. */
export function neededRoles(needed: readonly NeededRight[], choice: NameChoice): readonly NeededRole[] {
  const targets = needed.filter(isTarget).filter(right => !right.exact)
  const exact = needed.filter(isTarget).filter(right => right.exact)
  const roles = new Map<string, NeededRule[]>()
  const add = (namespace: string, rules: readonly NeededRule[]): void =>
    void roles.set(namespace, [...(roles.get(namespace) ?? []), ...rules])
  for (const [, rights] of byKey(targets, resourceOf)) {
    const names = fixedNames(rights, choice)
    for (const [namespace, here] of byKey(rights, right => right.namespace ?? '')) add(namespace, rulesFor(here, names))
  }
  for (const [namespace, here] of byKey(exact, right => right.namespace ?? '')) add(namespace, exactRules(here))
  for (const [path, rights] of byKey(needed, right => right.path)) {
    add('', [{ nonResourceURLs: [path], verbs: verbsOf(rights), by: reasonsOf(rights) }])
  }
  return [...roles].sort(inOrder).map(([namespace, rules]) => ({ namespace, rules }))
}

/** A resource that was watched only by names. It is unknown whether the objects have these names in every cluster. */
export interface UndecidedNames {
  readonly resource: string
  readonly names: readonly string[]
}

/** The resources for which the user has to choose whether they are granted by name. No choice is needed for names that a view declares. */
export function undecidedNames(
  needed: readonly NeededRight[],
  declared: readonly { readonly group: string; readonly resource: string; readonly name?: string | undefined }[],
  { fixed, any }: NameChoice,
): readonly UndecidedNames[] {
  const targets = needed.filter(isTarget).filter(right => !right.exact)
  return byKey(targets, resourceOf).flatMap(([, rights]) => {
    const [{ group, resource: first } = { group: '', resource: '' }] = rights
    const resource = withoutSubresource(first)
    if (isLease(rights[0]) || fixed.includes(resource) || any.includes(resource)) return []
    const known = declared.filter(one => one.group === group && one.resource === resource).map(({ name }) => name)
    const names = watchedNames(rights).filter(name => !known.includes(name))
    return names.length === 0 ? [] : [{ resource, names }]
  })
}

/** The rules for one resource and its subresources in one namespace. */
function rulesFor(rights: readonly Target[], names: ReadonlySet<string>): NeededRule[] {
  // RBAC can't limit these verbs by name, because their requests name no object.
  const unnamed = new Set(['create', 'deletecollection'])
  return byKey(rights, ({ resource }) => resource).flatMap(([resource, all]) => {
    const verbs = byKey(all, ({ verb }) => verb)
    const isNamed = ([verb, uses]: (typeof verbs)[number]): boolean =>
      !unnamed.has(verb) && uses.every(({ name }) => name !== undefined && names.has(name))
    const rule = (some: typeof verbs, resourceNames: readonly string[]): NeededRule[] => {
      // In the order of the rights, in which declared rights come first.
      const uses = all.filter(({ verb }) => some.some(([one]) => one === verb))
      if (uses.length === 0) return []
      const target = { apiGroups: [uses[0]?.group ?? ''], resources: [resource] }
      const named = resourceNames.length === 0 ? {} : { resourceNames }
      return [{ ...target, ...named, verbs: verbsOf(uses), by: reasonsOf(uses) }]
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

/** A rule for each name, which grants nothing for other names. */
function exactRules(rights: readonly Target[]): NeededRule[] {
  return byKey(rights, one => JSON.stringify([one.group, one.resource, one.name ?? ''])).map(([, alike]) => {
    const [{ group, resource, name } = { group: '', resource: '' }] = alike
    const named = name === undefined ? {} : { resourceNames: [name] }
    return { apiGroups: [group], resources: [resource], ...named, verbs: verbsOf(alike), by: reasonsOf(alike) }
  })
}

/**
 * The names to which the rights of a resource are limited: all used names of a lease or of a resource with fixed names, otherwise the names of the views, if
 * each view has a single name. Empty: the rights are for all names.
 */
function fixedNames(rights: readonly Target[], { fixed, any }: NameChoice): ReadonlySet<string> {
  const resource = withoutSubresource(rights[0]?.resource ?? '')
  if (any.includes(resource)) return new Set()
  const isFixed = fixed.includes(resource) || isLease(rights[0])
  return new Set(isFixed ? rights.flatMap(({ name }) => name ?? []) : watchedNames(rights))
}

/** The names of the views, if each view has a single name; otherwise none. */
function watchedNames(rights: readonly Target[]): readonly string[] {
  const views = rights.filter(isView)
  const names = views.flatMap(({ name }) => name ?? [])
  return names.length === views.length ? [...new Set(names)].sort() : []
}

const order = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']

function verbsOf(rights: readonly NeededRight[]): string[] {
  const verbs = new Set(rights.map(({ verb }) => verb))
  return [...order.filter(verb => verbs.has(verb)), ...[...verbs].filter(verb => !order.includes(verb)).sort()]
}

function reasonsOf(rights: readonly NeededRight[]): string[] {
  return [...new Set(rights.map(({ by }) => by))]
}

/** Groups items by key, sorted. Items without a key are left out. */
function byKey<T>(all: readonly T[], key: (one: T) => string | undefined): [string, T[]][] {
  const groups = [...Map.groupBy(all, key)]
  return groups.flatMap(([name, list]): [string, T[]][] => (name === undefined ? [] : [[name, list]])).sort(inOrder)
}

function inOrder([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
