import type { ExitStatus } from './host.ts'
import { oneLine } from './one-line.ts'

/** Ends a command with a message for its user. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly status: ExitStatus

  constructor(message: string, status: ExitStatus, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** A failure because of the contents of the user's files. */
export function refused(message: string, cause?: unknown): CommandFailure {
  return new CommandFailure(message, 1, { cause })
}

/** A failure in one line for an error of this machine's file system or network. Undefined for any other error. */
export function systemFailure(error: unknown): CommandFailure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall } = error as NodeJS.ErrnoException
  return typeof code === 'string' && typeof syscall === 'string' ? refused(oneLine(error.message), error) : undefined
}

/** A failure because of a wrong command line. */
export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(message, 2)
}
