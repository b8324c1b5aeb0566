import { compareResourceVersions, isAtLeast } from '@wherry/client/internal'
import type { Entry } from '../entries/entry.ts'
import type { WriterId } from '../entries/writer-id.ts'

/** The last known state of a key: news with an older resourceVersion is outdated. */
export interface LastKnown {
  readonly resourceVersion: string | undefined
  /** News with the same resourceVersion is outdated, too. */
  readonly isInclusive: boolean
}

/** The parts of a store that a promotion reads and changes. */
export interface HandoverStore<C> {
  entryOf(key: string): Entry<C> | undefined
  entriesOf(writers: Iterable<WriterId>): Iterable<Entry<C>>
  put(received: Entry<C>, writer: WriterId): void
  removeUnwatched(entry: Entry<C>): void
}

/** A staged writer that takes over. */
export interface StagedWriter<C> extends WriterId {
  staged: ReadonlyMap<string, Entry<C>> | undefined
  readonly reached: string | undefined
}

export interface HandoverOptions<C> {
  /** The open keys of an earlier promotion. */
  readonly earlier: Handover<C> | undefined
  /** Deletions since the staged writers were made. */
  readonly deletions: ReadonlyMap<string, LastKnown>
  readonly next: readonly StagedWriter<C>[]
  readonly former: readonly WriterId[]
}

/**
 * Lets staged writers take over from former ones (rules D9, D12), key by key. The newer state stays. An object that the staged writers do not have
 * is deleted if they have reached its resourceVersion. A later deletion that the former writers saw stays.
 * @returns the keys for which the former writers were ahead; `undefined` if there are none.
 */
export function handOver<C>(store: HandoverStore<C>, options: HandoverOptions<C>): Handover<C> | undefined {
  const { earlier, deletions, next, former } = options
  const known = new Map<string, LastKnown>()
  const unconfirmed = new Set<Entry<C>>()
  const owners = new Set(former)
  const leaving = [...store.entriesOf(owners)]

  // The keys that an earlier promotion left open stay open: for its own writers or, if they are retired too, for the new ones. `deletions` also has the
  // deletions of such keys.
  const waiting = [...(earlier?.waiting ?? [])].filter(writer => writer.isOpen && !owners.has(writer))
  if (earlier !== undefined && waiting.length > 0) {
    for (const [key, last] of earlier.known) known.set(key, last)
    for (const entry of earlier.unconfirmed) unconfirmed.add(entry)
  } else if (earlier !== undefined) {
    for (const entry of earlier.unconfirmed) {
      if (store.entryOf(entry.key) === entry && entry.writer === undefined) leaving.push(entry)
    }
  }

  const reached = oldest(next.map(writer => writer.reached))
  for (const entry of leaving) {
    if (next.some(({ staged }) => staged?.has(entry.key))) continue
    if (!isOutdated(stateOf(entry), reached)) store.removeUnwatched(entry)
    else {
      entry.release()
      unconfirmed.add(entry)
      known.set(entry.key, stateOf(entry))
    }
  }
  for (const writer of next) {
    for (const entry of writer.staged?.values() ?? []) {
      const held = store.entryOf(entry.key)
      const last = held === undefined ? deletions.get(entry.key) : stateOf(held)
      if (last === undefined || !isOutdated(last, entry.resourceVersion)) store.put(entry, writer)
      else {
        known.set(entry.key, last)
        if (held === undefined) continue
        held.assignTo(writer)
        unconfirmed.add(held)
      }
    }
    writer.staged = undefined
  }
  // The new writers will receive the addition and the deletion of such an object again.
  for (const [key, last] of deletions) {
    if (store.entryOf(key) === undefined && isOutdated(last, reached)) known.set(key, last)
  }
  return known.size === 0 ? undefined : new Handover(known, unconfirmed, [...waiting, ...next])
}

/** The state that is held of a key. */
function stateOf({ resourceVersion }: Entry<unknown>): LastKnown {
  return { resourceVersion, isInclusive: false }
}

/** The oldest of some resourceVersions; `undefined` if one is unknown. */
function oldest(resourceVersions: readonly (string | undefined)[]): string | undefined {
  if (resourceVersions.includes(undefined)) return undefined
  return resourceVersions.reduce((a, b) => (compareResourceVersions(a, b) === 'older' ? a : b))
}

/** The open keys after a promotion: for them the former watch was ahead of the new one (rules R13, D9, D12). */
export class Handover<C> {
  /** The last known state of each open key: older news of it is dropped. */
  readonly known: Map<string, LastKnown>
  /** Entries in states that the new watch has not reached: it is unknown whether they are in its scope. */
  readonly unconfirmed: Set<Entry<C>>
  /** The writers that have not reached all that is known. */
  readonly waiting: Set<WriterId>
  readonly #last: string | undefined

  constructor(known: Map<string, LastKnown>, unconfirmed: Set<Entry<C>>, writers: Iterable<WriterId>) {
    this.known = known
    this.unconfirmed = unconfirmed
    this.waiting = new Set(writers)
    this.#last = newest([...known.values()].map(({ resourceVersion }) => resourceVersion))
  }

  /** Whether a state of a key is outdated. If it is not, or if it is the newest state (rule R5), the key is settled. */
  isOutdated(
    key: string,
    resourceVersion: string | undefined,
    held: Entry<C> | undefined,
    isNewest: boolean = false,
  ): boolean {
    const last = this.known.get(key)
    if (last === undefined) return false
    if (!isNewest && isOutdated(last, resourceVersion)) return true
    this.known.delete(key)
    if (held !== undefined) this.unconfirmed.delete(held)
    return false
  }

  /** A writer has reached a resourceVersion, or has closed (`undefined`). Returns whether everything is settled. */
  reached(writer: WriterId, resourceVersion: string | undefined): boolean {
    if (resourceVersion === undefined || isAtLeast(resourceVersion, this.#last)) this.waiting.delete(writer)
    return this.waiting.size === 0
  }

  /** Deletions that no writer has confirmed: the writers of the next promotion may not have reached them either. */
  *deletions(store: HandoverStore<C>): Iterable<readonly [string, LastKnown]> {
    for (const [key, last] of this.known) if (store.entryOf(key) === undefined) yield [key, last]
  }

  /** Removes the entries that no writer has confirmed. */
  settle(store: HandoverStore<C>): void {
    for (const entry of this.unconfirmed) if (store.entryOf(entry.key) === entry) store.removeUnwatched(entry)
  }
}

function isOutdated(last: LastKnown, resourceVersion: string | undefined): boolean {
  const order = compareResourceVersions(resourceVersion, last.resourceVersion)
  return order === 'older' || (order === 'same' && last.isInclusive)
}

function newest(resourceVersions: readonly (string | undefined)[]): string | undefined {
  return resourceVersions.reduce((a, b) => (compareResourceVersions(a, b) === 'newer' ? a : b), undefined)
}
