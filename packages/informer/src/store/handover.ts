import { compareResourceVersions, isAtLeast } from '@wherry/client'
import type { Contents, Gone } from './contents.ts'
import type { Entry } from './entry.ts'
import type { Owner } from './owner.ts'

/**
 * What is open after a promotion: keys of which the old watch knew more than the new one has come to. Until the new
 * intakes have come to all of that, what they tell of such a key is measured by what is known (rules R13, D9, D12).
 */
export class Handover<C> {
  /** What is known of a key: older news of it is dropped. */
  readonly known: Map<string, Gone>
  /** Entries in states that the old watch had and the new one has not come to: whether they are in its scope is open. */
  readonly unconfirmed: Set<Entry<C>>
  /** Who has not come to all that is known. */
  readonly waiting: Set<Owner<C>>
  readonly #last: string | undefined

  constructor(known: Map<string, Gone>, unconfirmed: Set<Entry<C>>, intakes: Iterable<Owner<C>>) {
    this.known = known
    this.unconfirmed = unconfirmed
    this.waiting = new Set(intakes)
    this.#last = newest([...known.values()].map(({ resourceVersion }) => resourceVersion))
  }

  /**
   * Whether what comes of a key is older than what is known. If not, nothing is open about that key any more; nor is it where
   * this is the newest state, of a server that may count anew (rule R5).
   */
  isOutdated(
    key: string,
    resourceVersion: string | undefined,
    held: Entry<C> | undefined,
    isNewest: boolean = false,
  ): boolean {
    const known = this.known.get(key)
    if (known === undefined) return false
    if (!isNewest && isOutdated(known, resourceVersion)) return true
    this.known.delete(key)
    if (held !== undefined) this.unconfirmed.delete(held)
    return false
  }

  /** An intake has come to a resourceVersion, or ended. Gives whether nothing is open any more. */
  passed(intake: Owner<C>, resourceVersion: string | undefined): boolean {
    if (resourceVersion === undefined || isAtLeast(resourceVersion, this.#last)) this.waiting.delete(intake)
    return this.waiting.size === 0
  }

  /** What is known to be gone and has not been heard of since: whoever is to take over next may not have come to it either. */
  *deletions(contents: Contents<C>): Iterable<readonly [string, Gone]> {
    for (const entry of this.known) if (!contents.entries.has(entry[0])) yield entry
  }

  /** What nobody has confirmed is not there. */
  settle(contents: Contents<C>): void {
    for (const entry of this.unconfirmed) {
      if (contents.entries.get(entry.key) === entry) contents.remove(entry, 'unwatched')
    }
  }
}

/** Whether news of a resourceVersion is older than a deletion, or whatever else is known. */
export function isOutdated(known: Gone, resourceVersion: string | undefined): boolean {
  const order = compareResourceVersions(resourceVersion, known.resourceVersion)
  return order === 'older' || (order === 'same' && known.isInclusive)
}

function newest(resourceVersions: readonly (string | undefined)[]): string | undefined {
  return resourceVersions.reduce((a, b) => (compareResourceVersions(a, b) === 'newer' ? a : b), undefined)
}
