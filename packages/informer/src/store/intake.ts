import type { ChangeType } from '@wherry/client/internal'

/**
 * The writing side of a store, as one reflector has it. What an intake gave is its own: its replacement touches nothing
 * that came by another (of another namespace, of another name). An object may pass from one intake to another.
 */
export interface Intake {
  /** Published its first replacement. */
  readonly synced: boolean
  /**
   * Begins to replace all that came by this intake, by a list. Nothing of it is seen before `commit`. One at a time: one
   * that was neither committed nor dropped is dropped by the next.
   */
  replace(options?: ReplaceOptions): Replacement
  /**
   * One event of the watch, in the order of the stream; the object as decoded, with its name and kind.
   * @param bytes as received
   */
  change(type: ChangeType, object: object, bytes: number): void
  /**
   * The stream has come to this resourceVersion without a change: a bookmark. What a promotion left open is settled by
   * it ({@link Store.promote}); nobody hears of it.
   */
  progress(resourceVersion: string): void
  /** Deletes all that came by it and tells so, its final state unknown: the resource is gone from the server (rule D8). */
  clear(): void
  /**
   * It will be written to no more. `forget`: what came by it goes without a word to handlers and cursors (an entry that
   * is evicted); otherwise it stays. Idempotent.
   */
  close(options?: { readonly forget?: boolean | undefined }): void
}

export interface ReplaceOptions {
  /**
   * An object whose uid and resourceVersion the store has is taken to be what the store has (rule R8). `false` where that
   * may be wrong, since the server may have been restored from a backup and has given that number to another state (rule
   * R5): what differs then is an update, and what is equal is no event all the same. @default true
   */
  readonly reuse?: boolean | undefined
}

/** A state to come, while it is being read. */
export interface Replacement {
  /**
   * An object of it; a later one of the same key replaces it. One whose uid and resourceVersion the store has is not
   * transformed, and the stored one is kept (rule R8, and {@link ReplaceOptions.reuse}).
   */
  put(object: object, bytes: number): void
  /** Gone again, while it was read (rule R10). */
  remove(object: object): void
  /**
   * Publishes all at once, then tells the difference: deletes (final state unknown), then adds and updates (rules
   * R26–R29).
   * @param resourceVersion of the list, or of the bookmark that ended it. Needed for a promotion: it tells what the old
   * watch knows and this list is too old to know.
   */
  commit(resourceVersion?: string | undefined): void
  /** Lets go of it unseen. Harmless after `commit`. */
  drop(): void
}

export interface IntakeOptions {
  /**
   * It feeds this one object only. Its replacement then looks at that key alone, so that thousands of such intakes can
   * share a store. @default any object
   */
  readonly key?: string | undefined
  /**
   * It publishes nothing until it is promoted ({@link Store.promote}): what it commits, and what changes after that,
   * is gathered. Its lists must not be older than what the store had when it was made (ask for the last seen
   * resourceVersion, or the newest): only deletions from then on are remembered. @default false
   */
  readonly staged?: boolean | undefined
}
