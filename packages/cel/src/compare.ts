import { equalMessages } from './message-equality.ts'
import {
  CelError,
  Custom,
  Duration,
  List,
  Mapping,
  Message,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.ts'

/** Whether two values are equal. Values of different types can be equal only if they are numbers. */
export function equal(a: Value, b: Value): boolean {
  const x = numeric(a)
  const y = numeric(b)
  // JavaScript compares a bigint and a number by their mathematical values.
  if (x !== undefined && y !== undefined) return x <= y && x >= y
  if (a === null || b === null) return a === b
  if (isStrict(a) && !(a instanceof List ? b instanceof List : b instanceof Mapping))
    throw new CelError('no such overload')
  if (a instanceof Message) return b instanceof Message && equalMessages(a, b, equal)
  if (typeof a !== 'object' || (typeof b !== 'object' && !(a instanceof Custom))) return a === b
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name
  if (a instanceof Custom) {
    if (b instanceof Custom && a.type === b.type) return a.equals(b)
    throw new CelError('no such overload')
  }
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b)
  if (a instanceof List) return b instanceof List && equalLists(a, b)
  return a instanceof Mapping && b instanceof Mapping && equalMaps(a, b)
}

/** Whether a value is a list or a map of an object. Comparing it with a value of another type is an error, rather than false. */
function isStrict(value: Value): value is List | Mapping {
  return (value instanceof List || value instanceof Mapping) && value.strict
}

function equalOptionals({ value: a }: Optional, { value: b }: Optional): boolean {
  return a === undefined || b === undefined ? a === b : equal(a, b)
}

function equalLists(a: List, b: List): boolean {
  if (a.semantics !== undefined) return a.semantics.equal(a, b)
  if (a.size !== b.size) return false
  for (let i = 0; i < a.size; i++) {
    try {
      if (!equal(a.at(i), b.at(i))) return false
    } catch (error) {
      // A real server treats items that can't be compared as equal, except items of an object's list.
      if (a.strict || !(error instanceof CelError)) throw error
    }
  }
  return true
}

function equalMaps(a: Mapping, b: Mapping): boolean {
  if (a.size !== b.size || !a.matchesUnknown(b)) return false
  return a.keys().every(key => {
    const other = b.get(key)
    return other !== undefined && equal(a.get(key) as Value, other)
  })
}

function numeric(value: Value): bigint | number | undefined {
  if (value instanceof Uint) return value.value
  return typeof value === 'bigint' || typeof value === 'number' ? value : undefined
}

/** Returns a negative number if `a` comes before `b`, and 0 if they are equal. */
export function compare(a: Value, b: Value): number {
  const x = numeric(a)
  const y = numeric(b)
  if (x !== undefined && y !== undefined) {
    if (Number.isNaN(x) || Number.isNaN(y)) throw new CelError('NaN values cannot be ordered')
    return x < y ? -1 : x > y ? 1 : 0
  }
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  const times = (a instanceof Timestamp && b instanceof Timestamp) || (a instanceof Duration && b instanceof Duration)
  if (!times) throw new CelError('no such overload')
  const [left, right] = [a.nanos, b.nanos]
  return left < right ? -1 : left > right ? 1 : 0
}

/** A text that is the same for equal values, as a key for lookups. */
export function fingerprint(value: Value): string {
  const number = numeric(value)
  if (number !== undefined)
    return typeof number === 'number' && Number.isInteger(number) ? String(BigInt(number)) : String(number)
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof List) return `[${Array.from({ length: value.size }, (_, i) => fingerprint(value.at(i))).join()}]`
  if (value instanceof Mapping) {
    const entries = value.keys().map(key => `${fingerprint(key)}:${fingerprint(value.get(key) as Value)}`)
    return `{${entries.sort().join()}}`
  }
  if (value instanceof Timestamp || value instanceof Duration) return `${value.constructor.name} ${value.nanos}`
  return value instanceof Uint8Array ? `b${Buffer.from(value).toString('hex')}` : String(value)
}
