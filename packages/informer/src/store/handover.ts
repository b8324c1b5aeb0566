import { compareResourceVersions, isAtLeast } from '@wherry/client/internal'
import type { Entry } from '../entries/entry.ts'
import type { Owner } from '../entries/owner.ts'
import type { Contents, Gone } from './contents.ts'
import type { PlainIntake } from './plain-intake.ts'

/**
 * Lets staged intakes take over from former ones (rules D9, D12), key by key: the newer state stays; what the staged ones do not have
 * is deleted, if they are as new as it; what the former ones saw deleted later stays so.
 * @returns what the former ones were ahead with, and so is open; `undefined` if nothing is.
 */
export function handOver<C>(
  contents: Contents<C>,
  earlier: Handover<C> | undefined,
  next: readonly PlainIntake<C>[],
  former: readonly PlainIntake<C>[],
): Handover<C> | undefined {
  const gone = contents.gone ?? new Map<string, Gone>()
  const known = new Map<string, Gone>()
  const unconfirmed = new Set<Entry<C>>()
  const owners = new Set(former.map(({ owner }) => owner))
  const leaving = [...contents.of(owners)]

  // What an earlier promotion left open stays so: for its own intakes or, if they go too, for these. The deletions among
  // it are remembered since these were staged.
  const waiting = [...(earlier?.waiting ?? [])].filter(owner => owner.isOpen && !owners.has(owner))
  if (earlier !== undefined && waiting.length > 0) {
    for (const [key, about] of earlier.known) known.set(key, about)
    for (const entry of earlier.unconfirmed) unconfirmed.add(entry)
  } else if (earlier !== undefined) {
    for (const entry of earlier.unconfirmed) {
      if (contents.entries.get(entry.key) === entry && entry.owner === undefined) leaving.push(entry)
    }
  }

  const reached = oldest(next.map(intake => intake.reached))
  for (const entry of leaving) {
    if (next.some(({ staged }) => staged?.has(entry.key))) continue
    if (!isOutdated(stateOf(entry), reached)) contents.remove(entry, 'unwatched')
    else {
      entry.owner?.release(entry)
      unconfirmed.add(entry)
      known.set(entry.key, stateOf(entry))
    }
  }
  for (const intake of next) {
    for (const entry of intake.staged?.values() ?? []) {
      const held = contents.entries.get(entry.key)
      const about = held === undefined ? gone.get(entry.key) : stateOf(held)
      if (about === undefined || !isOutdated(about, entry.resourceVersion)) contents.put(entry, intake.owner)
      else {
        known.set(entry.key, about)
        if (held === undefined) continue
        intake.owner.claim(held)
        unconfirmed.add(held)
      }
    }
    intake.staged = undefined
  }
  // What came and went for the former ones will come and go once more for these.
  for (const [key, about] of gone) {
    if (!contents.entries.has(key) && isOutdated(about, reached)) known.set(key, about)
  }
  if (known.size === 0) return undefined
  return new Handover(known, unconfirmed, [...waiting, ...next.map(({ owner }) => owner)])
}

/** What is held of a key: older news of it is outdated. */
function stateOf({ resourceVersion }: Entry<unknown>): Gone {
  return { resourceVersion, isInclusive: false }
}

/** The oldest of some; `undefined` where one is not known. */
function oldest(resourceVersions: readonly (string | undefined)[]): string | undefined {
  if (resourceVersions.includes(undefined)) return undefined
  return resourceVersions.reduce((a, b) => (compareResourceVersions(a, b) === 'older' ? a : b))
}

/** What is open after a promotion: keys of which the old watch knew more than the new one has come to (rules R13, D9, D12). */
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

  /** Whether what comes of a key is older than what is known. If not, or if it is the newest state (rule R5), nothing is open there. */
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
function isOutdated(known: Gone, resourceVersion: string | undefined): boolean {
  const order = compareResourceVersions(resourceVersion, known.resourceVersion)
  return order === 'older' || (order === 'same' && known.isInclusive)
}

function newest(resourceVersions: readonly (string | undefined)[]): string | undefined {
  return resourceVersions.reduce((a, b) => (compareResourceVersions(a, b) === 'newer' ? a : b), undefined)
}
