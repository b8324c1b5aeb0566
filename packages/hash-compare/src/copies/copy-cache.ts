import type { Scope, View } from '@wherry/client'

/** What the copy reconciler needs of a cache. A `DynamicCache` is one. */
export interface CopyCache {
  /** Keeps the objects of a view in memory until the hold is released. Returns at once; it syncs by itself. */
  hold<C, S extends Scope>(view: View<C, S>, holder: string): CopyHold<C>
}

/** A hold on the informer of a view. */
export interface CopyHold<C> {
  readonly informer: CopyInformer<C>
  release(): Promise<void>
}

/** The part of an informer that is used. */
export interface CopyInformer<C> {
  /** `missing`: the server does not know the resource (any more). */
  readonly state: string
  /** How new the store is known to be. */
  readonly lastSyncedResourceVersion: string | undefined
  /** How many objects are there. */
  readonly size: number
  /** By `namespace/name`, or `name`. */
  get(key: string): C | undefined
  keys(): IterableIterator<string>
  /** Resolves when the first state is there; rejects where waiting is vain. */
  whenSynced(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  addHandler(handler: CopyHandler<C>): CopyRegistration
}

/** What is heard of each object, synchronously. */
export interface CopyHandler<C> {
  add(object: C, about: { readonly key: string; readonly isInInitialList: boolean }): void
  update(object: C, old: C, about: { readonly key: string }): void
  delete(object: C, about: { readonly key: string }): void
}

/** One handler's handle. */
export interface CopyRegistration {
  /** Resolves when the handler was told of all that was there at first. */
  whenSynced(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  remove(): void
}
