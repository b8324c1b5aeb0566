import type { UsedRight } from '@wherry/apiserver'
import type { DeclaredRight, OperatorDeclaration } from '../program/declaration.ts'
import type { DeclaredProgram } from '../program/declared.ts'
import { isGrantedToAll } from './granted-to-all.ts'
import type { SeenRight } from './recorded.ts'

/** A right that an operator needs, with the declaration or the test that needs it. */
export interface NeededRight extends UsedRight {
  readonly by: string
  /** Whether the right has a rule of its own, for its name only, regardless of other rights to the resource. */
  readonly exact?: boolean | undefined
}

/** The namespaces in which rights are needed. */
export interface Places {
  /** The operator's own namespace. `undefined`: the namespace that its tests used. */
  readonly namespace: string | undefined
  /** Resources that the operator uses in its own namespace only. */
  readonly own: readonly string[]
  /** Without a program: whether a resource that is used in several namespaces is granted in each of them, and not in the cluster. @default false */
  readonly isEach?: boolean | undefined
}

/** A right to a resource. */
export type Target = NeededRight & { readonly group: string; readonly resource: string }

/** The rights that tests used and that a program declares, each with the namespace in which it is granted. Rights in the whole cluster have no namespace. */
export function neededRights(
  seen: readonly SeenRight[],
  program: DeclaredProgram | undefined,
  places: Places,
): readonly NeededRight[] {
  const all = placedRights(seen.flatMap(withList), program, places)
  const keyOf = ({ verb, group, resource }: NeededRight): string => `${verb} ${group} ${resource}`
  const isEverywhere = ({ namespace, name, exact }: NeededRight): boolean =>
    namespace === undefined && name === undefined && !exact
  const everywhere = new Set(all.filter(isEverywhere).map(keyOf))
  return all.flatMap(right => {
    if (!everywhere.has(keyOf(right))) return [right]
    return right.exact ? [] : [inNamespace(right, undefined)]
  })
}

/** Adds a list for each watch, because a watch lists first on a server without streaming lists. */
function withList(right: SeenRight): SeenRight[] {
  return right.verb === 'watch' ? [right, { ...right, verb: 'list' }] : [right]
}

function placedRights(
  seen: readonly SeenRight[],
  program: DeclaredProgram | undefined,
  places: Places,
): readonly NeededRight[] {
  if (program === undefined) return placedByTests(seen.filter(needsGrant), places)
  const { declaration, used, file } = program
  const atStart = used.map((right): NeededRight => ({ ...right, by: `${file}, before its operator runs` }))
  const all = [...atStart, ...seen].filter(needsGrant)
  const exact = declaration.rights.filter(right => right.exact)
  const placed = withoutExact(all, exact).flatMap(right => placedBy(declaration, right, places))
  return [...declaration.rights, ...placed]
}

/** A resource without its subresource: `games` of `games/status`. */
export function withoutSubresource(resource: string): string {
  return resource.split('/')[0] ?? ''
}

/** A list or a watch. */
export const isView = ({ verb }: UsedRight): boolean => verb === 'list' || verb === 'watch'

const needsGrant = (right: UsedRight): boolean => !isGrantedToAll(right)

/** Whether a right is for a resource, and not for a path. */
export const isTarget = (right: NeededRight): right is Target => right.resource !== undefined

/** The group and the resource of a right, without its subresource. */
export const resourceOf = ({ group, resource }: Target): string => `${group} ${withoutSubresource(resource)}`

/**
 * The used rights, without those that a component of the operator declares for a name. A creation has no name. It counts as the component's creation if the
 * tests used no other object of the resource.
 */
function withoutExact(used: readonly NeededRight[], exact: readonly DeclaredRight[]): readonly NeededRight[] {
  const isOf = (right: NeededRight, one: DeclaredRight): boolean =>
    one.verb === right.verb && one.group === right.group && one.resource === right.resource
  const isNamed = (right: NeededRight): boolean =>
    exact.some(one => isOf(right, one) && one.name !== undefined && one.name === right.name)
  const others = new Set(
    used
      .filter(isTarget)
      .filter(right => right.verb !== 'create' && !isNamed(right))
      .map(resourceOf),
  )
  return used.filter(right => {
    if (!isTarget(right) || isNamed(right)) return !isNamed(right)
    return others.has(resourceOf(right)) || !exact.some(one => isOf(right, one) && one.name === undefined)
  })
}

/** Places a right in the namespaces of the declaration, because a test runs in a namespace of its own. */
function placedBy(declaration: OperatorDeclaration, right: NeededRight, { namespace, own }: Places): NeededRight[] {
  if (!isTarget(right) || right.namespace === undefined) return [right]
  const plural = withoutSubresource(right.resource)
  if (isLease(right) || own.includes(plural)) return [{ ...right, ...(namespace !== undefined && { namespace }) }]
  const isAlike = (one: DeclaredRight): boolean => one.group === right.group && one.resource === plural && !one.exact
  const alike = declaration.rights.filter(isAlike)
  const found: readonly (string | undefined)[] =
    alike.length > 0 ? alike.map(one => one.namespace) : (declaration.namespaces ?? [undefined])
  // A right in the whole cluster needs no role in a namespace.
  const isEverywhere = found.includes(undefined)
  return (isEverywhere ? [undefined] : [...new Set(found)]).map(place => inNamespace(right, place))
}

function inNamespace({ namespace: _, ...right }: NeededRight, namespace: string | undefined): NeededRight {
  return namespace === undefined ? right : { ...right, namespace }
}

/**
 * Places rights without a declaration: in the only namespace of a resource, or in the whole cluster if tests used the resource in several namespaces. With
 * `isEach`, in each of them.
 */
function placedByTests(rights: readonly NeededRight[], { namespace, own, isEach }: Places): readonly NeededRight[] {
  const targets = rights.filter(isTarget)
  const isClusterView = (right: Target): boolean =>
    isView(right) && right.namespace === undefined && right.name === undefined
  const hasClusterViews = targets.some(isClusterView)
  const places = new Map<string, 'each' | { readonly namespace: string | undefined } | undefined>(
    [...Map.groupBy(targets, resourceOf)].map(([key, all]) => {
      const isOwn = isLease(all[0]) || own.includes(key.split(' ')[1] ?? '')
      const [place, ...others] = new Set(all.map(right => right.namespace))
      // A resource that is written but never watched is written in all namespaces of the operator's objects, although a test shows only one.
      const isHere = all.some(isView) || !hasClusterViews
      if (isEach) return [key, (isOwn || isHere) && ![place, ...others].includes(undefined) ? 'each' : undefined]
      return [key, isOwn || (isHere && others.length === 0) ? { namespace: place } : undefined]
    }),
  )
  return rights.map(right => {
    if (!isTarget(right)) return right
    const place = places.get(resourceOf(right))
    if (place === 'each') return right
    return inNamespace(right, place?.namespace === undefined ? undefined : (namespace ?? place.namespace))
  })
}

/** Whether a right is for a lease. The operator chooses the lease's name, and keeps the lease in its own namespace. */
export function isLease(right: UsedRight | undefined): boolean {
  return right?.group === 'coordination.k8s.io'
}
