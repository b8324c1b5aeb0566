import type { View } from '@wherry/client'
import type { Changed, Deleted, Reset, Synced } from '@wherry/informer'

/** The events of a sink: a cursor's changes (rules R38, W10); `synced` also has the keys that the sink has refused. */
export type SinkEvent<C = unknown> = Changed<C> | Deleted<C> | Reset<C> | SinkSynced<C>

/** The end of a replay: all existing objects were delivered, except those that the event names. */
export interface SinkSynced<C = unknown> extends Synced<C> {
  /** Keys that wait for a retry after their call failed. Keep their objects: the next event of each, perhaps a deletion, is still to come. */
  readonly retrying: readonly string[]
}

/**
 * Receives a registrar's events. It can rely on this:
 *
 * **Order.** For one view and object: never an older state after a newer one, and never a state after `deleted` unless the object
 * was created again (then `deleted` comes first) or is in the selection again. Between objects: the order of their last change,
 * except for retries. `reset` and `synced` come when all earlier calls of their view have settled. Between views there is no order.
 *
 * **How often.** The newest state is delivered at least once; states in between may be left out, and a state may be delivered twice.
 * An object that came and went may be left out, and a `deleted` may come for an object that was never delivered.
 *
 * **Reset and synced.** A view begins with `reset`, all existing objects, `synced`. A sink that fell far behind receives them
 * again, and so does a sink with objects that could not be transformed (`failed`), when such an object is deleted. An object that was
 * not delivered between the two, and is in neither `failed` nor `retrying`, does not exist any more: a sink that remembers
 * objects forgets it, also if an earlier process stored it.
 *
 * **Waiting.** A promise that `event` returns is awaited: at most `concurrency` calls are under way, over all the
 * registrar's views, and never two for one object. Changes are coalesced meanwhile. Other registrars do not wait.
 *
 * **Failing.** A call that throws or rejects is repeated after a backoff, with the object's newest state; other
 * objects are not delayed. A failed `reset` or `synced` holds its view back until it succeeds.
 *
 * **The end.** No event of a view arrives after its removal, and no event at all after the registrar is closed.
 */
export interface Sink<C = unknown> {
  /** How many calls may run at the same time, for different objects. Read when the registrar is created. @default 1 */
  readonly concurrency?: number | undefined
  /** Receives one event. A returned promise is awaited. Do not change the objects of an event. */
  event(event: SinkEvent<C>): unknown
  /**
   * The objects delivered for `from` now belong to `to`, a view of the same resource and projection: only the difference follows (rule D9). It is
   * called, awaited and retried as `event` is. A sink without this method receives `to` as a new view, from its `reset` on, and no more events of
   * `from`.
   */
  rescoped?(from: View<C>, to: View<C>): unknown
  /** The registrar removes this view: no more events of it arrive. Called during the removal, and not awaited. */
  removed?(view: View<C>): void
  /** The registrar is being closed: no more events arrive. Called during the closing, and not awaited. */
  closed?(): void
}

/** A sink that has only `event`. */
export type SinkFunction<C = unknown> = (event: SinkEvent<C>) => unknown
