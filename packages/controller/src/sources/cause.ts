import type { TraceParent } from '../objects/traceparent.ts'
import type { Changes } from '../predicates/changes.ts'
import type { ReadChange } from '../reads/cause.ts'

/** What happened that makes a key run: to an object, or without one. */
export type CauseChange =
  | 'initial'
  | 'added'
  | 'updated'
  | 'deleted'
  | ReadChange
  /** A source that has no objects reported the key. */
  | 'told'
  /** It failed. */
  | 'retry'
  /** It asked for it by `requeueAfterMs`. */
  | 'due'

/** Why a key runs: which object, what happened to it, from which state to which. */
export interface Cause {
  /** The source that reported it: `for`, `owns`, `watches`, `read`, `reconcile`, or the name of a source. */
  readonly source: string
  readonly change: CauseChange
  /** Key of the object's view; `undefined` where it was no object. */
  readonly view: string | undefined
  /** `namespace/name` of the object. */
  readonly object: string | undefined
  /** Its resourceVersion before; `undefined` where there was none, or the view does not keep it. */
  readonly from: string | undefined
  /** Its resourceVersion then; as `from`. */
  readonly to: string | undefined
  /**
   * The fields that changed, and their writers, of an object of `for` or `watches`. Named while somebody reads `operator.runs()`, and after the first
   * `explain` of a key of the controller: to compare each object costs about as much as a run.
   */
  readonly changes?: Changes | undefined
  /** The trace that wrote the object, of an object of `for` or `watches`, while the operator traces. */
  readonly trace?: TraceParent | undefined
}

/** A cause that is no object's. */
export function plainCause(source: string, change: CauseChange): Cause {
  return { source, change, view: undefined, object: undefined, from: undefined, to: undefined }
}
