import type { Declaration } from '../declarations.ts'
import { CelError, Custom } from '../values.ts'

/** A version by the rules of semver.org. */
class Semver extends Custom {
  readonly type = 'kubernetes.Semver'
  readonly numbers: readonly bigint[]
  readonly pre: readonly string[]

  constructor(numbers: readonly bigint[], pre: readonly string[]) {
    super()
    this.numbers = numbers
    this.pre = pre
  }

  equals(other: Semver): boolean {
    return order(this, other) === 0n
  }
}

const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/

function read(text: string): Semver | string {
  if (text === '') return 'Version string empty'
  const match = form.exec(text)
  if (match === null) return why(text)
  const pre = match[4]?.split('.') ?? []
  for (const part of pre) {
    if (part === '') return 'Prerelease is empty'
    if (/^0\d+$/.test(part)) return `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`
  }
  if (match[5]?.split('.').includes('') === true) return 'Build meta data is empty'
  const numbers = match.slice(1, 4).map(BigInt)
  if (numbers.some(number => number >= 2n ** 64n)) return why(text)
  return new Semver(numbers, pre)
}

/** The reason for which a text is no version. */
function why(text: string): string {
  const parts = splitLast(text)
  if (parts.length !== 3) return 'No Major.Minor.Patch elements found'
  for (const [i, name] of ['major', 'minor', 'patch'].entries()) {
    const part = (i === 2 ? (parts[2] as string).split(/[-+]/)[0] : parts[i]) as string
    const title = `${name[0]?.toUpperCase()}${name.slice(1)}`
    if (!/^\d*$/.test(part)) return `Invalid character(s) found in ${name} number ${JSON.stringify(part)}`
    if (/^0\d/.test(part)) return `${title} number must not contain leading zeroes ${JSON.stringify(part)}`
    if (part === '') return `strconv.ParseUint: parsing "": invalid syntax`
  }
  return 'Invalid character(s) found in prerelease'
}

function splitLast(text: string): string[] {
  const [major, minor, ...rest] = text.split('.')
  return rest.length === 0 ? text.split('.') : [major as string, minor as string, rest.join('.')]
}

/** A version without `v`, with all three numbers, and without leading zeros. */
function normalised(text: string): string {
  const parts = splitLast(text.replace(/^v/, '')).map(part => {
    const bare = part.replace(/^0+/, '')
    if (part.length <= 1) return part
    return /^\d/.test(bare) ? bare : `0${bare}`
  })
  if (parts.length < 3 && !/[+-]/.test(parts.at(-1) as string)) while (parts.length < 3) parts.push('0')
  return parts.join('.')
}

function parse(text: string, normalise = false): Semver {
  const short = splitLast(text)
  if (normalise && short.length < 3 && /[+-]/.test(short.at(-1) as string)) {
    throw new CelError('short version cannot contain PreRelease/Build meta data')
  }
  const version = read(normalise ? normalised(text) : text)
  if (typeof version === 'string') throw new CelError(version)
  return version
}

function order(a: Semver, b: Semver): bigint {
  for (const [i, number] of a.numbers.entries()) {
    const other = b.numbers[i] as bigint
    if (number !== other) return number < other ? -1n : 1n
  }
  if (a.pre.length === 0 || b.pre.length === 0) return BigInt(Math.sign(b.pre.length - a.pre.length))
  for (let i = 0; i < Math.min(a.pre.length, b.pre.length); i++) {
    const difference = orderOfParts(a.pre[i] as string, b.pre[i] as string)
    if (difference !== 0n) return difference
  }
  return BigInt(Math.sign(a.pre.length - b.pre.length))
}

function orderOfParts(a: string, b: string): bigint {
  const [first, second] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (first !== second) return first ? -1n : 1n
  const [x, y] = first ? [BigInt(a), BigInt(b)] : [a, b]
  return x < y ? -1n : x > y ? 1n : 0n
}

const type = 'kubernetes.Semver'

/** The function `semver`, for versions. */
export const semvers: readonly Declaration[] = [
  [`semver(string): ${type}`, parse],
  [`semver(string, bool): ${type}`, parse],
  ['isSemver(string): bool', (text: string) => typeof read(text) !== 'string'],
  [
    'isSemver(string, bool): bool',
    (text: string, loose: boolean) => typeof read(loose ? normalised(text) : text) !== 'string',
  ],
  [`${type}->isGreaterThan(${type}): bool`, (a: Semver, b: Semver) => order(a, b) > 0],
  [`${type}->isLessThan(${type}): bool`, (a: Semver, b: Semver) => order(a, b) < 0],
  [`${type}->compareTo(${type}): int`, order],
  ...['major', 'minor', 'patch'].map(
    (name, i): Declaration => [`${type}->${name}(): int`, (a: Semver) => a.numbers[i] as bigint],
  ),
]
