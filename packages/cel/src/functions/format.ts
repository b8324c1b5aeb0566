import { goQuote } from '../structural/go-text.ts'
import { CelError, Duration, List, Mapping, Timestamp, TypeValue, typeName, Uint, type Value } from '../values.ts'
import { itemsOf } from './containers.ts'
import { printDouble } from './numbers.ts'
import { printDuration, printTimestamp } from './time-text.ts'

/** Carries out `'%s is %d'.format([a, b])`. */
export function format(template: string, list: List): string {
  let next = 0
  const clause = /%(?:\.(\d*))?(.|$)/gsu
  return template.replace(clause, (text, precision: string | undefined, verb: string, at: number) => {
    if (text === '%%') return '%'
    if (verb === '') throw new CelError('unexpected end of string')
    if (next >= list.size) throw new CelError(`index ${next} out of range`)
    const digits = precision === undefined || precision === '' ? 6 : Number(precision)
    try {
      return print(verb, list.at(next++), digits, text)
    } catch (error) {
      throw error instanceof CelError ? error : new CelError(`${String(error)} at ${at}`)
    }
  })
}

function print(verb: string, value: Value, digits: number, clause: string): string {
  switch (verb) {
    case 's':
      return printValue(value)
    case 'd':
      return printInteger(value, 10, () => wrong('decimal clause can only be used on integers', value))
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0'
      return printInteger(value, 2, () => wrong('only integers and bools can be formatted as binary', value))
    case 'o':
      return printInteger(value, 8, () => wrong('octal clause can only be used on integers', value))
    case 'x':
    case 'X': {
      const text = hex(value)
      return verb === 'X' ? text.toUpperCase() : text
    }
    case 'f':
      return fixed(double(value, 'fixed-point clause can only be used on doubles'), digits)
    case 'e':
      return scientific(double(value, 'scientific clause can only be used on doubles'), digits)
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${clause.slice(1)}"`)
  }
}

function wrong(why: string, value: Value): CelError {
  return new CelError(`error during formatting: ${why}, was given ${typeName(value)}`)
}

function printInteger(value: Value, base: number, refuse: () => CelError): string {
  if (typeof value === 'bigint') return value.toString(base)
  if (value instanceof Uint) return value.value.toString(base)
  throw refuse()
}

function hex(value: Value): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex')
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return printInteger(value, 16, () => wrong('only integers, byte buffers, and strings can be formatted as hex', value))
}

function double(value: Value, why: string): number {
  if (typeof value === 'number') return value
  const known = { NaN: Number.NaN, Infinity, '-Infinity': -Infinity }[String(value)]
  if (typeof value === 'string' && known !== undefined) return known
  throw wrong(why, value)
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? undefined : value > 0 ? '∞' : '-∞'
}

function fixed(value: number, digits: number): string {
  const known = special(value)
  if (known !== undefined) return known
  const [whole = '', fraction] = (Math.abs(value) < 1e21 ? value.toFixed(Math.min(digits, 100)) : String(value)).split(
    '.',
  )
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

function scientific(value: number, digits: number): string {
  const known = special(value)
  if (known !== undefined) return known
  const [mantissa = '', exponent = ''] = value.toExponential(Math.min(digits, 100)).split('e')
  const size = Number(exponent)
  const raised = [...String(Math.abs(size)).padStart(2, '0')].map(digit => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('')
  return `${mantissa}×10${size < 0 ? '⁻' : ''}${raised}`
}

/** A value as `%s` formats it. */
function printValue(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return printDouble(value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  if (value instanceof Timestamp) return printTimestamp(value)
  if (value instanceof Duration) return printDuration(value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof List) return `[${itemsOf(value).map(printInner).join(', ')}]`
  if (value instanceof Mapping) return printMap(value)
  if (typeof value === 'object') {
    const why =
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps'
    throw wrong(why, value)
  }
  return String(value)
}

/** A value inside a list or a map. */
function printInner(value: Value): string {
  if (typeof value === 'string') return goQuote(value)
  if (value instanceof Uint8Array) return `b${goQuote(Buffer.from(value).toString())}`
  if (value instanceof Timestamp) return `timestamp(${goQuote(printTimestamp(value))})`
  if (value instanceof Duration) return `duration(${goQuote(printDuration(value))})`
  if (typeof value !== 'number') return printValue(value)
  if (Number.isFinite(value)) return value.toFixed(6)
  return goQuote(Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf')
}

function printMap(map: Mapping): string {
  const pairs = map.keys().map((key): [string, string] => {
    if (typeof key === 'number') throw wrong('no formatting function for map key', key)
    return [printInner(key), printInner(map.get(key) as Value)]
  })
  pairs.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${pairs.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}
