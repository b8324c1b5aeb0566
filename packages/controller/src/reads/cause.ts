/** The change of an object that was read. */
export type ReadChange = 'appeared' | 'changed' | 'vanished'

/** The cause of a run by a tracked read: the object, and its change. */
export interface ReadCause {
  /** Key of the view that was read. */
  readonly view: string
  /** `namespace/name` of the object. */
  readonly object: string
  readonly change: ReadChange
  /** The object's resourceVersion before; `undefined` if the object was absent, or the view drops it. */
  readonly from: string | undefined
  /** The object's resourceVersion now; `undefined` as for `from`. */
  readonly to: string | undefined
}
