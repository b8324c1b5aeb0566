import { DecodeError } from '../objects/decoding.ts'

const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
/** The number of nanos in a whole unit. */
const one = 10n ** 9n
const pattern = /^[+-]?0*(\d*)(?:\.(\d*))?(?:([numkMGTPE]|[KMGTPE]i)?|[eE]([+-]?\d+))$/

/**
 * A quantity as the server prints it: `1000m` is `1`, `1024Mi` is `1Gi`. A text in canonical form stays unchanged. With `toMilli` the quantity is rounded up to
 * a thousandth, as amounts of resources are. Throws a {@link DecodeError}.
 *
 * See https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function canonicalQuantity(text: string, toMilli: boolean): string {
  const quantity = parse(text)
  const { whole, fraction, isBinary, scale, scientific } = quantity
  const digits = whole + fraction
  if (isBinary ? fraction === '' && !mayFitNextSuffix(digits) : isWritten(digits, whole, scale, toMilli)) return text
  const exact = nanosOf(quantity)
  const nanos = toMilli ? dividedUp(exact, 10n ** 6n) * 10n ** 6n : exact
  if (nanos === 0n) return '0'
  const sign = text.startsWith('-') ? '-' : ''
  const inBinary = isBinary && nanos % one === 0n && nanos >= 1024n * one
  return sign + (inBinary ? asBinary(nanos / one) : asDecimal(nanos, scientific))
}

/** Whether the amount of one quantity is less than that of another. */
export function isLess(a: string, b: string): boolean {
  return signed(a) < signed(b)
}

/** Whether a quantity is a whole number. */
export function isWhole(text: string): boolean {
  return signed(text) % one === 0n
}

/** The amount of a quantity as a number, rounded. */
export function numberOf(text: string): number {
  return Number(signed(text)) / Number(one)
}

function signed(text: string): bigint {
  const nanos = nanosOf(parse(text))
  return text.startsWith('-') ? -nanos : nanos
}

/** Throws a {@link DecodeError} for a text that is no quantity. */
export function checkQuantity(text: string): void {
  parse(text)
}

/** The parts of a quantity, without its sign. */
interface Quantity {
  readonly whole: string
  readonly fraction: string
  readonly suffix: string
  readonly isBinary: boolean
  readonly scientific: boolean
  /** The power of ten of the last digit, for a suffix that is not binary. */
  readonly scale: number
}

function parse(text: string): Quantity {
  const match = pattern.exec(text)
  if (match === null || !/\d/.test(text)) {
    const form = "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    throw new DecodeError(`quantities must match the regular expression ${form}`)
  }
  const [, whole = '', fraction = '', suffix = '', power] = match
  const exponent = power === undefined ? 3 * (decimal.indexOf(suffix) - 3) : Number(power)
  const scale = exponent - fraction.length
  return { whole, fraction, suffix, isBinary: suffix.endsWith('i'), scientific: power !== undefined, scale }
}

function nanosOf({ whole, fraction, suffix, isBinary, scale }: Quantity): bigint {
  const unscaled = BigInt(whole + fraction || '0') * (isBinary ? 1024n ** BigInt(binary.indexOf(suffix)) : 1n)
  const tens = (isBinary ? -fraction.length : scale) + 9
  return tens < 0 ? dividedUp(unscaled, 10n ** BigInt(-tens)) : unscaled * 10n ** BigInt(tens)
}

/** Whether a number of these digits may be a multiple of 1024, so that the next binary suffix fits. Every such number is a multiple of 8. */
function mayFitNextSuffix(digits: string): boolean {
  return BigInt(digits || '0') % 8n === 0n
}

/** Whether a decimal number is written as the server prints it. */
function isWritten(digits: string, whole: string, scale: number, toMilli: boolean): boolean {
  return scale % 3 === 0 && scale >= (toMilli ? -3 : -9) && whole !== '' && !digits.endsWith('000')
}

function dividedUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}

function asBinary(value: bigint): string {
  let [number, suffix] = [value, 0]
  while (number % 1024n === 0n && suffix < binary.length - 1) [number, suffix] = [number / 1024n, suffix + 1]
  return `${number}${binary[suffix]}`
}

function asDecimal(nanos: bigint, scientific: boolean): string {
  let [number, suffix] = [nanos, 0]
  while (number % 1000n === 0n && suffix < decimal.length - 1) [number, suffix] = [number / 1000n, suffix + 1]
  const exponent = 3 * (suffix - 3)
  return `${number}${scientific ? (exponent === 0 ? '' : `e${exponent}`) : decimal[suffix]}`
}
