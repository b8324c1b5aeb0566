/**
 * The callbacks for events of objects (rules R25–R32). They are called synchronously after the store has changed. If one returns a promise, it is
 * not awaited, and a rejection goes to `onError`. If one throws, the error goes to `onError`, and the other handlers still get the event. For slow
 * work, read `changes()` instead.
 */
export interface Handler<C> {
  /** An object was added. `isInInitialList`: it existed when this handler was added, or when the store first synced. */
  add?(object: C, about: { readonly key: string; readonly isInInitialList: boolean }): unknown
  /** An object changed. `old`: the state that this handler received last for it (of that uid); in a resync, the same object. */
  update?(object: C, about: { readonly old: C; readonly key: string }): unknown
  /**
   * An object was deleted, or has left the selection. `finalStateUnknown`: this was found without an event, for example by a relist; `object` is the last known
   * state.
   */
  delete?(object: C, about: { readonly key: string; readonly finalStateUnknown: boolean }): unknown
  /**
   * An object exists that could not be transformed and never had a value (`isThere: true`; `get` now throws a `TransformError`), or such an object
   * is gone (`isThere: false`). When it gets a value, the handler receives an add. For objects that exist when the handler is added, it is called
   * from the next turn of the event loop on.
   */
  onTransformFailed?(about: { readonly key: string; readonly isThere: boolean }): unknown
}

/** The options of a registration. */
export interface RegistrationOptions {
  /**
   * The interval at which the handler gets every object again as an `update` to itself, in milliseconds. This is local: no request is sent.
   * @default never
   */
  readonly resyncMs?: number | undefined
}

/** The registration of one handler. Adding the same handler twice creates two. */
export interface Registration {
  /** Whether all initial adds were delivered, and the handler has returned from them (rule R31). */
  readonly hasSynced: boolean
  /**
   * Whether the store has changes that the handler has not received yet: large batches (the first state, or a relist after a long gap) are delivered
   * in slices. An object that disappears before its delivery is never delivered.
   */
  readonly isBehind: boolean
  /** Resolves when `hasSynced` is true. Rejects with the signal's reason, or if the handler was removed or the informer ended before. */
  whenSynced(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  /** Removes the handler: after the call it receives nothing (rule R33). Idempotent. */
  remove(): void
}
