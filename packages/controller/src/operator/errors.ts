/** Two controllers of one operator were given one name. */
export class ControllerNameTakenError extends Error {
  override readonly name = 'ControllerNameTakenError'
  readonly code = 'CONTROLLER_NAME_TAKEN'
  readonly controller: string

  constructor(controller: string) {
    super(`there is a controller ${controller} already: take another name`)
    this.controller = controller
  }
}

/** The operator was run before, or is running: one object is good for one run, and takes no controllers after its start. */
export class OperatorUsedError extends Error {
  override readonly name = 'OperatorUsedError'
  readonly code = 'OPERATOR_USED'
}

/** There is no controller of that name. */
export class UnknownControllerError extends Error {
  override readonly name = 'UnknownControllerError'
  readonly code = 'UNKNOWN_CONTROLLER'
  readonly controller: string

  constructor(controller: string, known: readonly string[]) {
    super(`there is no controller ${controller}; there ${known.length === 0 ? 'is none' : `are ${known.join(', ')}`}`)
    this.controller = controller
  }
}

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
