/** An object came: it is new, or was there when the controller began. */
export interface AddedEvent<C> {
  readonly type: 'add'
  /** `namespace/name` */
  readonly key: string
  readonly object: C
  readonly old?: undefined
  readonly isInInitialList: boolean
}

/** An object changed: what it was is at hand. */
export interface UpdatedEvent<C> {
  readonly type: 'update'
  readonly key: string
  readonly object: C
  readonly old: C
}

/** An object went, or left the view. */
export interface DeletedEvent<C> {
  readonly type: 'delete'
  readonly key: string
  /** As it was last. */
  readonly object: C
  readonly old?: undefined
  /** It was found missing, and may have changed before it went. */
  readonly finalStateUnknown: boolean
}

/** What is heard of an object of a view that is watched for the controller: with `for`, `owns` and `watches`. */
export type ObjectEvent<C> = AddedEvent<C> | UpdatedEvent<C> | DeletedEvent<C>
