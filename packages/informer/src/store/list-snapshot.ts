import type { Entry } from '../entries/entry.ts'
import { type Identity, identityOf, isSameState } from '../entries/identity.ts'
import type { WriterId } from '../entries/writer-id.ts'
import type { Snapshot } from './store-writer.ts'

/** The methods of a store that a snapshot calls. */
export interface SnapshotSource<C> {
  entryOf(key: string): Entry<C> | undefined
  /** An entry for a received object. An object that the store has in the same state is not transformed again. */
  received(object: object, identity: Identity, bytes: number): Entry<C>
  /** An entry for a received object whose value differs from the stored one; `undefined` if the values are equal. */
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
  readonly #source: SnapshotSource<C>
  readonly #writer: SnapshotWriter<C>
  #isOver = false

  constructor(source: SnapshotSource<C>, writer: SnapshotWriter<C>, mark: number, reuse: boolean) {
    this.#source = source
    this.#writer = writer
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
    if (pending === undefined || !isSameState(pending, identity)) {
      this.pending.set(key, this.#source.received(object, identity, bytes))
    }
  }

  remove(object: object): void {
    const { key } = identityOf(object)
    this.pending.delete(key)
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
