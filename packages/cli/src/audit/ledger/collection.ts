import type { Found } from '../scan/body-reader.ts'
import type { Fingerprint } from './fingerprint.ts'
import { NumberTable } from './number-table.ts'

/** The reason for a repeated list of the same objects. */
export type RelistReason =
  /** The server no longer had the version that a watch was to begin at. */
  | '410'
  /** The server ended the watch. */
  | 'closed'
  /** The connection broke. */
  | 'cut'
  /** The program ended the watch. */
  | 'left'
  /** A watch of the same objects was open. */
  | 'open'
  /** The program did not watch the objects after its last list. */
  | 'unwatched'
  /** The server refused the watch. */
  | 'refused'

/** How an answer ended. */
export type AnswerEnd = 'closed' | 'cut' | 'left'

/** The lists and watches of one resource in one scope with one selector. */
export class Collection {
  /** The namespace; empty for the whole cluster. */
  readonly namespace: string
  readonly selector: string
  lists = 0
  furtherPages = 0
  watches = 0
  /** Objects in lists and events. */
  objects = 0
  /** Bytes of the bodies, unpacked. */
  bytes = 0
  /** Bytes of the bodies as they were sent, possibly compressed. */
  wireBytes = 0
  /** The number of different objects, including deleted ones. */
  distinct = 0
  /** Bytes of the last received version of each different object. */
  onceBytes = 0
  readonly relists: Map<RelistReason, number> = new Map()
  /** The sizes of the objects that are not deleted. */
  readonly #sizes = new NumberTable()
  /** The numbers of deleted objects. It grows with each name that was deleted. */
  readonly #deleted = new NumberTable()
  #openWatches = 0
  #hasListed = false
  #lastEnd: RelistReason | undefined

  constructor(namespace: string, selector: string) {
    this.namespace = namespace
    this.selector = selector
  }

  /** The number of different received objects that have these fingerprints, including deleted ones. */
  distinctOf(fingerprints: Iterable<Fingerprint>): number {
    let count = 0
    for (const object of fingerprints) count += (this.#deleted.get(object) ?? 0) + (this.#sizes.has(object) ? 1 : 0)
    return count
  }

  /** Counts a list that begins. Returns the reason for a repeated list, or undefined for the first. */
  beginList(isFurtherPage: boolean): RelistReason | undefined {
    if (isFurtherPage) {
      this.furtherPages++
      return undefined
    }
    this.lists++
    if (!this.#hasListed) return undefined
    return this.#openWatches > 0 ? 'open' : (this.#lastEnd ?? 'unwatched')
  }

  /** Counts a list that was answered. A refused list does not make the next list a repeated one. */
  listed(reason: RelistReason | undefined): void {
    if (reason !== undefined) this.relists.set(reason, (this.relists.get(reason) ?? 0) + 1)
    this.#hasListed = true
    this.#lastEnd = undefined
  }

  beginWatch(): void {
    this.watches++
    this.#openWatches++
  }

  endWatch(reason: RelistReason): void {
    this.#openWatches--
    this.#lastEnd = reason
  }

  /** Counts an object of a list or an event. */
  received(object: Fingerprint, { type, bytes }: Found): void {
    this.objects++
    const before = this.#sizes.get(object)
    if (before === undefined) this.distinct++
    this.onceBytes += bytes - (before ?? 0)
    if (type === 'DELETED') {
      this.#sizes.delete(object)
      this.#deleted.set(object, (this.#deleted.get(object) ?? 0) + 1)
    } else this.#sizes.set(object, bytes)
  }
}
