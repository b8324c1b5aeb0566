import type { FromServer, OwnerReference, View } from '@wherry/client'
import type { LabelSelectorInput } from '@wherry/client/internal'

/** Names an object to read: its key, or the object as it was read. A missing namespace is the view's, if that has only one, else the primary object's; cluster-scoped objects have none. */
export type ReadKey =
  | { readonly name: string; readonly namespace?: string | undefined }
  | { readonly metadata: { readonly name: string; readonly namespace?: string | undefined } }

/** How a read may be bounded. */
export interface ReadOptions {
  /** Ends the wait for a first state, with its reason. @default that of the run */
  readonly signal?: AbortSignal | undefined
}

/** A read of a part of one object. */
export interface SelectOptions<C, V> extends ReadOptions {
  /**
   * Gives what is read of the object, as plain JSON: that is what `get` gives, and all that is tracked. Called again when the
   * object has changed, so it must not change anything; the key runs again if it gives something else then, compared by value.
   * Not called where there is no object.
   */
  readonly select: (object: FromServer<C>) => V
}

/** Which objects of a view to read, and how that may be bounded. */
export interface SelectionOptions extends ReadOptions {
  /** Those of one namespace. @default all of the view's */
  readonly namespace?: string | undefined
  /** Those with these labels. @default all of the view's */
  readonly labels?: LabelSelectorInput | undefined
}

/** What is read of an object that may be owned; views of metadata will do. */
export interface MaybeOwned {
  readonly metadata?: { readonly ownerReferences?: readonly OwnerReference[] | undefined } | undefined
}

/**
 * What a reconcile reads through this is what it depends on (rules C11–C17): its key runs again when any of it changes, comes
 * or goes. It is closed when its run ends; using it later is a `ReadClosedError`.
 *
 * Objects are the cache's own: change a `structuredClone(object)`, never one of them.
 */
export interface Read {
  /**
   * One object; `undefined` where there is none, and that is tracked too. Served by an informer that covers the view, else by
   * a watch of this one object: a get loads no kind of which less than a tenth is read. At least as new as what was written through this process.
   *
   * Rejects where the object can't be watched, so that nothing is read untracked (rule C16): with a `NarrowWatchRefusedError`,
   * or what the server says. With a `NarrowTimeoutError` or the signal's reason where the first state
   * does not come; with a `NotJsonError` for a selected value that is no JSON.
   *
   * @throws InvalidNameError, OptionRangeError, OptionTypeError for a key or options that can't be.
   */
  get<C>(
    view: View<C>,
    key: ReadKey,
    options?: ReadOptions & { readonly select?: undefined },
  ): Promise<FromServer<C> | undefined>
  get<C, V>(view: View<C>, key: ReadKey, options: SelectOptions<C, V>): Promise<V | undefined>
  /**
   * All objects of a view that the controller declared (`.caches(view)`), or that a `DynamicViews` of it watches now, or of a narrower one, in no particular order. An
   * object that enters the selection, leaves it or changes inside it makes the key run again. Of a resource that may come later
   * (rule D7) there are none until it does.
   *
   * Waits for the informer's first state. Rejects with a `NotCachedError` where no declared view covers this one, with an
   * `OwnWriteTimeoutError` where what this process wrote does not come back, with the signal's reason, or with what the server
   * says where waiting is vain.
   *
   * @throws InvalidNameError, OptionRangeError, OptionTypeError for options that can't be, a namespace that the view leaves out among them.
   */
  list<C>(view: View<C>, options?: SelectionOptions): Promise<FromServer<C>[]>
  /**
   * The objects of a view that the primary object controls, by their owner references. The view is as for `list`: `.owns(view)` alone
   * keeps no objects, so that a view which is only owned is a `NotCachedError`, too. Served by an index. Tracked and rejected as `list`
   * is.
   */
  owned<C extends MaybeOwned>(view: View<C>, options?: SelectionOptions): Promise<FromServer<C>[]>
  /** As `get`, without tracking: what happens to the object later makes nothing run. */
  getUntracked<C>(view: View<C>, key: ReadKey, options?: ReadOptions): Promise<FromServer<C> | undefined>
}
