/** The common part of `OptionTypeError` and `OptionRangeError`. */
export interface OptionProblem {
  readonly code: 'INVALID_OPTION'
  /** The option's name with its path: `add.afterMs`. */
  readonly option: string
  /** The accepted values, in words. */
  readonly takes: string
}

/** An option of the wrong type, or an unknown option. */
export class OptionTypeError extends TypeError implements OptionProblem {
  override readonly name = 'OptionTypeError'
  readonly code = 'INVALID_OPTION'
  readonly option: string
  readonly takes: string

  constructor(option: string, takes: string, got: string, message = `${option} takes ${takes}, got ${got}`) {
    super(message)
    this.option = option
    this.takes = takes
  }

  /** The error for an unknown option. The message lists the known options. */
  static unknown(option: string, known: readonly string[]): OptionTypeError {
    const valid = known.length === 0 ? 'there are no options' : `valid options are ${known.join(', ')}`
    return new OptionTypeError(option, valid, '', `${option} is an unknown option; ${valid}`)
  }
}

/** An option of the right type with a value outside of its range. */
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
