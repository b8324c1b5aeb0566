/**
 * Throw it in a reconcile that has failed if a retry would not help. The key runs again when something that it depends on changes, or when a
 * delayed write is due.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import { type Operator, TerminalError } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('settings').for(configMaps).reconcile(({ object: { data } }) => {
 *     // Without a change of the object, the next run would fail as well.
 *     if (data?.colour === undefined) throw new TerminalError('the colour is missing')
 *   })
 * }
 * ```
 */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
  readonly code = 'TERMINAL'
}

/**
 * `ready` and `gone` throw it to end a run, while an object is not yet as they require. Do not catch it: the run counts as no failure, and the key runs
 * again when the object changes.
 */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError'
  readonly code = 'NOT_READY'
  /** `apps/v1/statefulsets` */
  readonly resource: string
  /** The object's name. */
  readonly object: string

  constructor(resource: string, object: string, why: string) {
    super(`waits for ${resource} ${object}: ${why}`)
    this.resource = resource
    this.object = object
  }
}

/**
 * A reconcile took longer than `reconcileTimeoutMs`. Its signal was aborted with this error. Its key does not run again before the reconcile has
 * ended.
 */
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

/** The reason of a reconcile's signal when its controller stops. */
export class ControllerStoppedError extends Error {
  override readonly name = 'ControllerStoppedError'
  readonly code = 'CONTROLLER_STOPPED'
  readonly controller: string

  constructor(controller: string) {
    super(`the controller ${controller} was stopped`)
    this.controller = controller
  }
}

/** Reconciles or sources of a controller did not end in time after it was stopped; the controller left them behind (rule R23). Sent to `onError`. */
export class StillRunningError extends Error {
  override readonly name = 'StillRunningError'
  readonly code = 'STILL_RUNNING'
  readonly controller: string
  /** `namespace/name` of each object with a reconcile that still runs. */
  readonly keys: readonly string[]
  /** The sources that have not closed, named as in {@link SourceNotSyncedError}. */
  readonly sources: readonly string[]

  constructor(controller: string, keys: readonly string[], sources: readonly string[]) {
    const reconciling = keys.length === 0 ? [] : [`is still reconciling ${keys.join(', ')}`]
    const closing = sources.length === 0 ? [] : [`has not closed ${sources.join(', ')}`]
    super(`the controller ${controller} was stopped, and ${[...reconciling, ...closing].join(', and ')}`)
    this.controller = controller
    this.keys = keys
    this.sources = sources
  }
}

/** A source of a controller did not sync in time (rule C3). The cause is its last error, if there was one. */
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
