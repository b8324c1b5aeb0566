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

/** What was asked for is refused: the files are at fault. */
export function refused(message: string, cause?: unknown): CommandFailure {
  return new CommandFailure(message, 1, { cause })
}

/** What the file system or the network of this machine refuses, in one line. Undefined for any other error. */
export function systemFailure(error: unknown): CommandFailure | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall } = error as NodeJS.ErrnoException
  return typeof code === 'string' && typeof syscall === 'string' ? refused(oneLine(error.message), error) : undefined
}

/** The command line is at fault. */
export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(message, 2)
}
