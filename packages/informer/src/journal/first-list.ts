import type { Entry } from '../entries/entry.ts'
import type { WriterId } from '../entries/writer-id.ts'

/**
 * Numbers the entries of a first list while it is read, chunk by chunk. When the list is complete, the journal takes them all without touching one:
 * a pass over 100,000 entries would hold the event loop for 20 to 100 ms.
 */
export class FirstList<C> {
  /** The number of the last change before the list. */
  readonly from: number
  readonly #tick: number
  readonly #writer: WriterId
  readonly entries: Entry<C>[] = []
  /** The size of all entries together, in bytes as received. */
  bytes = 0

  constructor(from: number, tick: number, writer: WriterId) {
    this.from = from
    this.#tick = tick
    this.#writer = writer
  }

  add(entry: Entry<C>): void {
    entry.changedAt = this.entries.length
    this.entries.push(entry)
    entry.changed = this.from + this.entries.length
    entry.born = entry.changed
    entry.tick = this.#tick
    entry.writer = this.#writer
    this.bytes += entry.bytes
  }

  /** Withdraws the numbers: the entries are then added one by one. */
  undo(): void {
    for (const entry of this.entries) {
      entry.changedAt = -1
      entry.changed = 0
      entry.born = 0
      entry.writer = undefined
    }
  }
}
