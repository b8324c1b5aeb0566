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

/**
 * The informer was stopped. Nothing can be added to it, and waits for its first state end with this error.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { Informer, InformerStoppedError } from '@wherry/informer'
 *
 * const informer = new Informer({ client: await Client.connect(), view: configMaps })
 * informer.start()
 * await informer.close()
 * try {
 *   informer.get('arcade/settings')
 * } catch (error) {
 *   console.log(error instanceof InformerStoppedError) // true: a closed informer has no objects
 * }
 * ```
 */
export class InformerStoppedError extends ViewError {
  override readonly name = 'InformerStoppedError'
  readonly code = 'INFORMER_STOPPED'

  constructor(view: string) {
    super(view, `the informer of ${view} was stopped`)
  }
}

/**
 * The object exists, but the view's projection threw for it, or returned `undefined` or a promise (rule R30). The cause is the thrown error. For a
 * Secret, a review or a request of a token, the cause names only the class of that error.
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

/**
 * The signal of a wait for a view's first state was aborted before the state arrived. The cause is the signal's reason.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { Informer, NotSyncedError } from '@wherry/informer'
 *
 * const informer = new Informer({ client: await Client.connect(), view: configMaps })
 * informer.start()
 * try {
 *   await informer.whenSynced({ signal: AbortSignal.timeout(30_000) })
 * } catch (error) {
 *   if (!(error instanceof NotSyncedError)) throw error
 *   console.error(error.state, error.lastError?.message) // the informer goes on trying
 * }
 * ```
 */
export class NotSyncedError extends ViewError {
  override readonly name = 'NotSyncedError'
  readonly code = 'NOT_SYNCED'
  /** The state of its informer. */
  readonly state: InformerState
  /** The last failure to list or watch, if no watch was opened after it. */
  readonly lastError: Error | undefined

  constructor(view: string, state: InformerState, lastError: Error | undefined, cause: unknown, why: string) {
    super(view, `${view} has not synced (${why})${lastError === undefined ? '' : `: ${lastError.message}`}`, { cause })
    this.state = state
    this.lastError = lastError
  }
}

/** A handler was removed before it had received all initial objects. */
export class HandlerRemovedError extends ViewError {
  override readonly name = 'HandlerRemovedError'
  readonly code = 'HANDLER_REMOVED'

  constructor(view: string) {
    super(view, `the handler was removed from ${view} before it had synced`)
  }
}

/** Objects can't be selected by labels, because the view's projection leaves labels out. */
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

/** Two different functions have the same projection name (rule D1). */
export class ViewConflictError extends ViewError {
  override readonly name = 'ViewConflictError'
  readonly code = 'VIEW_CONFLICT'

  constructor(view: string) {
    super(view, `${view} is cached with another function of that name: define the view once, at module level`)
  }
}
