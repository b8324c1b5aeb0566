import type { LogLevel } from '@wherry/client'
import { checkOptions, oneOf } from '@wherry/client/checks'
import { fieldsOf, type Logger } from './logger.ts'

/** Options of {@link stderrLogger}. */
export interface StderrLoggerOptions {
  /** `json`: a line of JSON each; `text`: for people. @default 'text' on a terminal, else 'json' */
  readonly format?: 'json' | 'text' | undefined
  /** The least that is written. @default 'info' */
  readonly level?: LogLevel | undefined
}

const levels = ['debug', 'info', 'warn', 'error'] as const

/**
 * Writes to standard error: JSON in a cluster, something readable on a terminal. A line of JSON has `level`, `time` (ISO 8601),
 * `msg` and the fields; an error under `err` has `type`, `message`, `code` and `stack`, as pino writes it.
 */
export function stderrLogger(options: StderrLoggerOptions = {}): Logger {
  checkOptions('stderrLogger', options, { format: oneOf('json', 'text'), level: oneOf(...levels) })
  const { format = process.stderr.isTTY ? 'text' : 'json', level: least = 'info' } = options
  const line = format === 'json' ? jsonLine : textLine
  const at = (level: LogLevel) =>
    levels.indexOf(level) < levels.indexOf(least)
      ? () => {}
      : (fields: object, message: string) => {
          process.stderr.write(`${line(level, new Date().toISOString(), message, fieldsOf(fields))}\n`)
        }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export function jsonLine(level: LogLevel, time: string, message: string, fields: object): string {
  const { err, ...rest } = fields as { readonly err?: unknown }
  const said = { level, time, msg: message, ...rest, ...(err !== undefined && { err: errorFields(err) }) }
  try {
    return JSON.stringify(said, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
  } catch {
    return JSON.stringify({ level, time, msg: message })
  }
}

export function textLine(level: LogLevel, time: string, message: string, fields: object): string {
  const { err, ...rest } = fields as { readonly err?: unknown }
  const more = Object.entries(rest)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === 'object' ? inOneLine(value) : String(value)}`)
  const stack =
    err === undefined
      ? ''
      : `\n  ${(err instanceof Error ? (err.stack ?? err.message) : String(err)).replaceAll('\n', '\n  ')}`
  return `${time.slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${message}${more.join('')}${stack}`
}

function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name: type, message, stack } = error
  const { code } = error as { readonly code?: unknown }
  return { type, message, ...(typeof code === 'string' && { code }), stack }
}

function inOneLine(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '[object]'
  }
}
