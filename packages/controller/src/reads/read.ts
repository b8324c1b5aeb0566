import type { FromServer, LabelSelectorInput, OwnerReference, View } from '@wherry/client'
import type { ObjectIndex } from './object-index.ts'

/**
 * Names an object to read: by its key, or by the object itself. A missing namespace is the view's if it has exactly one, else that of the primary
 * object. Cluster-scoped objects have none.
 */
export type ReadKey =
  | { readonly name: string; readonly namespace?: string | undefined }
  | { readonly metadata: { readonly name: string; readonly namespace?: string | undefined } }

/** Bounds of a read. */
export interface ReadOptions {
  /** Aborts the wait for the objects, with its reason, in addition to the run's own signal. @default the run's signal alone */
  readonly signal?: AbortSignal | undefined
}

/** Reads a part of an object. */
export interface SelectOptions<C, V> extends ReadOptions {
  /**
   * Returns the part of the object that you need, as plain JSON: the read returns it, and only it is tracked. It is called again when the object has
   * changed, so it must be pure; the key runs again if its result differs. It is not called if the object does not exist.
   */
  readonly select: (object: FromServer<C>) => V
}

/** Which objects of a view to read, and bounds of the read. */
export interface SelectionOptions<C = never> extends ReadOptions {
  /** Only objects that this index finds by `value`. @default all of the view's */
  readonly index?: ObjectIndex<C> | undefined
  /** The value to find objects by. Only with `index`. */
  readonly value?: string | undefined
  /** Only objects of this namespace. @default all of the view's */
  readonly namespace?: string | undefined
  /** Only objects with these labels. @default all of the view's */
  readonly labels?: LabelSelectorInput | undefined
}

/** The part of an object that names its owners; metadata views have it. */
export interface MaybeOwned {
  readonly metadata?: { readonly ownerReferences?: readonly OwnerReference[] | undefined } | undefined
}

/**
 * The tracked reads of a reconcile. The key depends on what it reads here (rules C11–C17).
 *
 * **Flow.** `get` reads one object by its name, `list` the objects of a declared view, `owned` those that the primary object controls. An informer that
 * covers the view serves them; else `get` watches this one object.
 *
 * **Guarantees.** The key runs again when any object that was read changes, appears or disappears. Results include what this process has written.
 *
 * **Caveats.** Objects come from the cache: never change one, change a `structuredClone(object)`. Reads end with the run; a later read is a
 * `ReadClosedError`.
 *
 * **Errors.** A read that could not be tracked rejects, because the key would not run again: see each method.
 *
 * @example
 * ```ts
 * import { configMaps, secrets } from '@wherry/client/resources/core'
 * import type { Operator } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('settings').for(configMaps).reconcile(async ({ object, read, log }) => {
 *     // The key runs again when this Secret changes, appears or disappears.
 *     const password = await read.get(secrets, { name: object.data?.secret ?? 'db' })
 *     log.info({ isThere: password !== undefined }, 'the password')
 *   })
 * }
 * ```
 */
export interface Read {
  /**
   * Reads one object; `undefined` if it does not exist, which is tracked too. An informer that covers the view serves it, else a watch of this one
   * object. An informer of all objects starts only if a tenth of them, or more, are read by name. The result includes what this process has written.
   *
   * Rejects if the object can't be watched, because the read could not be tracked (rule C16): with a `NarrowWatchRefusedError` or the server's
   * error. Rejects with a `NarrowTimeoutError` or the signal's reason if the first state does not come, and with a `NotJsonError` for a selected
   * value that is not JSON.
   *
   * @throws InvalidNameError, OptionRangeError, OptionTypeError for a wrong key or option
   */
  get<C>(
    view: View<C>,
    key: ReadKey,
    options?: ReadOptions & { readonly select?: undefined },
  ): Promise<FromServer<C> | undefined>
  get<C, V>(view: View<C>, key: ReadKey, options: SelectOptions<C, V>): Promise<V | undefined>
  /**
   * Lists the objects of a view, in no particular order. The controller must have declared the view or a wider one (`.caches(view)`), or a
   * `DynamicViews` must watch it. The key runs again when an object enters the selection, leaves it or changes in it. If the resource may be
   * defined later (rule D7), the list is empty until then.
   *
   * Waits for the informer's first state. Rejects with a `NotCachedError` if no declared view covers this one, with an `OwnWriteTimeoutError` if
   * the cache does not catch up with this process' own writes, with the signal's reason, or with the server's error if waiting is pointless.
   *
   * @throws InvalidNameError, OptionRangeError, OptionTypeError for wrong options, for example a namespace outside the view
   */
  list<C>(
    view: View<C>,
    options?: SelectionOptions<NoInfer<C>> & { readonly select?: undefined },
  ): Promise<FromServer<C>[]>
  /**
   * Lists a part of each object, and tracks only that: the key runs again when an object enters the selection or leaves it, or when `select` gives
   * another value for it. For objects with many changes that do not matter here, such as the heartbeat of a Node.
   */
  list<C, V>(view: View<C>, options: SelectionOptions<NoInfer<C>> & SelectOptions<C, V>): Promise<V[]>
  /**
   * Lists the objects of a view that the primary object controls, by their owner references. The view is as for `list`: `.owns(view)` alone keeps
   * no objects, so it needs `.caches(view)` too, else this is a `NotCachedError`. An index serves it. Tracked and rejected as `list` is.
   */
  owned<C extends MaybeOwned>(
    view: View<C>,
    options?: SelectionOptions<NoInfer<C>> & { readonly select?: undefined },
  ): Promise<FromServer<C>[]>
  owned<C extends MaybeOwned, V>(
    view: View<C>,
    options: SelectionOptions<NoInfer<C>> & SelectOptions<C, V>,
  ): Promise<V[]>
  /** As `get`, without tracking: later changes of the object do not make the key run. */
  getUntracked<C>(view: View<C>, key: ReadKey, options?: ReadOptions): Promise<FromServer<C> | undefined>
}
