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
