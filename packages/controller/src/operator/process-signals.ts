/** A signal asked the process to end. */
export class ProcessSignalError extends Error {
  override readonly name = 'ProcessSignalError'
  readonly code = 'PROCESS_SIGNAL'
  readonly signal: 'SIGTERM' | 'SIGINT'

  constructor(signal: 'SIGTERM' | 'SIGINT') {
    super(`the process was asked to end by ${signal}`)
    this.signal = signal
  }
}

/**
 * Calls `end` at the first SIGTERM or SIGINT, and then stops listening, so that a second signal ends the process at once. Returns a function that
 * stops listening earlier.
 */
export function onProcessSignal(end: (reason: ProcessSignalError) => void): () => void {
  const received = (signal: NodeJS.Signals): void => {
    forget()
    end(new ProcessSignalError(signal as 'SIGTERM' | 'SIGINT'))
  }
  const forget = (): void => {
    process.off('SIGTERM', received)
    process.off('SIGINT', received)
  }
  process.on('SIGTERM', received)
  process.on('SIGINT', received)
  return forget
}
