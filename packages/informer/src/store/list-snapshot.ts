import type { Entry } from '../entries/entry.ts'
import { type Identity, identityOf, isSameState } from '../entries/identity.ts'
import type { WriterId } from '../entries/writer-id.ts'
import type { FirstList } from '../journal/first-list.ts'
import type { Snapshot } from './store-writer.ts'

/** The methods of a store that a snapshot calls. */
export interface SnapshotSource<C> {
  entryOf(key: string): Entry<C> | undefined
  /** An entry for a received object. An object that the store has in the same state is not transformed again. */
  received(object: object, identity: Identity, bytes: number): Entry<C>
  /** Numbers the entries of the writer's list, if that is the first list of the store. */
  firstList(writer: SnapshotWriter<C>): FirstList<C> | undefined
  /** An entry for a received object if its value differs from the stored one; `undefined` if the values are equal. */
  receivedIfOther(object: object, identity: Identity, bytes: number): Entry<C> | undefined
}

/** The writer of a snapshot. */
export interface SnapshotWriter<C> extends WriterId {
  readonly staged: ReadonlyMap<string, Entry<C>> | undefined
  /** A snapshot of this writer is complete. */
  committed(snapshot: ListSnapshot<C>, resourceVersion: string | undefined): void
}

/** A list, while it is read. For an object that the store has in the same state, it keeps nothing, and marks the stored entry. */
export class ListSnapshot<C> implements Snapshot {
  /** Objects that the store does not have in the same state. */
  pending: Map<string, Entry<C>> = new Map<string, Entry<C>>()
  /** Stored entries in the same state that belong to another writer. */
  readonly others: Entry<C>[] = []
  /** Pending entries that differ from the store although they have the same resourceVersion (rule R5). */
  readonly differing: Set<Entry<C>> = new Set<Entry<C>>()
  /** Marks stored entries in the same state. */
  readonly mark: number
  /** See {@link ReplaceOptions}. */
  readonly reuse: boolean
  /** Numbers the entries of a first list; `undefined` if the list is not the first, or an entry of it was replaced, removed or failed. */
  firstList: FirstList<C> | undefined
  readonly #source: SnapshotSource<C>
  readonly #writer: SnapshotWriter<C>
  #isOver = false

  constructor(source: SnapshotSource<C>, writer: SnapshotWriter<C>, mark: number, reuse: boolean) {
    this.#source = source
    this.#writer = writer
    this.firstList = source.firstList(writer)
    this.mark = mark
    this.reuse = reuse
  }

  put(object: object, bytes: number): void {
    if (this.#isOver) return
    const identity = identityOf(object)
    const { key } = identity
    const held = this.#source.entryOf(key)
    // A staged writer keeps every state: the store may be ahead of it when it is promoted.
    if (this.#writer.staged === undefined && held !== undefined && isSameState(held, identity)) {
      return this.#putSame(held, object, identity, bytes)
    }
    const pending = this.pending.get(key)
    if (pending !== undefined && isSameState(pending, identity)) return
    const entry = this.#source.received(object, identity, bytes)
    if (pending !== undefined || entry.failure !== undefined) this.#addOneByOne()
    else this.firstList?.add(entry)
    this.pending.set(key, entry)
  }

  remove(object: object): void {
    const { key } = identityOf(object)
    if (this.pending.delete(key)) this.#addOneByOne()
    const held = this.#source.entryOf(key)
    if (held?.mark === this.mark) held.mark = 0
  }

  commit(resourceVersion?: string | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#writer.isOpen) this.#writer.committed(this, resourceVersion)
    this.pending = new Map()
  }

  drop(): void {
    this.#isOver = true
    this.pending = new Map()
  }

  #addOneByOne(): void {
    this.firstList?.undo()
    this.firstList = undefined
  }

  #putSame(held: Entry<C>, object: object, identity: Identity, bytes: number): void {
    const other = this.reuse ? undefined : this.#source.receivedIfOther(object, identity, bytes)
    if (other !== undefined) {
      this.differing.add(other)
      this.pending.set(identity.key, other)
      return
    }
    this.pending.delete(identity.key)
    held.mark = this.mark
    if (held.writer !== this.#writer) this.others.push(held)
  }
}
