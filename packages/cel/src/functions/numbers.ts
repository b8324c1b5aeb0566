import type { Declaration } from '../declarations.ts'
import { CelError, type Duration, type Timestamp, Uint, type Value } from '../values.ts'
import { plain } from './plain.ts'
import { parseDuration, parseTimestamp, printDuration, printTimestamp, timestampOf } from './time-text.ts'

const min = -(2n ** 63n)
const max = 2n ** 63n - 1n

/** Returns `value` if it fits an int. Throws otherwise. */
export function int64(value: bigint): bigint {
  if (value < min || value > max) throw new CelError('integer overflow')
  return value
}

function uint64(value: bigint): Uint {
  if (value < 0n || value >= 2n ** 64n) throw new CelError('unsigned integer overflow')
  return new Uint(value)
}

function nonZero(value: bigint, what: 'division' | 'modulus'): bigint {
  if (value === 0n) throw new CelError(`${what} by zero`)
  return value
}

/** A number as Go's `%g` prints it: with an exponent for a million or more, and below 0.0001. */
export function printDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  const size = Number(exponent)
  if (size < -4 || size >= 6) return `${mantissa}e${size < 0 ? '-' : '+'}${String(Math.abs(size)).padStart(2, '0')}`
  return plain(value)
}

function truncated(value: number, from: bigint, to: bigint, message: string): bigint {
  if (!Number.isFinite(value)) throw new CelError(message)
  const whole = BigInt(Math.trunc(value))
  if (whole <= from || whole >= to) throw new CelError(message)
  return whole
}

function parseInteger(text: string, type: 'int' | 'uint'): Value {
  const pattern = type === 'int' ? /^[+-]?\d+$/ : /^\d+$/
  const value = pattern.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined
  if (value !== undefined && type === 'int' && value >= min && value <= max) return value
  if (value !== undefined && type === 'uint' && value < 2n ** 64n) return new Uint(value)
  throw new CelError(`type conversion error from 'string' to '${type}'`)
}

function parseDouble(text: string): number {
  if (/^[+-]?(inf|infinity)$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return Number.NaN
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) {
    throw new CelError("type conversion error from 'string' to 'double'")
  }
  const value = Number(text)
  if (!Number.isFinite(value)) throw new CelError("type conversion error from 'string' to 'double'")
  return value
}

function parseBool(text: string): boolean {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false
  throw new CelError("type conversion error from 'string' to 'bool'")
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string')
  }
}

/** The functions of arithmetic, and conversions between types. */
export const numbers: readonly Declaration[] = [
  ['_+_(int, int): int', (a: bigint, b: bigint) => int64(a + b)],
  ['_+_(uint, uint): uint', (a: Uint, b: Uint) => uint64(a.value + b.value)],
  ['_+_(double, double): double', (a: number, b: number) => a + b],
  ['_-_(int, int): int', (a: bigint, b: bigint) => int64(a - b)],
  ['_-_(uint, uint): uint', (a: Uint, b: Uint) => uint64(a.value - b.value)],
  ['_-_(double, double): double', (a: number, b: number) => a - b],
  ['_*_(int, int): int', (a: bigint, b: bigint) => int64(a * b)],
  ['_*_(uint, uint): uint', (a: Uint, b: Uint) => uint64(a.value * b.value)],
  ['_*_(double, double): double', (a: number, b: number) => a * b],
  ['_/_(int, int): int', (a: bigint, b: bigint) => int64(a / nonZero(b, 'division'))],
  ['_/_(uint, uint): uint', (a: Uint, b: Uint) => uint64(a.value / nonZero(b.value, 'division'))],
  ['_/_(double, double): double', (a: number, b: number) => a / b],
  ['_%_(int, int): int', (a: bigint, b: bigint) => int64(a % nonZero(b, 'modulus'))],
  ['_%_(uint, uint): uint', (a: Uint, b: Uint) => uint64(a.value % nonZero(b.value, 'modulus'))],
  ['-_(int): int', (a: bigint) => int64(-a)],
  ['-_(double): double', (a: number) => -a],
  ['bool(bool): bool', (a: boolean) => a],
  ['bool(string): bool', parseBool],
  ['bytes(bytes): bytes', (a: Uint8Array) => a],
  ['bytes(string): bytes', (a: string) => new Uint8Array(Buffer.from(a))],
  ['double(double): double', (a: number) => a],
  ['double(int): double', (a: bigint) => Number(a)],
  ['double(string): double', parseDouble],
  ['double(uint): double', (a: Uint) => Number(a.value)],
  ['duration(duration): duration', (a: Duration) => a],
  ['duration(string): duration', parseDuration],
  ['dyn(A): dyn', (a: Value) => a],
  ['int(int): int', (a: bigint) => a],
  ['int(double): int', (a: number) => truncated(a, min, max + 1n, 'integer overflow')],
  ['int(duration): int', (a: Duration) => a.nanos],
  ['int(string): int', (a: string) => parseInteger(a, 'int')],
  ['int(timestamp): int', (a: Timestamp) => floorSeconds(a.nanos)],
  ['int(uint): int', (a: Uint) => int64(a.value)],
  ['string(string): string', (a: string) => a],
  ['string(bool): string', (a: boolean) => String(a)],
  ['string(bytes): string', decode],
  ['string(double): string', (a: number) => printDouble(a)],
  ['string(duration): string', printDuration],
  ['string(int): string', (a: bigint) => String(a)],
  ['string(timestamp): string', printTimestamp],
  ['string(uint): string', (a: Uint) => String(a.value)],
  ['timestamp(timestamp): timestamp', (a: Timestamp) => a],
  ['timestamp(int): timestamp', (a: bigint) => timestampOf(a * 1_000_000_000n)],
  ['timestamp(string): timestamp', parseTimestamp],
  ['uint(uint): uint', (a: Uint) => a],
  ['uint(double): uint', (a: number) => new Uint(truncated(a, -1n, 2n ** 64n, 'unsigned integer overflow'))],
  ['uint(int): uint', (a: bigint) => uint64(a)],
  ['uint(string): uint', (a: string) => parseInteger(a, 'uint')],
]

function floorSeconds(nanos: bigint): bigint {
  const seconds = nanos / 1_000_000_000n
  return nanos < 0n && nanos % 1_000_000_000n !== 0n ? seconds - 1n : seconds
}
