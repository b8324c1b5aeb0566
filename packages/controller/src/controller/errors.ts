/** Thrown by a reconcile: it failed, and trying again would not help. It runs again when something that it depends on changes, or when the time has come to repair an object that it applied. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
  readonly code = 'TERMINAL'
}

/** A reconcile returned what is no result. Counts as a failure, and is tried again. */
export class InvalidResultError extends Error {
  override readonly name = 'InvalidResultError'
  readonly code = 'INVALID_RESULT'

  constructor(got: string) {
    super(`a reconcile returns nothing, { requeue: true } or { requeueAfterMs } with 0 or more, not ${got}`)
  }
}

/** A reconcile took longer than its `reconcileTimeoutMs`. Its signal was aborted with this; its key waits until it has ended. */
export class ReconcileTimeoutError extends Error {
  override readonly name = 'ReconcileTimeoutError'
  readonly code = 'RECONCILE_TIMEOUT'
  readonly controller: string
  /** `namespace/name` of the object. */
  readonly key: string
  readonly timeoutMs: number

  constructor(controller: string, key: string, timeoutMs: number) {
    super(`the reconcile of ${key} by controller ${controller} has not ended within ${timeoutMs} ms`)
    this.controller = controller
    this.key = key
    this.timeoutMs = timeoutMs
  }
}

/** Why the signal of a reconcile is aborted when its controller stops. */
export class ControllerStoppedError extends Error {
  override readonly name = 'ControllerStoppedError'
  readonly code = 'CONTROLLER_STOPPED'
  readonly controller: string

  constructor(controller: string) {
    super(`the controller ${controller} was stopped`)
    this.controller = controller
  }
}

/** Reconciles did not end when their controller was stopped (rule R23). To `onError`. */
export class ReconcileStillRunningError extends Error {
  override readonly name = 'ReconcileStillRunningError'
  readonly code = 'RECONCILE_STILL_RUNNING'
  readonly controller: string
  /** `namespace/name` of each object. */
  readonly keys: readonly string[]

  constructor(controller: string, keys: readonly string[]) {
    super(`the controller ${controller} is still reconciling ${keys.join(', ')}`)
    this.controller = controller
    this.keys = keys
  }
}

/** A source of a controller did not sync in time (rule C3). Its cause is what went wrong last, if anything. */
export class SourceNotSyncedError extends Error {
  override readonly name = 'SourceNotSyncedError'
  readonly code = 'SOURCE_NOT_SYNCED'
  readonly controller: string
  /** The sources that have not synced: `for VIEW`, `owns VIEW`, or a source's name. */
  readonly sources: readonly string[]

  constructor(
    controller: string,
    sources: readonly string[],
    timeoutMs: number,
    cause: unknown,
    lines: readonly string[] = sources,
  ) {
    super(
      `the controller ${controller} has waited ${timeoutMs} ms for the first state of: ${lines.join(', ')}`,
      cause === undefined ? undefined : { cause },
    )
    this.controller = controller
    this.sources = sources
  }
}

/** Sources of a controller did not close in time when it was stopped: they are left behind. To `onError`. */
export class SourceNotClosedError extends Error {
  override readonly name = 'SourceNotClosedError'
  readonly code = 'SOURCE_NOT_CLOSED'
  readonly controller: string
  /** As in {@link SourceNotSyncedError}. */
  readonly sources: readonly string[]

  constructor(controller: string, sources: readonly string[]) {
    super(`the controller ${controller} was stopped, and has not closed ${sources.join(', ')}`)
    this.controller = controller
    this.sources = sources
  }
}

/** A controller was declared without what it needs. */
export class ControllerIncompleteError extends Error {
  override readonly name = 'ControllerIncompleteError'
  readonly code = 'CONTROLLER_INCOMPLETE'
  readonly controller: string

  constructor(controller: string, missing: string) {
    super(`the controller ${controller} has no ${missing}`)
    this.controller = controller
  }
}

/** A controller was started twice, or after it was stopped: one object is good for one start. */
export class ControllerUsedError extends Error {
  override readonly name = 'ControllerUsedError'
  readonly code = 'CONTROLLER_USED'
  readonly controller: string

  constructor(controller: string) {
    super(`the controller ${controller} was started already: make another one`)
    this.controller = controller
  }
}

/**
 * An object that is made as desired is written again and again. To `onError`, once until it was at peace for 10 minutes.
 *
 * - `by` others: somebody else changes it as often. It is repaired ever later, after 5 minutes at most.
 * - `by` itself: the reconcile wants it differently each time, though nobody else has changed it; or it is gone each time, or writes do not
 *   change it; or it is applied (`mode: 'apply'`), where that can't be told. It is written once a second.
 */
export class FlappingError extends Error {
  override readonly name = 'FlappingError'
  readonly code = 'FLAPPING'
  /** The view's key. */
  readonly view: string
  /** `namespace/name` */
  readonly key: string
  /** How long the next write waits, in milliseconds. */
  readonly delayMs: number
  readonly by: 'others' | 'itself'

  constructor(view: string, key: string, delayMs: number, by: 'others' | 'itself') {
    super(
      by === 'others'
        ? `${key} of ${view} is changed by somebody else again and again: it is repaired ever later`
        : `${key} of ${view} is written again and again, since something else is desired each time, it is gone each time, writes do not change it, or by server-side apply: it is written once a second`,
    )
    this.view = view
    this.key = key
    this.delayMs = delayMs
    this.by = by
  }
}

/** An object that is made as desired was changed by somebody else each time that it was looked at. The key runs again, with backoff. */
export class ChangedMeanwhileError extends Error {
  override readonly name = 'ChangedMeanwhileError'
  readonly code = 'CHANGED_MEANWHILE'
  /** The view's key. */
  readonly view: string
  /** `namespace/name` */
  readonly key: string

  constructor(view: string, key: string) {
    super(`${key} of ${view} is being changed by somebody else`)
    this.view = view
    this.key = key
  }
}
