import type { View } from '@wherry/client'
import type { Changed, Deleted, Reset, Synced } from '@wherry/informer/internal'

/**
 * What a sink hears: a cursor's changes (rules R38, W10), and with `synced` the keys that it refused so far.
 */
export type SinkEvent<C = unknown> = Changed<C> | Deleted<C> | Reset<C> | SinkSynced<C>

/** A replay is over: all that is there was told, but for what it names. */
export interface SinkSynced<C = unknown> extends Synced<C> {
  /** Keys whose call was made and failed. They are tried again, and are not gone. */
  readonly retrying: readonly string[]
}

/**
 * Where a registrar's events go. What it can rely on:
 *
 * **Order.** For one view and object: never an older state after a newer one, never a state after its `deleted` unless it
 * was created again (then `deleted` comes first) or is in the selection again. Between objects: that of their last change,
 * but for retries. `reset` and `synced` come when all earlier calls of their view have settled. Between views: none.
 *
 * **How often.** The newest state is heard at least once; states in between may be left out, and one may be heard twice.
 * An object that came and went may be left out, and a `deleted` may come for one that was never heard of.
 *
 * **Reset and synced.** A view begins with `reset`, all that is there, `synced`. A sink that fell far behind hears them
 * again, and so does one that was told of objects that could not be transformed (`failed`), when such a one is gone. What was
 * not heard of between the two, and is in neither `failed` nor `retrying`, is not there any more: a sink that remembers
 * objects forgets those, the ones of an earlier process among them.
 *
 * **Waiting.** A promise that `event` returns is waited for: no more than `concurrency` calls are under way, over all the
 * registrar's views, and never two for one object. Meanwhile changes are not piled up but coalesced. Nobody else waits.
 *
 * **Failing.** A call that throws or rejects is made again after a backoff, with the object's newest state then; other
 * objects go on. A failed `reset` or `synced` holds its view back until it succeeds.
 *
 * **The end.** Nothing is heard of a view once it is removed, or of any once the registrar is closed.
 */
export interface Sink<C = unknown> {
  /** How many calls may be under way at once, for distinct objects. Read when the registrar is made. @default 1 */
  readonly concurrency?: number | undefined
  /** One event. What it returns is waited for if it is a promise; an object that it is given must not be changed. */
  event(event: SinkEvent<C>): unknown
  /**
   * What was told of `from` now belongs to `to`, a view of the same resource and projection: only the difference follows
   * (rule D9). Called, waited for and repeated as `event` is. A sink without it gets `to` as a view of its own, from its `reset`
   * on, and hears no more of `from`.
   */
  rescoped?(from: View<C>, to: View<C>): unknown
  /** No more of this view: the registrar removes it. Called while it does so, and not waited for. */
  removed?(view: View<C>): void
  /** No more of any: the registrar is being closed. Called while it is, and not waited for. */
  closed?(): void
}

/** A sink that is nothing but its `event`. */
export type SinkFunction<C = unknown> = (event: SinkEvent<C>) => unknown
