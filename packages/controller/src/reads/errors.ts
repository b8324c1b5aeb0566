/** A reconcile used its `read` after its run had ended, when no read can be tracked (rule C17). */
export class ReadClosedError extends Error {
  override readonly name = 'ReadClosedError'
  readonly code = 'READ_CLOSED'
  /** The key that ran: `namespace/name`. */
  readonly key: string

  constructor(key: string) {
    super(`the run of ${key} has ended, and with it its reads: await all of them before the reconcile returns`)
    this.key = key
  }
}

/** The informer that serves a read did not show a write of this process in time (rule C10). */
export class OwnWriteTimeoutError extends Error {
  override readonly name = 'OwnWriteTimeoutError'
  readonly code = 'OWN_WRITE_TIMEOUT'
  /** Key of the informer's view. */
  readonly view: string
  /** `namespace/name` of the written object; of any, if several writes are missing. */
  readonly object: string

  constructor(view: string, object: string, ms: number, cause: Error | undefined) {
    super(`the informer of ${view} did not show the write of ${object} within ${ms} ms`, { cause })
    this.view = view
    this.object = object
  }
}
