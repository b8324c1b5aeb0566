/** What an {@link OptionTypeError} and an {@link OptionRangeError} have in common. */
export interface OptionProblem {
  readonly code: 'INVALID_OPTION'
  /** The option's name with its path: `add.afterMs`. */
  readonly option: string
  /** What the option takes, in words. */
  readonly takes: string
}

/** An option of the wrong type, or an unknown option. */
export class OptionTypeError extends TypeError implements OptionProblem {
  override readonly name = 'OptionTypeError'
  readonly code = 'INVALID_OPTION'
  readonly option: string
  readonly takes: string

  constructor(option: string, takes: string, got: string) {
    super(`${option} takes ${takes}, got ${got}`)
    this.option = option
    this.takes = takes
  }
}

/** An option of the right type with a value that it does not take. */
export class OptionRangeError extends RangeError implements OptionProblem {
  override readonly name = 'OptionRangeError'
  readonly code = 'INVALID_OPTION'
  readonly option: string
  readonly takes: string

  constructor(option: string, takes: string, got: string) {
    super(`${option} takes ${takes}, got ${got}`)
    this.option = option
    this.takes = takes
  }
}
