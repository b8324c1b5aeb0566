import { wrongUsage } from '../failure.ts'
import { isGrantedToAll } from './granted-to-all.ts'
import type { NeededRight } from './needed.ts'
import type { SeenRight } from './recorded.ts'

/** The ways in which an operator that writes roles and bindings may grant rights: it holds these rights itself, or it may grant any right. */
export const waysToGrant = ['hold', 'escalate'] as const
export type WayToGrant = (typeof waysToGrant)[number]

/** The rights that tests used, with the rights that the operator needs to grant others. Undecided grants stay unchanged. */
export function seenWithGrants(seen: readonly SeenRight[], way: WayToGrant | undefined): readonly SeenRight[] {
  if (way === undefined) return seen
  return seen.flatMap(({ grants, ...right }) => {
    if (grants === undefined || way === 'escalate') return [right]
    return grants.map(grant => ({ ...grant, by: right.by }))
  })
}

/**
 * The needed rights, without the rights to grant others. Throws if the operator grants a right that it does not have itself, because the user has to
 * choose how it may do so.
 */
export function withDecidedGrants(
  needed: readonly NeededRight[],
  isGranted: (right: NeededRight) => boolean,
): readonly NeededRight[] {
  const keyOf = ({ verb, group, resource, name, path }: NeededRight): string =>
    JSON.stringify([verb, group, resource, name, path])
  const plain = needed.filter(({ grants }) => grants === undefined)
  const held = new Map<string, Set<string | undefined>>()
  for (const right of plain) {
    const key = keyOf(right)
    held.set(key, (held.get(key) ?? new Set<string | undefined>()).add(right.namespace))
  }
  const isHeld = (right: NeededRight): boolean => {
    const everyName = keyOf({ ...right, name: undefined })
    const places = [...(held.get(keyOf(right)) ?? []), ...(held.get(everyName) ?? [])]
    return places.includes(undefined) || (right.namespace !== undefined && places.includes(right.namespace))
  }
  const open = needed.flatMap(({ grants = [], ...right }) => {
    const { namespace, by } = right
    const lacking = grants
      .map((grant): NeededRight => ({ ...grant, namespace, by }))
      .filter(grant => !isGrantedToAll(grant) && !isGranted(grant) && !isHeld(grant))
    return lacking.length === 0 || isGranted(right) ? [] : [{ right, lacking }]
  })
  if (open.length > 0) throw wrongUsage(question(open))
  return plain
}

/** A right to grant rights that the operator does not have. */
interface OpenGrant {
  readonly right: NeededRight
  readonly lacking: readonly NeededRight[]
}

function question(open: readonly OpenGrant[]): string {
  const lacking = [...new Set(open.flatMap(one => one.lacking.map(wordsOf)))]
  const some = `${lacking.slice(0, 5).join(', ')}${lacking.length > 5 ? `, and ${lacking.length - 5} more` : ''}`
  const verbs = [...new Set(open.map(({ right }) => wordsOf(right)))].join(', ')
  return `tests granted rights to others by roles or bindings (${some}), which a server allows in two ways: say --granting hold if the operator is to have these rights itself, and can grant no others; or --granting escalate (${verbs}) if it may grant any right, also to itself`
}

const wordsOf = ({ verb, resource, path }: NeededRight): string => `${verb} ${resource ?? path}`
