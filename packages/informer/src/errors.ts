import type { InformerState } from './informer-state.ts'

/** An error about a view. */
abstract class ViewError extends Error {
  /** The key of the view. */
  readonly view: string

  constructor(view: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.view = view
  }
}

/** The informer was stopped: nothing can be added to it, and who waited for its first state waits in vain. */
export class InformerStoppedError extends ViewError {
  override readonly name = 'InformerStoppedError'
  readonly code = 'INFORMER_STOPPED'

  constructor(view: string) {
    super(view, `the informer of ${view} was stopped`)
  }
}

/**
 * An object is there, but the view's projection threw for it (rule R30). Its cause is what was thrown; of a Secret, a review
 * or a request of a token it says of which class that was, and no more.
 */
export class TransformError extends ViewError {
  override readonly name = 'TransformError'
  readonly code = 'TRANSFORM_FAILED'
  /** `namespace/name` of the object. */
  readonly key: string

  constructor(view: string, key: string, cause: unknown) {
    const why = cause instanceof Error ? `: ${cause.message.slice(0, 1000)}` : ''
    super(view, `${key} of ${view} could not be transformed${why}`, { cause })
    this.key = key
  }
}

/** The signal of a wait for a view's first state was aborted before the state was there. The cause is the signal's reason. */
export class NotSyncedError extends ViewError {
  override readonly name = 'NotSyncedError'
  readonly code = 'NOT_SYNCED'
  /** What its informer was doing. */
  readonly state: InformerState
  /** The last failure to list or watch, if no watch was opened after it. */
  readonly lastError: Error | undefined

  constructor(view: string, state: InformerState, lastError: Error | undefined, cause: unknown, why: string) {
    super(view, `${view} has not synced (${why})${lastError === undefined ? '' : `: ${lastError.message}`}`, { cause })
    this.state = state
    this.lastError = lastError
  }
}

/** A handler was removed before it had been told of all that was there at first. */
export class HandlerRemovedError extends ViewError {
  override readonly name = 'HandlerRemovedError'
  readonly code = 'HANDLER_REMOVED'

  constructor(view: string) {
    super(view, `the handler was removed from ${view} before it had synced`)
  }
}

/** Objects were to be selected by labels, and the view's projection leaves labels out. */
export class LabelsNotKeptError extends ViewError {
  override readonly name = 'LabelsNotKeptError'
  readonly code = 'LABELS_NOT_KEPT'

  constructor(view: string) {
    super(
      view,
      `${view} keeps no labels to select by: keep metadata.labels in its projection, select in the view (within({ labels })), or list by an index`,
    )
  }
}

/** Two projections have one name and are different functions (rule D1). */
export class ViewConflictError extends ViewError {
  override readonly name = 'ViewConflictError'
  readonly code = 'VIEW_CONFLICT'

  constructor(view: string) {
    super(view, `${view} is cached with another function of that name: define the view once, at module level`)
  }
}

/** A packed store was to hold what it has no form for, or what is nested too deep. It is the cause of a {@link TransformError}. */
export class UnpackableValueError extends Error {
  override readonly name = 'UnpackableValueError'
  readonly code = 'UNPACKABLE_VALUE'
  /** Where in the value it is; empty for the value itself. */
  readonly path: readonly string[]
  /** What is there: `a Map`, `a function`. */
  readonly what: string

  constructor(path: readonly string[], what: string) {
    super(`${path.join('.') || 'the value'} is ${what}: a packed store takes what JSON can say, and undefined`)
    this.path = path
    this.what = what
  }
}
