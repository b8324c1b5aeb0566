import type { Clock, View } from '@wherry/client'
import { callGuarded } from '@wherry/client/internal'
import type { Entry } from '../entries/entry.ts'
import type { FirstList } from './first-list.ts'
import { BirthOrder, ChangeOrder } from './orders.ts'
import { type TombstoneReader, Tombstones, type TombstonesOptions } from './tombstones.ts'

/** The parts of a store that its journal needs. */
export interface JournalOptions<C> extends TombstonesOptions {
  readonly view: View<C>
  readonly clock: Clock
  /** The entries without a value. */
  readonly failed: () => Iterable<Entry<C>>
  /** Receives the error of a reader's callback, or of its promise. */
  readonly onError: (error: unknown) => void
}

/** A reader of a journal. */
export interface JournalReader extends TombstoneReader {
  /** Whether the reader has a change to read, or was closed. */
  readonly isPending: boolean
  /** Calls the function that waits for a change, and returns its result. */
  awake(): unknown
  /** Handles the deletion of an object without a value. The reader begins again if its user may hold an earlier object of that key. */
  mustReset(key: string): void
  close(): void
}

/** The length of a tick, to which ages are exact, in milliseconds. */
const tickMs = 250

/** The two orders of a store's keys, and their readers (rules R38, R39). */
export class Journal<C> {
  readonly changes: ChangeOrder<C> = new ChangeOrder<C>()
  readonly births: BirthOrder<C> = new BirthOrder<C>()
  readonly tombstones: Tombstones<C>
  readonly readers: Set<JournalReader> = new Set<JournalReader>()
  view: View<C>
  /** The number of the last change. */
  head = 0
  /** The number of the change that the store had synced with; `Infinity` before. */
  syncedAt: number = Number.POSITIVE_INFINITY
  readonly #options: JournalOptions<C>
  #mostKeys = 0
  #waiting: JournalReader[] = []
  #isWaking = false

  constructor(options: JournalOptions<C>) {
    this.#options = options
    this.view = options.view
    this.tombstones = new Tombstones<C>(this.changes, this.readers, options)
  }

  /** The present time in ticks, as in {@link Entry.tick}. */
  get tick(): number {
    return Math.floor(this.#options.clock.monotonic() / tickMs)
  }

  /** How long ago a tick was, in milliseconds. */
  since(tick: number): number {
    return Math.max(0, this.#options.clock.monotonic() - tick * tickMs)
  }

  failed(): Iterable<Entry<C>> {
    return this.#options.failed()
  }

  /** Adds an object without a value. Readers receive no event of it; the entry records the time. */
  addedWithoutValue(entry: Entry<C>): void {
    entry.changed = this.head
  }

  /** An object that never had a value was deleted. That is no event; readers that may hold an older object of that key are reset. */
  removedWithoutValue(key: string): void {
    for (const reader of this.readers) reader.mustReset(key)
    this.#changed()
  }

  /** An object has a value for the first time. */
  added(entry: Entry<C>): void {
    entry.changed = ++this.head
    entry.born = this.head
    entry.tick = this.tick
    this.changes.push(entry)
    this.births.push(entry)
    if (this.births.size > this.#mostKeys) this.#mostKeys = this.births.size
    this.#changed()
  }

  /** Adds all objects for which `begin` returns true. It passes over them once, because each pass over very many reads all of their memory. */
  addedAll(entries: Iterable<Entry<C>>, begin: (entry: Entry<C>) => boolean): readonly Entry<C>[] {
    const { tick, changes } = this
    const added: Entry<C>[] = []
    let { head } = this
    let at = changes.end
    for (const entry of entries) {
      if (!begin(entry)) {
        entry.changed = head
        continue
      }
      head++
      entry.changed = head
      entry.born = head
      entry.tick = tick
      entry.changedAt = at++
      added.push(entry)
    }
    this.head = head
    changes.append(added)
    this.births.append(added)
    if (this.births.size > this.#mostKeys) this.#mostKeys = this.births.size
    this.#changed()
    return added
  }

  /**
   * Adds all objects of a first list, which has numbered them. Returns false if the numbers or indices are wrong: changes came since the list began, or
   * earlier nodes have left holes.
   */
  addedFirst({ from, entries }: FirstList<C>): boolean {
    if (from !== this.head || this.changes.end > 0) return false
    this.head += entries.length
    this.changes.append(entries)
    this.births.append(entries)
    this.#mostKeys = Math.max(this.#mostKeys, entries.length)
    this.#changed()
    return true
  }

  /** An object has another value. */
  changed(entry: Entry<C>): void {
    this.changes.remove(entry)
    entry.changed = ++this.head
    entry.tick = this.tick
    this.changes.push(entry)
    this.#changed()
  }

  /** An object was deleted. `last` is the state that readers get. */
  removed(entry: Entry<C>, last: Entry<C>, finalStateUnknown: boolean, bytes: number): void {
    this.forget(entry)
    this.tombstones.retain(last, finalStateUnknown, bytes, ++this.head, this.tick)
    this.tombstones.bound(this.#mostKeys)
    this.#changed()
  }

  /** An object is removed without an event. */
  forget(entry: Entry<C>): void {
    this.changes.remove(entry)
    this.births.remove(entry)
    entry.changed = 0
    entry.born = 0
  }

  /** The store has synced: replays may end. */
  synced(): void {
    this.syncedAt = this.head
    this.#changed()
  }

  /** Wakes a reader as soon as it has a change to take. */
  wait(reader: JournalReader): void {
    this.#waiting.push(reader)
    if (reader.isPending) this.wake()
  }

  /** Wakes the waiting readers that have a change to take, together in a microtask. */
  wake(): void {
    if (this.#isWaking) return
    this.#isWaking = true
    queueMicrotask(this.#wakeAll)
  }

  /** Closes all readers, and drops all entries. */
  close(): void {
    for (const reader of [...this.readers]) reader.close()
    this.changes.clear()
    this.births.clear()
    this.tombstones.clear()
  }

  #changed(): void {
    if (this.#waiting.length > 0) this.wake()
  }

  readonly #wakeAll = (): void => {
    this.#isWaking = false
    const waiting = this.#waiting
    this.#waiting = []
    for (const reader of waiting) {
      if (reader.isPending) callGuarded(() => reader.awake(), this.#options.onError)
      else this.#waiting.push(reader)
    }
  }
}
