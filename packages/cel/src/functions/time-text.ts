import { CelError, Duration, Timestamp } from '../values.ts'
import { plain } from './plain.ts'

const second = 1_000_000_000n
const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
}

/** Parses a text such as `1h30m` or `-1.5s`, as Go reads it. */
export function parseDuration(text: string): Duration {
  const nanos = durationNanos(text)
  if (nanos === undefined) throw new CelError("type conversion error from 'string' to 'google.protobuf.Duration'")
  return new Duration(nanos)
}

/** The nanoseconds of a duration's text; `undefined` if the text is no duration. */
export function durationNanos(text: string): bigint | undefined {
  const match = /^([+-]?)(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.exec(text)
  if (match === null) return undefined
  let nanos = 0n
  for (const [, digits = '', unit = ''] of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const [whole = '', fraction = ''] = digits.split('.')
    const size = units[unit] as bigint
    nanos += BigInt(whole === '' ? '0' : whole) * size
    if (fraction !== '') nanos += (BigInt(fraction) * size) / 10n ** BigInt(fraction.length)
  }
  if (match[1] === '-') nanos = -nanos
  return nanos >= -(2n ** 63n) && nanos < 2n ** 63n ? nanos : undefined
}

/** The start of year 1: the first time that there is, and Go's zero. */
export const firstNanos: bigint = -62_135_596_800n * second
const last = 253_402_300_800n * second

/** The time for a number of nanoseconds. Its year must have four digits. */
export function timestampOf(nanos: bigint): Timestamp {
  if (nanos < firstNanos || nanos >= last) throw new CelError('timestamp overflow')
  return new Timestamp(nanos)
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)([.,]\d+)?(Z|([+-])(\d\d):(\d\d))$/

/** The nanoseconds since 1970 of a time in RFC 3339; `undefined` if the text is no such time. */
export function timestampNanos(text: string): bigint | undefined {
  const match = rfc3339.exec(text)
  if (match === null) return undefined
  const [year, month, day, hours, minutes, seconds] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (hours > 23 || minutes > 59 || seconds > 59 || month < 1 || month > 12) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (day === 0 || date.getUTCDate() !== day) return undefined
  date.setUTCHours(hours, minutes, seconds)
  const [offsetHours, offsetMinutes] = [Number(match[10] ?? 0), Number(match[11] ?? 0)]
  if (offsetHours > 24 || offsetMinutes > 60) return undefined
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[9] === '-' ? -1 : 1)
  const fraction = (match[7] ?? '.').slice(1, 10).padEnd(9, '0')
  return BigInt(date.getTime() - offset) * 1_000_000n + BigInt(fraction)
}

export function parseTimestamp(text: string): Timestamp {
  const nanos = timestampNanos(text)
  if (nanos === undefined) throw new CelError("type conversion error from 'string' to 'google.protobuf.Timestamp'")
  return timestampOf(nanos)
}

/** A time in RFC 3339, with only as many digits of a second as it needs. */
export function printTimestamp({ nanos }: Timestamp): string {
  const { millis, rest } = split(nanos)
  const head = new Date(millis).toISOString().replace(/\.\d+Z$/, '')
  const digits = String(rest).padStart(9, '0').replace(/0+$/, '')
  return `${head}${digits === '' ? '' : `.${digits}`}Z`
}

/** A duration in seconds: `90s`, `0.5s`. */
export function printDuration({ nanos }: Duration): string {
  return `${plain(Number(nanos / second) + Number(nanos % second) / 1e9)}s`
}

/** The whole seconds of a time as milliseconds, and the remaining nanoseconds. */
export function split(nanos: bigint): { readonly millis: number; readonly rest: bigint } {
  const rest = ((nanos % second) + second) % second
  return { millis: Number((nanos - rest) / 1_000_000n), rest }
}
