import type { TraceParent } from '../objects/traceparent.ts'
import type { Changes } from '../predicates/changes.ts'
import type { ReadChange } from '../reads/cause.ts'

/** The kind of change that makes a key run, of an object or without one. */
export type CauseChange =
  | 'initial'
  | 'added'
  | 'updated'
  | 'deleted'
  | ReadChange
  /** A source that has no objects reported the key. */
  | 'told'
  /** The last run failed. */
  | 'retry'
  /** The last run returned `requeueAfterMs`. */
  | 'due'

/** The cause of a run: an object, its change, and its states before and after. */
export interface Cause {
  /** The source of the event: `for`, `owns`, `watches`, `read`, `reconcile`, or the name of a source. */
  readonly source: string
  readonly change: CauseChange
  /** The key of the object's view; `undefined` if the cause is not an object. */
  readonly view: string | undefined
  /** `namespace/name` of the object. */
  readonly object: string | undefined
  /** The object's resourceVersion before; `undefined` if it was absent, or the view drops it. */
  readonly from: string | undefined
  /** The object's resourceVersion after; `undefined` as for `from`. */
  readonly to: string | undefined
  /**
   * The fields that changed, and their writers, of an object of `for` or `watches`. Named while somebody reads `operator.runs()`, and after the first
   * `explain` of a key of the controller: to compare each object costs about as much as a run.
   */
  readonly changes?: Changes | undefined
  /** The trace that wrote the object, of an object of `for` or `watches`, while the operator traces. */
  readonly trace?: TraceParent | undefined
}

/** A cause without an object. */
export function plainCause(source: string, change: CauseChange): Cause {
  return { source, change, view: undefined, object: undefined, from: undefined, to: undefined }
}
