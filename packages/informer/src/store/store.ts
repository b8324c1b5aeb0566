import type { Scope, View } from '@wherry/client'
import type { Cursor } from '../journal/cursor.ts'
import type { Lister } from '../lister.ts'
import type { Handler, Registration, RegistrationOptions } from '../registrations/handler.ts'
import type { Intake, IntakeOptions } from './intake.ts'

/** Names under which objects can be found, given for each object. */
export type IndexFunction<C> = (object: C) => Iterable<string>

/** What a store holds, and what it costs. */
export interface StoreStats {
  /** Objects that are there, failed ones among them. */
  readonly objects: number
  /** Of those, the ones that could not be transformed, stale ones among them. */
  readonly failed: number
  /** Bytes of the stored objects as received. */
  readonly receivedBytes: number
  /**
   * How much of the bytes received since the store was made is `managedFields`, from 0 to 1: measured in one of 64
   * objects. What a view keeps of them is another question: only full and exact ones do.
   */
  readonly managedFieldsShare: number
  readonly tombstones: number
  /** Bytes of the objects of tombstones as received. */
  readonly tombstoneBytes: number
  readonly cursors: number
  readonly registrations: number
  /** Transforms that failed, since the store was made. */
  readonly transformFailures: number
}

/**
 * Holds the objects of one view: the only place that does. Written to by intakes, read through a lister, followed by
 * cursors and registrations. All implementations pass one contract suite.
 */
export interface Store<C, S extends Scope = Scope> {
  /** What it is of; {@link promote} may change its scope. */
  readonly view: View<C, S>
  /** Once the store is closed, every read of it throws the reason. */
  readonly lister: Lister<C, S>
  /** All its intakes have synced, and there is at least one; never false again. */
  readonly synced: boolean
  /** Calls `fn` once when it has synced: at once if it has. Returns what takes that back. */
  onSynced(fn: () => void): () => void
  /**
   * Bytes that objects took as received, for who fills another store from this one. Throws the reason once the store is
   * closed, in the middle too: what came until then is not all.
   */
  entries(): IterableIterator<{ readonly object: C; readonly bytes: number }>
  intake(options?: IntakeOptions): Intake
  /**
   * Lets staged intakes take over from others, at once: what both have stays untouched (by uid and resourceVersion; of
   * two states of an object the newer one, as the resourceVersions say), what only the old ones had is deleted, what is
   * new is added. What the old ones were told and the new ones have not come to yet is neither undone nor told twice.
   * The old ones are closed. All staged ones must have committed; deletions are marked with `finalStateUnknown`.
   *
   * What the old ones knew of and the new ones have not come to is settled when the new ones come to it: they must be
   * told of list resourceVersions and bookmarks too ({@link Replacement.commit}, {@link Intake.progress}).
   *
   * @param view what the store is of from now on, where its scope changes; of the same resource and projection.
   * @throws OptionTypeError for what is no intake of this store, OptionRangeError for one that is not staged, not
   * committed, or closed.
   */
  promote(staged: readonly Intake[], retired: readonly Intake[], view?: View<C, S> | undefined): void
  /** A cursor at the start. */
  cursor(): Cursor<C>
  /** Adds a handler; all that is there is told to it first, from the next turn of the event loop on. */
  register(handler: Handler<C>, options?: RegistrationOptions): Registration
  /**
   * Adds an index, over what is there already too. Does nothing where there is that very function under that name, or the
   * same label's `byLabel`: several users of a store may ask for it.
   * @throws OptionRangeError for a name that another function has.
   */
  addIndex(name: string, index: IndexFunction<C>): void
  stats(): StoreStats
  /**
   * Lets go of everything: cursors and registrations are over, without an event. `why` is what registrations that wait
   * for their sync are rejected with, and what reads throw. Idempotent.
   */
  close(why: Error): void
}
