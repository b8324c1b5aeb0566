import type { Declaration } from '../declarations.ts'
import { CelError, Custom } from '../values.ts'

const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:([numkMGTPE]|[KMGTPE]i)?|[eE]([+-]?\d+))$/
const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const one = 10n ** 9n

/** An amount in billionths, the precision of the server. */
class Quantity extends Custom {
  readonly type = 'kubernetes.Quantity'
  readonly nanos: bigint

  constructor(nanos: bigint) {
    super()
    this.nanos = nanos
  }

  equals(other: Quantity): boolean {
    return this.nanos === other.nanos
  }
}

function read(text: string): bigint | undefined {
  const match = form.exec(text)
  if (match === null || !/\d/.test((match[2] ?? '') + (match[3] ?? ''))) return undefined
  const [, sign = '', whole = '', fraction = '', suffix = '', power] = match
  const digits = BigInt(whole + fraction)
  const isBinary = suffix.endsWith('i')
  if (power !== undefined && Math.abs(Number(power)) > 1000) return undefined
  const exponent = power === undefined ? (isBinary ? 0 : 3 * (decimal.indexOf(suffix) - 3)) : Number(power)
  const unscaled = isBinary ? digits * 1024n ** BigInt(binary.indexOf(suffix)) : digits
  const tens = exponent - fraction.length + 9
  // Amounts are rounded up to a billionth.
  const size = tens >= 0 ? unscaled * 10n ** BigInt(tens) : dividedUp(unscaled, 10n ** BigInt(-tens))
  return sign === '-' ? -size : size
}

function dividedUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}

function parse(text: string): Quantity {
  const nanos = read(text)
  if (nanos !== undefined) return new Quantity(nanos)
  if (/^[+-]?[0-9]+\.?[0-9]*[eEinumkKMGTP]+[-+]?[0-9]*$/.test(text))
    throw new CelError("unable to parse quantity's suffix")
  const pattern = "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
  throw new CelError(`quantities must match the regular expression ${pattern}`)
}

function integer({ nanos }: Quantity): bigint | undefined {
  const whole = nanos / one
  return nanos % one === 0n && whole >= -(2n ** 63n) && whole < 2n ** 63n ? whole : undefined
}

function asInteger(quantity: Quantity): bigint {
  const whole = integer(quantity)
  if (whole === undefined) throw new CelError('cannot convert value to integer')
  return whole
}

function order(a: Quantity, b: Quantity): bigint {
  return a.nanos < b.nanos ? -1n : a.nanos > b.nanos ? 1n : 0n
}

function approximate({ nanos }: Quantity): number {
  return nanos % one === 0n ? Number(nanos / one) : Number(nanos) / 1e9
}

const type = 'kubernetes.Quantity'

/** The function `quantity`, for amounts of resources. */
export const quantities: readonly Declaration[] = [
  [`quantity(string): ${type}`, parse],
  ['isQuantity(string): bool', (text: string) => read(text) !== undefined],
  [`sign(${type}): int`, (a: Quantity) => order(a, new Quantity(0n))],
  [`${type}->isGreaterThan(${type}): bool`, (a: Quantity, b: Quantity) => order(a, b) > 0],
  [`${type}->isLessThan(${type}): bool`, (a: Quantity, b: Quantity) => order(a, b) < 0],
  [`${type}->compareTo(${type}): int`, order],
  [`${type}->asApproximateFloat(): double`, approximate],
  [`${type}->asInteger(): int`, asInteger],
  [`${type}->isInteger(): bool`, (a: Quantity) => integer(a) !== undefined],
  [`${type}->add(${type}): ${type}`, (a: Quantity, b: Quantity) => new Quantity(a.nanos + b.nanos)],
  [`${type}->add(int): ${type}`, (a: Quantity, b: bigint) => new Quantity(a.nanos + b * one)],
  [`${type}->sub(${type}): ${type}`, (a: Quantity, b: Quantity) => new Quantity(a.nanos - b.nanos)],
  [`${type}->sub(int): ${type}`, (a: Quantity, b: bigint) => new Quantity(a.nanos - b * one)],
]
