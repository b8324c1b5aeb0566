/** The common part of an {@link OptionTypeError} and an {@link OptionRangeError}. */
export interface OptionProblem {
  readonly code: 'INVALID_OPTION'
  /** The option's name, with its path if it is nested: `timeoutMs`, `within.namespaces`. */
  readonly option: string
  /** The accepted values, in words: `milliseconds, 0 or more`. */
  readonly takes: string
}

/**
 * An option of the wrong type, or an unknown option. The message says what the option takes, never the value of a secret.
 *
 * @example
 * ```ts
 * import { Client, OptionRangeError, OptionTypeError } from '@wherry/client'
 *
 * try {
 *   await Client.connect({ timeoutMs: Number(process.env.TIMEOUT_MS ?? 10_000) })
 * } catch (error) {
 *   if (!(error instanceof OptionTypeError || error instanceof OptionRangeError)) throw error
 *   console.error(`${error.option} takes ${error.takes}`) // client.timeoutMs takes milliseconds, 1 or more …
 * }
 * ```
 */
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

/** An option of the right type with an invalid value. */
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

/** Whether `error` says that an option was wrong (rule X6). */
export function isInvalidOption(error: unknown): error is (OptionTypeError | OptionRangeError) & OptionProblem {
  return error instanceof Error && (error as { code?: unknown }).code === 'INVALID_OPTION'
}
