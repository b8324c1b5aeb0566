import type { Entry } from '../entries/entry.ts'
import { Tombstone } from '../entries/tombstone.ts'
import type { ChangeOrder } from './orders.ts'

/** A reader that may not have read a deletion. */
export interface TombstoneReader {
  /** The number up to which the reader has read all deletions; `Infinity` if it needs none. */
  readonly readUpTo: number
  /** Makes the reader begin again, because a deletion of that tick, which it has not read, is forgotten. */
  lose(tick: number): void
}

export interface TombstonesOptions {
  /** @default the larger of 10,000 and the largest number of keys so far */
  readonly maxTombstones?: number | undefined
  readonly maxTombstoneBytes: number
}

const leastMaxTombstones = 10_000

/**
 * The tombstones of a journal (rule R39), kept until all readers have read them, within bounds. It counts the readers that have
 * not read the oldest tombstone, and looks at all readers only when that count becomes zero or a bound is passed. So it costs
 * about one step for each move of a reader.
 */
export class Tombstones<C> {
  readonly #changes: ChangeOrder<C>
  readonly #readers: Iterable<TombstoneReader>
  readonly #options: TombstonesOptions
  readonly #byKey = new Map<string, Tombstone<C>>()
  #oldest: Tombstone<C> | undefined
  #youngest: Tombstone<C> | undefined
  #bytes = 0
  /** How many readers have not read the oldest. */
  #behind = 0
  /** How many readers read deletions at all. */
  #followers = 0

  constructor(changes: ChangeOrder<C>, readers: Iterable<TombstoneReader>, options: TombstonesOptions) {
    this.#changes = changes
    this.#readers = readers
    this.#options = options
  }

  get size(): number {
    return this.#byKey.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Keeps the last state of a deleted object, in place of an earlier tombstone of that key, if a reader may need it. */
  retain(last: Entry<C>, finalStateUnknown: boolean, bytes: number, number: number, tick: number): void {
    const former = this.#byKey.get(last.key)
    const wasOldest = former !== undefined && former === this.#oldest
    if (former !== undefined) this.#drop(former)
    if (this.#followers === 0) return
    const tombstone = new Tombstone(last.key, last.value as C, finalStateUnknown, bytes)
    tombstone.changed = number
    tombstone.tick = tick
    tombstone.older = this.#youngest
    if (this.#youngest === undefined) this.#oldest = tombstone
    else this.#youngest.younger = tombstone
    this.#youngest = tombstone
    this.#byKey.set(last.key, tombstone)
    this.#bytes += bytes
    this.#changes.push(tombstone)
    if (wasOldest) this.#collect()
    else if (this.#oldest === tombstone) this.#behind = this.#followers
  }

  /** Records the progress of a reader: the number up to which it has read deletions; `Infinity`: it needs none. */
  moved(from: number, to: number): void {
    if (from === Number.POSITIVE_INFINITY && to !== from) this.#followers++
    if (to === Number.POSITIVE_INFINITY && to !== from) this.#followers--
    const oldest = this.#oldest
    if (oldest === undefined || from >= oldest.changed || to < oldest.changed) return
    if (--this.#behind === 0) this.#collect()
  }

  /** Keeps to the bounds, at the cost of the readers that are furthest behind. */
  bound(mostKeys: number): void {
    const { maxTombstones = Math.max(leastMaxTombstones, mostKeys), maxTombstoneBytes } = this.#options
    while (this.#byKey.size > maxTombstones || this.#bytes > maxTombstoneBytes) {
      const { changed, tick } = this.#oldest as Tombstone<C>
      for (const reader of this.#readers) {
        if (reader.readUpTo >= changed) continue
        reader.lose(tick)
        this.#followers--
      }
      this.#collect()
    }
  }

  clear(): void {
    this.#byKey.clear()
    this.#oldest = undefined
    this.#youngest = undefined
    this.#bytes = 0
    this.#behind = 0
  }

  /** Drops the tombstones that all readers have read. */
  #collect(): void {
    let least = Number.POSITIVE_INFINITY
    for (const { readUpTo } of this.#readers) if (readUpTo < least) least = readUpTo
    while (this.#oldest !== undefined && this.#oldest.changed <= least) this.#drop(this.#oldest)
    this.#behind = 0
    if (this.#oldest === undefined) return
    for (const { readUpTo } of this.#readers) if (readUpTo < this.#oldest.changed) this.#behind++
  }

  #drop(tombstone: Tombstone<C>): void {
    const { older, younger } = tombstone
    if (older === undefined) this.#oldest = younger
    else older.younger = younger
    if (younger === undefined) this.#youngest = older
    else younger.older = older
    tombstone.older = undefined
    tombstone.younger = undefined
    this.#byKey.delete(tombstone.key)
    this.#bytes -= tombstone.bytes
    this.#changes.remove(tombstone)
  }
}
