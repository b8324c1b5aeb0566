import type { Environment, LogFields, LogLevel } from '@wherry/client'
import { asError, callGuarded, having, systemEnvironment } from '@wherry/client/internal'

/**
 * Receives log lines. pino's logger can be used directly: fields come first, then the message. An error is the field `err`, or replaces the
 * fields.
 */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Checks a logger of the options. */
export const loggerCheck: (option: string, value: unknown) => void = having(
  'a logger with debug, info, warn and error, such as one of pino',
  ...['debug', 'info', 'warn', 'error'],
)

/** A logger that passes its lines to `write`. An error in the place of the fields becomes the field `err`, as in pino. */
export function loggerTo(write: (level: LogLevel, fields: object, message: string) => void): Logger {
  const at =
    (level: LogLevel) =>
    (fields: object, message: string): void =>
      write(level, fields instanceof Error ? { err: fields } : fields, message)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** A logger that writes into an environment's log. */
export function environmentLogger(environment: Pick<Environment, 'log'>): Logger {
  return loggerTo((level, fields, message) => environment.log(level, message, fields as LogFields))
}

/** A logger that adds fields to each line. Errors of `logger` go to `onError`. */
export function loggerWith(logger: Logger, fields: object, onError: Environment['onError']): Logger {
  const failed = (thrown: unknown): void => onError(asError(thrown, 'the logger threw'), { phase: 'log' })
  return loggerTo((level, more, message) => callGuarded(() => logger[level]({ ...fields, ...more }, message), failed))
}

/** An environment that writes background errors and warnings into a logger. */
export function loggedEnvironment(logger: Logger): Partial<Environment> {
  const { onError, onWarning } = systemEnvironment()
  // The logger's own failures are not reported to itself.
  const log = loggerWith(logger, {}, onError)
  return {
    onError: (error, context) => {
      onError(error, context)
      log.error({ ...context, err: error }, error.message)
    },
    onWarning: (message, context) => {
      onWarning(message, context)
      log.warn({ ...context }, message)
    },
    log: (level: LogLevel, message: string, fields?: LogFields) => log[level]({ ...fields }, message),
  }
}
