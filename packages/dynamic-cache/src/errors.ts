/**
 * A read of a view that is not cached, with no `onMissing` that allows it (rule D3).
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { secrets } from '@wherry/client/resources/core'
 * import { DynamicCache, NotCachedError } from '@wherry/dynamic-cache'
 *
 * const cache = new DynamicCache({ client: await Client.connect() })
 * try {
 *   await cache.get(secrets, { name: 'db', namespace: 'arcade' })
 * } catch (error) {
 *   if (!(error instanceof NotCachedError)) throw error
 *   console.error(error.message) // call cache.informer(secrets) first, or set onMissing
 * }
 * ```
 */
export class NotCachedError extends Error {
  override readonly name = 'NotCachedError'
  readonly code = 'NOT_CACHED'
  /** The view's key. */
  readonly view: string

  constructor(view: string, wayOut: string) {
    super(`${view} is not cached: ${wayOut}`)
    this.view = view
  }
}

/** The informer was removed during a wait, or its handle was used after the removal (rule D4). */
export class InformerRemovedError extends Error {
  override readonly name = 'InformerRemovedError'
  readonly code = 'INFORMER_REMOVED'
  /** The view's key. */
  readonly view: string

  constructor(view: string) {
    super(`the informer of ${view} was removed`)
    this.view = view
  }
}

/** The view can't be removed or moved, because it is held (rule D4). */
export class ViewHeldError extends Error {
  override readonly name = 'ViewHeldError'
  readonly code = 'VIEW_HELD'
  /** The view's key. */
  readonly view: string
  /** The names of its holders, each once. */
  readonly holders: readonly string[]

  constructor(view: string, holders: readonly string[]) {
    super(`${view} is held by ${holders.join(', ')}`)
    this.view = view
    this.holders = holders
  }
}

/** An informer can't be moved to a view that is already cached (rule D9). */
export class AlreadyCachedError extends Error {
  override readonly name = 'AlreadyCachedError'
  readonly code = 'ALREADY_CACHED'
  /** The view's key. */
  readonly view: string

  constructor(view: string) {
    super(`${view} is cached already`)
    this.view = view
  }
}

/** The cache was closed. */
export class CacheClosedError extends Error {
  override readonly name = 'CacheClosedError'
  readonly code = 'CACHE_CLOSED'

  constructor() {
    super('the cache was closed')
  }
}
