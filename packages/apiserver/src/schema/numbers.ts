import type { Schema } from '@wherry/cel/internal'
import { goNumber, isInt64, isRawNumber, type Json, type RawNumber } from '@wherry/cel/internal'
import { type Fields, Findings } from './findings.ts'

/** The greatest distance from an integer at which a float counts as an integer. */
const closeness = 1e-9

/** Whether Go reads a number as an int64. */
export function isInteger(value: number | RawNumber): boolean {
  return isRawNumber(value) ? isInt64(value.rawJSON) : Number.isSafeInteger(value)
}

/** Whether a float that is no int64 is accepted as an integer. */
export function passesForInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  if (Number.isInteger(value)) return true
  const whole = Math.trunc(value)
  if (value < 0 || whole === 0) return false
  return (value - whole) / (value + whole) < closeness
}

/** Checks a number: its range by type and format, multipleOf, minimum, maximum. */
export function checkNumber(schema: Schema, value: number | RawNumber, path: string, fields: Fields): Findings {
  const findings = new Findings()
  const { multipleOf, maximum, minimum } = schema
  const shown: Json = value
  const integer = isInteger(value)
  const float = isRawNumber(value) ? Number(value.rawJSON) : value
  const exact = integer ? BigInt(isRawNumber(value) ? value.rawJSON : value) : 0n
  const outOfRange = (number: number | RawNumber, what: string): boolean => {
    const why = rangeProblem(schema, number)
    if (why !== undefined) findings.add(fields.whole(`${what} value must be of type ${why} in ${path}`))
    return why !== undefined
  }
  outOfRange(value, 'Checked')
  if (multipleOf !== undefined) {
    const asFloat = outOfRange(multipleOf, 'MultipleOf') || !integer
    const factor = asFloat ? multipleOf : Math.trunc(multipleOf)
    if (factor <= 0) findings.add(fields.notPositive(path, goNumber(factor)))
    else {
      const quotient = factor < 1 ? (1 / factor) * float : float / factor
      const is = asFloat ? passesForInteger(quotient) : exact % BigInt(factor) === 0n
      if (!is) findings.add(fields.invalid(path, shown, `should be a multiple of ${goNumber(factor)}`))
    }
  }
  const bound = (at: number, exclusive: boolean, upper: boolean): void => {
    const asFloat = outOfRange(at, upper ? 'Maximum boundary' : 'Minimum boundary') || !integer
    const limit = asFloat ? at : Math.trunc(at)
    const order = asFloat ? Math.sign(float - limit) : compare(exact, BigInt(limit))
    const beyond = upper ? order > 0 : order < 0
    if (!beyond && !(exclusive && order === 0)) return
    const than = upper ? 'less than' : 'greater than'
    findings.add(fields.invalid(path, shown, `should be ${than}${exclusive ? '' : ' or equal to'} ${goNumber(limit)}`))
  }
  if (minimum !== undefined) bound(minimum, schema.exclusiveMinimum, false)
  if (maximum !== undefined) bound(maximum, schema.exclusiveMaximum, true)
  findings.checks++
  return findings
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The type and format that a number does not fit, in the server's words. */
function rangeProblem({ types, format }: Schema, value: number | RawNumber): string | undefined {
  const type = types.length === 1 ? types[0] : ''
  const float = isRawNumber(value) ? Number(value.rawJSON) : value
  if (type === 'integer') {
    const whole = isInteger(value) || (Number.isInteger(float) && Math.abs(float) < 2 ** 63)
    const fits = whole && (format !== 'int32' || (float >= -(2 ** 31) && float < 2 ** 31))
    return fits ? undefined : format === '' ? 'integer (default format)' : `integer with format ${format}`
  }
  if (type === 'number' && format === 'float' && !Number.isFinite(Math.fround(float))) {
    return 'number with format float'
  }
  return undefined
}
