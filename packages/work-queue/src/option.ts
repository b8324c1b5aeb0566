/** What an `OptionTypeError` and an `OptionRangeError` have in common. */
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

  constructor(option: string, takes: string, got: string, message = `${option} takes ${takes}, got ${got}`) {
    super(message)
    this.option = option
    this.takes = takes
  }

  /** An option that there is none of. The message lists those that there are. */
  static unknown(option: string, known: readonly string[]): OptionTypeError {
    const valid = known.length === 0 ? 'there are no options' : `valid options are ${known.join(', ')}`
    return new OptionTypeError(option, valid, '', `${option} is an unknown option; ${valid}`)
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
