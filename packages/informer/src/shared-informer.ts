import type { Scope, View } from '@wherry/client'
import type { Change } from './change.ts'
import type { InformerState } from './informer-state.ts'
import type { Cursor } from './journal/cursor.ts'
import type { Lister } from './lister.ts'
import type { Handler, Registration, RegistrationOptions } from './registrations/handler.ts'
import type { IndexFunction } from './store/indices.ts'
import type { StoreStats } from './store/store.ts'

/** The interface of an informer for its readers: an {@link Informer}, or an informer of a dynamic cache. */
export interface SharedInformer<C, S extends Scope = Scope> extends Lister<C, S> {
  readonly view: View<C, S>
  readonly state: InformerState
  /** The resourceVersion of the last list, event or bookmark: the store is at least that new. `undefined` before the first. */
  readonly lastSyncedResourceVersion: string | undefined
  /** The last failure to list or watch; `undefined` after a later watch was opened. */
  readonly lastError: Error | undefined
  /** Whether the first state is in the store. False again while the server does not serve the resource (state `missing`). */
  readonly hasSynced: boolean
  /**
   * Resolves when the first state is in the store. If the resource disappears, it waits again, as for a resource that was never defined.
   *
   * Rejects with a `NotSyncedError` if the signal is aborted (its cause is the signal's reason), an `InformerStoppedError`, or the server's error
   * if that is permanent or yours to fix (403, 401, no such resource, a selector that the server does not take). The informer keeps trying. Errors
   * from before the call do not count: the server is asked again, at most once a second, unless the signal is aborted already.
   */
  whenSynced(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  /** @throws InformerStoppedError after the informer was stopped */
  addHandler(handler: Handler<C>, options?: RegistrationOptions): Registration
  addIndex(name: string, index: IndexFunction<C>): void
  /** A cursor at the start of the journal: the low-level form of {@link changes}. */
  cursor(): Cursor<C>
  /** Follows the journal from its start, one change at a time. Ends when the informer stops or the signal is aborted. */
  changes(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterableIterator<Change<C>>
  stats(): StoreStats
}
