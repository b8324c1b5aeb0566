import type { View } from '@wherry/client'

/**
 * What a cursor reads, in the order of last change, coalesced by key (rule R38).
 *
 * - `changed`: the object is there, in its newest state. A cursor keeps no objects, so it does not know whether it is new.
 * - `deleted`: it is gone, or left the view's selection. `object` is the last that was known of it.
 * - `reset`: a replay begins: an object without an event between here and `synced` is not there. A cursor's first event.
 * - `synced`: the replay is over. `failed`: keys of objects that could not be transformed: what the user holds of such a key
 *   is not gone. If such an object is deleted and never had a value, the event would have no object: a cursor begins
 *   again, with `reset`, if its user may hold a former object of that name.
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
  /** Its deletion was not seen, only that it is gone: `object` may not be its last state (rules R27, W9). */
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
  /** Keys of objects that are there and could not be transformed: not gone, and without an event (rules R30, W8). */
  readonly failed: readonly string[]
}
