import type { LogLevel } from '@wherry/client'
import { checkOptions, oneOf } from '@wherry/client/internal'
import { type Logger, loggerTo } from './logger.ts'

// An `import` would read all exports of the module, and so load 0.7 MB more.
const { inspect } = process.getBuiltinModule('node:util')

/** Options of {@link stderrLogger}. */
export interface StderrLoggerOptions {
  /** `json`: one JSON object per line; `text`: for people. @default 'text' on a terminal, else 'json' */
  readonly format?: 'json' | 'text' | undefined
  /** The lowest level that is written. @default 'info' */
  readonly level?: LogLevel | undefined
}

const levels = ['debug', 'info', 'warn', 'error'] as const

/**
 * Writes to standard error: JSON in a cluster, readable text on a terminal. A line of JSON has `level`, `time` (ISO 8601), `msg` and the fields. An
 * error under `err` has `type`, `code`, and `message` and `stack` with the causes, as pino writes it.
 *
 * @example
 * ```ts
 * import { Operator, stderrLogger } from '@wherry/controller'
 *
 * const operator = await Operator.connect({ name: 'game-operator', log: stderrLogger({ level: 'debug' }) })
 * await operator.run()
 * ```
 */
export function stderrLogger(options: StderrLoggerOptions = {}): Logger {
  checkOptions('stderrLogger', options, { format: oneOf('json', 'text'), level: oneOf(...levels) })
  const { format = process.stderr.isTTY ? 'text' : 'json', level: least = 'info' } = options
  const line = format === 'json' ? jsonLine : textLine
  return loggerTo((level, fields, message) => {
    if (levels.indexOf(level) < levels.indexOf(least)) return
    process.stderr.write(`${line(level, new Date().toISOString(), message, fields)}\n`)
  })
}

export function jsonLine(level: LogLevel, time: string, message: string, fields: object): string {
  const own = { level, time, msg: message }
  const { err, ...rest } = fields as { readonly err?: unknown }
  const reported = err !== undefined && { err: errorFields(err) }
  try {
    // The line's own fields come first, and other fields can't replace them.
    return JSON.stringify({ ...own, ...rest, ...own, ...reported }, (_, one) =>
      one instanceof Error ? errorFields(one) : typeof one === 'bigint' ? `${one}` : one,
    )
  } catch {
    // A field contains itself, or its `toJSON` throws.
    return JSON.stringify({ ...own, fields: textOf(rest), ...reported })
  }
}

export function textLine(level: LogLevel, time: string, message: string, fields: object): string {
  const { err, ...rest } = fields as { readonly err?: unknown }
  const more = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${textOf(value)}`)
  const stack = err === undefined ? '' : `\n  ${stackOf(err).replaceAll('\n', '\n  ')}`
  return `${time.slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${message}${more.join('')}${stack}`
}

function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: textOf(error) }
  try {
    const { name: type } = error
    const { code } = error as { readonly code?: unknown }
    return { type, message: messageOf(error), ...(typeof code === 'string' && { code }), stack: stackOf(error) }
  } catch {
    // The error throws when its fields are read.
    return { message: '[object]' }
  }
}

/** The message of an error, with the message of its cause, unless it has that already. */
function messageOf(error: unknown): string {
  const messages = chainOf(error, ({ message }) => `${message}`)
  return messages.reduceRight((why, message) => (message.includes(why) ? message : `${message}: ${why}`))
}

/** Not all that `inspect` prints of an error: other libraries keep requests in theirs, with their tokens. */
function stackOf(error: unknown): string {
  return chainOf(error, one => one.stack ?? one.message).join('\ncaused by: ')
}

/** The lines of an error and of its chain of causes, each error once. */
function chainOf(error: unknown, reported: (error: Error) => string): string[] {
  const chain = new Set<unknown>()
  for (let one = error; one !== undefined && !chain.has(one); one = one instanceof Error ? one.cause : undefined) {
    chain.add(one)
  }
  return Array.from(chain, one => (one instanceof Error ? reported(one) : textOf(one)))
}

/** A string unchanged; any other value as one line. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    const options = { breakLength: Number.POSITIVE_INFINITY, compact: true }
    const text = value instanceof Error ? `${value.name}: ${messageOf(value)}` : inspect(value, options)
    // A message, or the stack of an error inside, has lines still.
    return text.replaceAll(/\n */g, ' ')
  } catch {
    return '[object]'
  }
}
