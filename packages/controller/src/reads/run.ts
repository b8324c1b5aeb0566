import type { View } from '@wherry/client'
import type { OpenCalls } from './open-calls.ts'
import type { Read, ReadKey } from './read.ts'

/** An object that a run is about to write. */
export interface Writing<C> {
  /** As it is now; `undefined` if there is none. */
  readonly object: C | undefined
  /**
   * The write is over. `written`: the object as the server answered. What others have changed since makes the key run.
   * @param isHeard the key hears of each change of the object by other means: it need not be tracked
   */
  settle(written?: C | undefined, isHeard?: boolean): void
}

/** One run of a reconcile, and what it reads. */
export interface Run {
  /** What the reconcile reads through. */
  readonly read: Read
  /** The calls of the run that have not ended: its reads, and what else is noted there. */
  readonly calls: OpenCalls
  /**
   * Reads an object that is to be written, and tracks what `select` gives of it. The write itself does not make the key run.
   * Rejects as `read.get` does.
   */
  writing<C>(view: View<C>, key: ReadKey, select: (object: C) => unknown, signal?: AbortSignal): Promise<Writing<C>>
  /** It succeeded: from now on its key depends on exactly what it has read (rule C11). */
  succeed(): void
  /** It failed: its key depends on what it has read, and on what the last successful run did (rule C12). */
  fail(): void
}
