/** A reconcile's `read` was used when its run had ended: nothing that it reads then could be tracked (rule C17). */
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

/** What this process wrote did not come back by the informer that a read is served from (rule C10). */
export class OwnWriteTimeoutError extends Error {
  override readonly name = 'OwnWriteTimeoutError'
  readonly code = 'OWN_WRITE_TIMEOUT'
  /** Key of the view of that informer. */
  readonly view: string
  /** `namespace/name` of what was written; of several, one. */
  readonly object: string

  constructor(view: string, object: string, ms: number, cause: Error | undefined) {
    super(`the informer of ${view} did not show the write of ${object} within ${ms} ms`, { cause })
    this.view = view
    this.object = object
  }
}
