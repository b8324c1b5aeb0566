import type { InformerState } from './reflector/state.ts'

/** The informer was stopped: nothing can be added to it, and who waited for its first state waits in vain. */
export class InformerStoppedError extends Error {
  override readonly name = 'InformerStoppedError'
  readonly code = 'INFORMER_STOPPED'
  /** The key of its view. */
  readonly view: string

  constructor(view: string) {
    super(`the informer of ${view} was stopped`)
    this.view = view
  }
}

/**
 * An object is there, but the view's projection threw for it (rule R30). Its cause is what was thrown; of a Secret, a review
 * or a request of a token it says of which class that was, and no more.
 */
export class TransformError extends Error {
  override readonly name = 'TransformError'
  readonly code = 'TRANSFORM_FAILED'
  /** The key of the view. */
  readonly view: string
  /** `namespace/name` of the object. */
  readonly key: string

  constructor(view: string, key: string, cause: unknown) {
    const why = cause instanceof Error ? `: ${cause.message.slice(0, 1000)}` : ''
    super(`${key} of ${view} could not be transformed${why}`, { cause })
    this.view = view
    this.key = key
  }
}

/** The signal of a wait for a view's first state was aborted before the state was there. The cause is the signal's reason. */
export class NotSyncedError extends Error {
  override readonly name = 'NotSyncedError'
  readonly code = 'NOT_SYNCED'
  /** The key of the view. */
  readonly view: string
  /** What its informer was doing. */
  readonly state: InformerState
  /** The last failure to list or watch, if no watch was opened after it. */
  readonly lastError: Error | undefined

  constructor(view: string, state: InformerState, lastError: Error | undefined, cause: unknown, why: string) {
    super(`${view} has not synced (${why})${lastError === undefined ? '' : `: ${lastError.message}`}`, { cause })
    this.view = view
    this.state = state
    this.lastError = lastError
  }
}

/** A handler was removed before it had been told of all that was there at first. */
export class HandlerRemovedError extends Error {
  override readonly name = 'HandlerRemovedError'
  readonly code = 'HANDLER_REMOVED'
  /** The key of the view. */
  readonly view: string

  constructor(view: string) {
    super(`the handler was removed from ${view} before it had synced`)
    this.view = view
  }
}

/** Objects were to be selected by labels, and the view's projection leaves labels out. */
export class LabelsNotKeptError extends Error {
  override readonly name = 'LabelsNotKeptError'
  readonly code = 'LABELS_NOT_KEPT'
  /** The key of the view. */
  readonly view: string

  constructor(view: string) {
    super(
      `${view} keeps no labels to select by: keep metadata.labels in its projection, select in the view (within({ labels })), or list by an index`,
    )
    this.view = view
  }
}

/** Two projections have one name and are different functions (rule D1). */
export class ViewConflictError extends Error {
  override readonly name = 'ViewConflictError'
  readonly code = 'VIEW_CONFLICT'
  /** The key that both views have. */
  readonly view: string

  constructor(view: string) {
    super(`${view} is cached with another function of that name: define the view once, at module level`)
    this.view = view
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
