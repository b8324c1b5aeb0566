import { isForbidden } from '@wherry/client'

/** A narrow cache can't list objects, because it knows only single objects (rule N12). */
export class NarrowListError extends Error {
  override readonly name = 'NarrowListError'
  readonly code = 'NARROW_LIST'
  /** The view's key. */
  readonly view: string

  constructor(view: string) {
    super(
      `a narrow cache does not list ${view}: get() objects by name, cache the view with an Informer or a DynamicCache, or call client.list()`,
    )
    this.view = view
  }
}

/**
 * The server does not allow a watch of this object by its name, so it can't be cached or subscribed to (rule N10).
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { secrets } from '@wherry/client/resources/core'
 * import { NarrowCache, NarrowWatchRefusedError } from '@wherry/narrow-cache'
 *
 * const narrow = new NarrowCache({ client: await Client.connect() })
 * try {
 *   await narrow.watch(secrets, { namespace: 'arcade', name: 'db' }, { update: () => console.log('changed') })
 * } catch (error) {
 *   if (!(error instanceof NarrowWatchRefusedError)) throw error
 *   console.error(error.message) // what the Role lacks
 * }
 * ```
 */
export class NarrowWatchRefusedError extends Error {
  override readonly name = 'NarrowWatchRefusedError'
  readonly code = 'NARROW_WATCH_REFUSED'
  /** `group/version/plural` */
  readonly resource: string
  /** `namespace/name` */
  readonly key: string

  constructor(resource: string, key: string, cause: Error) {
    const wayOut = isForbidden(cause)
      ? 'allow list and watch in its Role (a rule with resourceNames is enough)'
      : 'an operator reads it with the option poll'
    super(`${key} of ${resource} can't be watched (${cause.message}): ${wayOut}`, { cause })
    this.resource = resource
    this.key = key
  }
}

/** The first state of an object did not arrive in time. The cause is the server's last error, if there was one. */
export class NarrowTimeoutError extends Error {
  override readonly name = 'NarrowTimeoutError'
  readonly code = 'NARROW_TIMEOUT'
  /** The view's key. */
  readonly view: string
  /** `namespace/name` */
  readonly key: string

  constructor(view: string, key: string, ms: number, cause: Error | undefined) {
    super(`${key} of ${view} did not come within ${ms} ms`, { cause })
    this.view = view
    this.key = key
  }
}

/** The cache was closed. */
export class NarrowClosedError extends Error {
  override readonly name = 'NarrowClosedError'
  readonly code = 'NARROW_CLOSED'

  constructor() {
    super('the narrow cache was closed')
  }
}
