import type { UsedRight } from '@wherry/apiserver'
import type { DeclaredRight } from '../program/declaration.ts'

/**
 * What controllers declare and no test used. Leases, events and reviews of tokens are left out: the library uses them by itself, and has tests of its
 * own. A list is used by a watch: on a server that streams lists, it is no request of its own.
 */
export function neverSeen(declared: readonly DeclaredRight[], seen: readonly UsedRight[]): readonly DeclaredRight[] {
  const keyOf = ({ verb, group, resource }: UsedRight): string => `${verb} ${group} ${resource}`
  const used = new Set(seen.map(keyOf))
  const unseen = declared.filter(right => {
    if (!right.by.startsWith('controller ') || right.by.endsWith(': events')) return false
    return !used.has(keyOf(right)) && !(right.verb === 'list' && used.has(keyOf({ ...right, verb: 'watch' })))
  })
  // Of several namespaces one is enough.
  return [...new Map(unseen.map(right => [`${right.by} ${keyOf(right)}`, right])).values()]
}
