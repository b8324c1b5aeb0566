import type { ExitStatus } from './host.ts'

/** Ends a command with a message for its user. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly status: ExitStatus

  constructor(message: string, status: ExitStatus, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** What was asked for is refused: the files are at fault. */
export function refused(message: string, cause?: unknown): CommandFailure {
  return new CommandFailure(message, 1, { cause })
}

/** The command line is at fault. */
export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(message, 2)
}
