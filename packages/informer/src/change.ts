import type { View } from '@wherry/client'

/**
 * The changes that a cursor reads, in the order of last change, coalesced by key (rule R38).
 *
 * - `changed`: the object exists, in its newest state. A cursor keeps no objects, so it does not know whether the object is new.
 * - `deleted`: the object was deleted, or left the view's selection. `object` is its last known state.
 * - `reset`: a replay begins. An object without an event between this and `synced` does not exist. It is the first event of a cursor.
 * - `synced`: the replay is over. `failed`: keys of objects that could not be transformed. Such an object exists, so the user keeps its last
 *   value. Its deletion is no event, because there is no object for the event. If the user may hold an earlier object of that name, the cursor begins
 *   again, with `reset`.
 */
export type Change<C> = Changed<C> | Deleted<C> | Reset<C> | Synced<C>

export interface Changed<C> {
  readonly type: 'changed'
  readonly view: View<C>
  /** `namespace/name`, or `name` of a cluster-scoped object. */
  readonly key: string
  readonly object: C
}

export interface Deleted<C> {
  readonly type: 'deleted'
  readonly view: View<C>
  readonly key: string
  /** The last known object. */
  readonly object: C
  /** Whether the deletion was found without an event, for example by a relist: then `object` may not be the last state (rules R27, W9). */
  readonly finalStateUnknown: boolean
}

export interface Reset<C> {
  readonly type: 'reset'
  readonly view: View<C>
  readonly key?: undefined
  readonly object?: undefined
}

export interface Synced<C> {
  readonly type: 'synced'
  readonly view: View<C>
  readonly key?: undefined
  readonly object?: undefined
  /** The keys of objects that exist and could not be transformed: they have no event (rules R30, W8). */
  readonly failed: readonly string[]
}
