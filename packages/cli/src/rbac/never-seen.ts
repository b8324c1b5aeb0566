import type { UsedRight } from '@wherry/apiserver'
import type { DeclaredRight } from '../program/declaration.ts'

/**
 * The rights that controllers declare and no test used. Leases, events and reviews of tokens are left out, because only the library uses them, and has
 * its own tests. A watch counts as the use of a list too, because a server with streaming lists needs no request for a list.
 */
export function neverSeen(declared: readonly DeclaredRight[], seen: readonly UsedRight[]): readonly DeclaredRight[] {
  const keyOf = ({ verb, group, resource }: UsedRight): string => `${verb} ${group} ${resource}`
  const used = new Set(seen.map(keyOf))
  const unseen = declared.filter(right => {
    if (!right.by.startsWith('controller ') || right.by.endsWith(': events')) return false
    return !used.has(keyOf(right)) && !(right.verb === 'list' && used.has(keyOf({ ...right, verb: 'watch' })))
  })
  // A right in several namespaces is reported once.
  return [...new Map(unseen.map(right => [`${right.by} ${keyOf(right)}`, right])).values()]
}
