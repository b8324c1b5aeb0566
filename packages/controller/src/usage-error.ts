/** What the program did wrong. */
export type UsageCode =
  /** Sent by a channel that no controller hears (any more): it is lost. */
  | 'CHANNEL_NOT_CONNECTED'
  /** A controller was declared without what it needs. */
  | 'CONTROLLER_INCOMPLETE'
  /** Two controllers of one operator were given one name. */
  | 'CONTROLLER_NAME_TAKEN'
  /** A controller was started twice, or after it was stopped. */
  | 'CONTROLLER_USED'
  /** An election was run twice. */
  | 'ELECTION_USED'
  /** A reconcile returned what is no result. Counts as a failure, and is tried again. */
  | 'INVALID_RESULT'
  /** A reconcile returned while reads or writes that it had begun were under way. Counts as a failure, and is tried again. */
  | 'NOT_AWAITED'
  /** An operator is not at what was asked: it was run before, was not run yet, or has ended. */
  | 'OPERATOR_USED'
  /** A source that serves one controller at a time was connected to another. */
  | 'SOURCE_TAKEN'
  /** There is no controller of that name. */
  | 'UNKNOWN_CONTROLLER'

/** The program uses this library wrongly: `code` says how, the message what to do. It is for whoever wrote the program, not for a `catch`. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code: UsageCode

  constructor(code: UsageCode, message: string) {
    super(message)
    this.code = code
  }
}
