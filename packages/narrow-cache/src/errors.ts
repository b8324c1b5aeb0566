/** A narrow cache can't list objects: it knows only single objects (rule N12). */
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

/** The server does not allow a watch of this object by its name, so it can't be cached or subscribed to (rule N10). */
export class NarrowWatchRefusedError extends Error {
  override readonly name = 'NarrowWatchRefusedError'
  readonly code = 'NARROW_WATCH_REFUSED'
  /** `group/version/plural` */
  readonly resource: string
  /** `namespace/name` */
  readonly key: string

  constructor(resource: string, key: string, cause: Error) {
    super(
      `${key} of ${resource} can't be watched: each read asks the server (RBAC: allow list and watch, with resourceNames if you like)`,
      { cause },
    )
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
