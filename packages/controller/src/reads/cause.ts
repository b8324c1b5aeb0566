/** What happened to an object that was read. */
export type ReadChange = 'appeared' | 'changed' | 'vanished'

/** Why a key runs again: which object of what it read, and what happened to it. */
export interface ReadCause {
  /** Key of the view that was read. */
  readonly view: string
  /** `namespace/name` of the object. */
  readonly object: string
  readonly change: ReadChange
  /** The object's resourceVersion before; `undefined` where there was none, or the view does not keep it. */
  readonly from: string | undefined
  /** The object's resourceVersion now; as `from`. */
  readonly to: string | undefined
}
