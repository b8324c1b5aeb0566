/** The process of an isolated API server ended, or was closed, before it answered. */
export class IsolatedServerError extends Error {
  readonly code: 'ERR_WHERRY_ISOLATED_SERVER' = 'ERR_WHERRY_ISOLATED_SERVER'
  /** Its exit code, where it had one. */
  readonly exitCode: number | undefined
  /** The signal that killed it. */
  readonly signal: string | undefined

  constructor(message: string, exitCode?: number | undefined, signal?: string | undefined) {
    super(message)
    this.name = 'IsolatedServerError'
    this.exitCode = exitCode
    this.signal = signal
  }
}
