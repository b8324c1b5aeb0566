/** Why a simulation could not go on. */
export type SimulationErrorCode =
  | 'SIMULATION_DEADLOCK'
  | 'SIMULATION_TIME_LIMIT'
  | 'SIMULATION_STEP_LIMIT'
  | 'SIMULATION_UNHANDLED_REJECTION'
  | 'SIMULATION_UNCAUGHT_EXCEPTION'

/** The simulation itself failed. The error has the seed that replays it, and the pending waits. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError'
  readonly code: SimulationErrorCode
  readonly seed: number
  /** Simulated milliseconds from the start. */
  readonly time: number
  /** The pending waits, a line each. */
  readonly pending: readonly string[]

  constructor(
    code: SimulationErrorCode,
    message: string,
    at: { readonly seed: number; readonly time: number; readonly pending: readonly string[]; readonly cause?: unknown },
  ) {
    const lines = at.pending.map(line => `\n  ${line}`).join('')
    super(
      `${message} (seed ${at.seed}, at ${at.time} ms)${lines && `\npending:${lines}`}`,
      'cause' in at ? { cause: at.cause } : undefined,
    )
    this.code = code
    this.seed = at.seed
    this.time = at.time
    this.pending = at.pending
  }
}
