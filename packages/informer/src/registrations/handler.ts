/**
 * Hears what happens to each object, with old and new at once (rules R25–R32). Called synchronously after the store has
 * changed; a promise that one returns is watched for rejection and never waited for. What one throws goes to `onError`,
 * and every other handler still hears the event. For what takes time, read `changes()` instead.
 */
export interface Handler<C> {
  /** It is there. `isInInitialList`: it was when this handler joined, or when the store first synced. */
  add?(object: C, about: { readonly key: string; readonly isInInitialList: boolean }): unknown
  /** It has changed. `old`: what this handler heard last of it (of that uid); in a resync, the same object. */
  update?(object: C, about: { readonly old: C; readonly key: string }): unknown
  /** It is gone, or left the selection. `finalStateUnknown`: found missing by a relist; `object` is the last known. */
  delete?(object: C, about: { readonly key: string; readonly finalStateUnknown: boolean }): unknown
  /**
   * An object is there that could not be transformed and has never had a value, so that there is none to tell with (`isThere`;
   * `get` throws a `TransformError` now); or one of which that was told is gone. Once it has a value that is told as an add.
   * Of those that are there when the handler joins it is told from the next turn of the event loop on.
   */
  onTransformFailed?(about: { readonly key: string; readonly isThere: boolean }): unknown
}

export interface RegistrationOptions {
  /**
   * How often the handler is told of every object again as an `update` to itself, in milliseconds. Only local: no
   * request is made. @default never
   */
  readonly resyncMs?: number | undefined
}

/** One handler's handle. Adding the same handler twice gives two. */
export interface Registration {
  /** The adds of all that was there at first were made, and have returned (rule R31). */
  readonly hasSynced: boolean
  /**
   * There is more in the store than the handler has been told of: what came in one go (the first state, or a relist after a
   * long gap) is told in slices. What goes again before it was told of is never told.
   */
  readonly isBehind: boolean
  /** Resolves when it has synced. Rejects with the signal's reason, or where it was removed or its informer ended before. */
  whenSynced(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  /** The handler hears nothing from now on (rule R33). Idempotent. */
  remove(): void
}
