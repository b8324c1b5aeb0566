import type { ChangeType } from '@wherry/client'

/**
 * The writing side of a store, for one reflector. A snapshot replaces only the entries of its own writer, not those of other writers (for other
 * namespaces or names). An object may move from one writer to another.
 */
export interface StoreWriter {
  /** Whether the writer has committed its first snapshot. */
  readonly synced: boolean
  /** Begins a snapshot, which replaces all objects of this writer when it is committed. Drops an earlier one that was not committed. */
  replace(options?: ReplaceOptions): Snapshot
  /**
   * Applies one event of the watch. Events come in the order of the stream.
   * @param object as decoded, with its name and kind
   * @param bytes as received
   */
  change(type: ChangeType, object: object, bytes: number): void
  /** The stream has reached this resourceVersion (a bookmark). This settles what a promotion left open ({@link Store.promote}). */
  progress(resourceVersion: string): void
  /** Deletes all objects of this writer, with `finalStateUnknown`: the server no longer has the resource (rule D8). */
  clear(): void
  /**
   * Closes the writer; later calls do nothing. `forget`: its objects are removed without an event (for an evicted entry); otherwise they stay.
   * Idempotent.
   */
  close(options?: { readonly forget?: boolean | undefined }): void
}

/** How the state of a store is replaced. */
export interface ReplaceOptions {
  /**
   * Whether the stored object is kept if its uid and resourceVersion are those of the snapshot (rule R8). `false` if the server may have been restored from a
   * backup, and may have given the same resourceVersion to another state (rule R5): an object that differs is then an update, and one that is
   * equal is no event. @default true
   */
  readonly reuse?: boolean | undefined
}

/** A new state of all objects of a writer, while it is read. Readers see nothing of it before `commit`. */
export interface Snapshot {
  /** Adds an object, or replaces the one of the same key. An object that the store has in the same state is not transformed again (rule R8). */
  put(object: object, bytes: number): void
  /** Removes an object that was deleted while the snapshot was read (rule R10). */
  remove(object: object): void
  /**
   * Publishes the snapshot, then notifies handlers of the difference: deletes (with `finalStateUnknown`), adds, updates (rules R26–R29).
   * @param resourceVersion of the list, or of the bookmark that ended it. A promotion needs it.
   */
  commit(resourceVersion?: string | undefined): void
  /** Discards the snapshot. Does nothing after `commit`. */
  drop(): void
}

/** How a writer writes to a store. */
export interface WriterOptions {
  /** The writer writes only this object. Its snapshots then look at this key alone, so that thousands of writers can share a store. @default any */
  readonly key?: string | undefined
  /**
   * Nothing of the writer is published until it is promoted ({@link Store.promote}). Its lists must not be older than the store was when the writer
   * was made, because only deletions from then on are remembered: ask for the newest state. @default false
   */
  readonly staged?: boolean | undefined
}
