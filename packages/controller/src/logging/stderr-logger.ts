import type { LogLevel } from '@wherry/client'
import { checkOptions, oneOf } from '@wherry/client/checks'
import { type Logger, loggerTo } from './logger.ts'

/** Options of {@link stderrLogger}. */
export interface StderrLoggerOptions {
  /** `json`: a line of JSON each; `text`: for people. @default 'text' on a terminal, else 'json' */
  readonly format?: 'json' | 'text' | undefined
  /** The least that is written. @default 'info' */
  readonly level?: LogLevel | undefined
}

/** So many causes of causes are told. */
const deepest = 8

const levels = ['debug', 'info', 'warn', 'error'] as const

/**
 * Writes to standard error: JSON in a cluster, something readable on a terminal. A line of JSON has `level`, `time` (ISO 8601),
 * `msg` and the fields; an error under `err` has `type`, `code`, and `message` and `stack` with what caused it, as pino
 * writes it.
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
  try {
    // Its own are first, and stay.
    return inJson({ ...own, ...rest, ...own, ...(err !== undefined && { err: errorFields(err) }) })
  } catch {
    return inJson(own)
  }
}

export function textLine(level: LogLevel, time: string, message: string, fields: object): string {
  const { err, ...rest } = fields as { readonly err?: unknown }
  const more = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === 'object' ? inOneLine(value) : String(value)}`)
  const stack = err === undefined ? '' : `\n  ${stackOf(err).replaceAll('\n', '\n  ')}`
  return `${time.slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${message}${more.join('')}${stack}`
}

function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: textOf(error) }
  const { name: type } = error
  const { code } = error as { readonly code?: unknown }
  return { type, message: messageOf(error), ...(typeof code === 'string' && { code }), stack: stackOf(error) }
}

/** With what caused it, where it does not say that itself. */
function messageOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return textOf(error)
  const { message, cause } = error
  if (cause === undefined || depth > deepest) return message
  const why = messageOf(cause, depth + 1)
  return message.includes(why) ? message : `${message}: ${why}`
}

function stackOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return textOf(error)
  const { stack, message, cause } = error
  const own = stack ?? message
  return cause === undefined || depth > deepest ? own : `${own}\ncaused by: ${stackOf(cause, depth + 1)}`
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? inOneLine(value) : String(value)
}

function inOneLine(value: unknown): string {
  try {
    return inJson(value)
  } catch {
    return '[object]'
  }
}

/** JSON, also of what has no JSON: integers of any size, and what holds itself. */
function inJson(value: unknown): string {
  /** What the value is in that is being written. */
  const holders: unknown[] = []
  return JSON.stringify(value, function (this: unknown, _, one: unknown) {
    if (typeof one === 'bigint') return `${one}`
    while (holders.length > 0 && holders.at(-1) !== this) holders.pop()
    if (typeof one !== 'object' || one === null) return one
    if (holders.includes(one)) return '[Circular]'
    holders.push(one)
    return one
  })
}
