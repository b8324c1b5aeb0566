import type { Scope, View } from '@wherry/client'
import type { Change } from './change.ts'
import type { InformerState } from './informer-state.ts'
import type { Cursor } from './journal/cursor.ts'
import type { Lister } from './lister.ts'
import type { Handler, Registration, RegistrationOptions } from './registrations/handler.ts'
import type { IndexFunction, StoreStats } from './store/store.ts'

/**
 * An informer as its readers have it, whoever started it and ends it: {@link Informer}, and what a dynamic cache gives.
 */
export interface SharedInformer<C, S extends Scope = Scope> extends Lister<C, S> {
  readonly view: View<C, S>
  readonly state: InformerState
  /** How new the store is known to be: the resourceVersion of the last list, event or bookmark. `undefined` before. */
  readonly lastSyncedResourceVersion: string | undefined
  /** The last failure to list or watch; `undefined` once a watch was opened after it. */
  readonly lastError: Error | undefined
  /** The first state is in the store. False again while the server is known not to serve the resource (state `missing`). */
  readonly hasSynced: boolean
  /**
   * Resolves when the first state is in the store. A resource that is gone is waited for again: the answer is that of a
   * resource which never was there. Rejects with the reason: a
   * `NotSyncedError` when the signal is aborted, whose cause is the signal's reason, an `InformerStoppedError`, or what the server said where that is for good or the caller's to mend (403, 401, no such
   * resource, a selector that it does not take), while the informer goes on trying. What the server said before the call is
   * no answer: it is asked again, at most once a second, unless the signal is aborted already.
   */
  whenSynced(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  /**
   * @throws InformerStoppedError once it was stopped.
   */
  addHandler(handler: Handler<C>, options?: RegistrationOptions): Registration
  addIndex(name: string, index: IndexFunction<C>): void
  /** A cursor at the start of the journal. The primitive below {@link changes}. */
  cursor(): Cursor<C>
  /** Follows the journal from its start, one change at a time. Ends when the informer ends or the signal is aborted. */
  changes(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterableIterator<Change<C>>
  stats(): StoreStats
}
