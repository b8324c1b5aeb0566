/** The operator had still something to do when `settled` had waited long enough. Its cause is the signal's reason, if that ended the wait. */
export class NotSettledError extends Error {
  override readonly name = 'NotSettledError'
  readonly code = 'NOT_SETTLED'
  /** What it is at, a line each. */
  readonly pending: readonly string[]

  constructor(when: string, pending: readonly string[], cause: unknown) {
    super(`the operator has not settled ${when}:${pending.map(line => `\n  ${line}`).join('')}`, { cause })
    this.pending = pending
  }
}
