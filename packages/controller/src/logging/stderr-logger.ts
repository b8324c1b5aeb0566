import type { LogLevel } from '@wherry/client'
import { checkOptions, oneOf } from '@wherry/client/internal'
import { type Logger, loggerTo } from './logger.ts'

// No `import`: it would read every export of the module, and some load further modules when they are read (0.7 MB).
const { inspect, types } = process.getBuiltinModule('node:util')

/** Options of {@link stderrLogger}. */
export interface StderrLoggerOptions {
  /** `json`: one JSON object per line; `text`: lines for people to read. @default 'text' on a terminal, else 'json' */
  readonly format?: 'json' | 'text' | undefined
  /** The lowest level that is written. @default 'info' */
  readonly level?: LogLevel | undefined
}

const levels = ['debug', 'info', 'warn', 'error'] as const

/**
 * Returns a logger that writes to standard error: text on a terminal, else JSON. A line of JSON has `level`, `time` (ISO 8601), `msg` and the fields. An
 * error has `type`, `message`, `code` (if it is a string) and `stack`, as pino writes it; message and stack include those of the causes. No other property
 * of an error is written, since some libraries keep a request with its token there.
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
  const { format = process.stderr.isTTY ? 'text' : 'json', level: minLevel = 'info' } = options
  const line = format === 'json' ? jsonLine : textLine
  return loggerTo((level, fields, message) => {
    if (levels.indexOf(level) < levels.indexOf(minLevel)) return
    process.stderr.write(`${line(level, new Date().toISOString(), message, fields)}\n`)
  })
}

export function jsonLine(level: LogLevel, time: string, message: string, fields: object): string {
  const own = { level, time, msg: message }
  const { err, ...rest } = fields as { readonly err?: unknown }
  const errField = err !== undefined && { err: errorFields(err) }
  try {
    // The line's own fields come first, and other fields can't replace them.
    return JSON.stringify({ ...own, ...rest, ...own, ...errField }, function (this: object, key, value) {
      // `value` is the result of `toJSON`, which may contain more of an error than `errorFields`.
      const field = (this as Readonly<Record<string, unknown>>)[key]
      return field instanceof Error ? errorFields(field) : typeof value === 'bigint' ? `${value}` : value
    })
  } catch {
    // A field contains itself, or its `toJSON` throws.
    return JSON.stringify({ ...own, fields: textOf(rest), ...errField })
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
    // A getter of the error throws.
    return { message: '[object]' }
  }
}

/** The message of an error, followed by the messages of its causes. A message that contains the next one already is not extended. */
function messageOf(error: unknown): string {
  const messages = chainOf(error, ({ message }) => `${message}`)
  return messages.reduceRight((why, message) => (message.includes(why) ? message : `${message}: ${why}`))
}

/** The stacks of an error and of its causes. */
function stackOf(error: unknown): string {
  return chainOf(error, ({ stack, message }) => stack ?? message).join('\ncaused by: ')
}

/** Returns a string for the error and one for each of its causes. A cycle ends the chain. */
function chainOf(error: unknown, describe: (error: Error) => string): string[] {
  const chain = new Set<unknown>()
  for (
    let next = error;
    next !== undefined && !chain.has(next);
    next = next instanceof Error ? next.cause : undefined
  ) {
    chain.add(next)
  }
  return Array.from(chain, cause => (cause instanceof Error ? describe(cause) : textOf(cause)))
}

/** Replaces each error by its name and message, so that `inspect` prints no other property of it. `inspect` prints no deeper than `depth`. */
function withErrorsAsText(value: unknown, depth: number): unknown {
  if (value instanceof Error) return `${value.name}: ${messageOf(value)}`
  if (depth === 0 || value === null || (typeof value !== 'object' && typeof value !== 'function')) return value
  const within = (item: unknown): unknown => withErrorsAsText(item, depth - 1)
  if (Array.isArray(value)) return value.map(within)
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [within(key), within(item)]))
  if (value instanceof Set) return new Set(Array.from(value, within))
  if (inspect.custom in value || (isBare(value) && Object.keys(value).length === 0)) return value
  if (types.isArrayBufferView(value)) return value
  return copyOf(value, within)
}

/** Whether `inspect` prints a value that is not among the object's properties, such as the time of a Date. Such a value is never an object. */
function isBare(value: object): boolean {
  const isFunction = typeof value === 'function'
  return isFunction || types.isDate(value) || types.isRegExp(value) || types.isBoxedPrimitive(value)
}

/**
 * An object with the class name and the fields of another, which `inspect` prints in the same way. What else the other one holds, such as the result of a
 * promise, is left out.
 */
function copyOf(value: object, within: (item: unknown) => unknown): object {
  const prototype: unknown = Object.getPrototypeOf(value)
  const copy: object = Object.create(typeof value === 'function' ? Object.prototype : (prototype as object | null))
  for (const [name, field] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (field.enumerable)
      Object.defineProperty(copy, name, 'value' in field ? { ...field, value: within(field.value) } : field)
  }
  return copy
}

/** Returns a string unchanged, and formats any other value as one line. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    const options = { breakLength: Number.POSITIVE_INFINITY, compact: true }
    const safe = withErrorsAsText(value, 3)
    const text = typeof safe === 'string' ? safe : inspect(safe, options)
    // A message of an error may have several lines.
    return text.replaceAll(/\n */g, ' ')
  } catch {
    return '[object]'
  }
}
