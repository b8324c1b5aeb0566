/** The process of an isolated API server ended, or was closed, before it answered. */
export class IsolatedServerError extends Error {
  readonly code: 'ERR_WHERRY_ISOLATED_SERVER' = 'ERR_WHERRY_ISOLATED_SERVER'
  /** The exit code of the process, if it had one. */
  readonly exitCode: number | undefined
  /** The signal that killed the process. */
  readonly signal: string | undefined

  constructor(message: string, exitCode?: number | undefined, signal?: string | undefined) {
    super(message)
    this.name = 'IsolatedServerError'
    this.exitCode = exitCode
    this.signal = signal
  }
}
