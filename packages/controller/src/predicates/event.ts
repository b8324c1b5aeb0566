/** An object was created, or existed when the controller started. */
export interface AddedEvent<C> {
  readonly type: 'add'
  /** `namespace/name` */
  readonly key: string
  readonly object: C
  readonly old?: undefined
  readonly isInInitialList: boolean
}

/** An object changed. `old` is its previous state. */
export interface UpdatedEvent<C> {
  readonly type: 'update'
  readonly key: string
  readonly object: C
  readonly old: C
}

/** An object was deleted, or has left the view. */
export interface DeletedEvent<C> {
  readonly type: 'delete'
  readonly key: string
  /** Its last known state. */
  readonly object: C
  readonly old?: undefined
  /** A relist found the object missing, so it may have changed before it was deleted. */
  readonly finalStateUnknown: boolean
}

/** An event of an object in a view of `for`, `owns` or `watches`. */
export type ObjectEvent<C> = AddedEvent<C> | UpdatedEvent<C> | DeletedEvent<C>
