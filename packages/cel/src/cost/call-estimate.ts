import type { Expr } from '../ast.ts'
import type { Overload } from '../declarations.ts'
import { sameType, type Type } from '../types.ts'
import { longestFormatName, longestFormatPattern, making, perCharacter, perPatternCharacter } from './factors.ts'
import { fixed, most, plus, type Range, scaled, times } from './range.ts'

/** An operand of a call. */
export interface Operand {
  readonly expr: Expr
  readonly type: Type
  /** The size. An unknown size has the greatest possible maximum. */
  readonly size: Range
  readonly isSizeKnown: boolean
  /** The size of a list's items; `undefined` if the operand's type has no parameters. */
  readonly items: Range | undefined
  readonly itemType: Type | undefined
}

/** The minimum and maximum cost of a call, without its operands, and the size of its result. */
export interface CallEstimate {
  readonly cost: Range
  readonly size?: Range | undefined
}

type Estimate = (overload: Overload, target: Operand | undefined, args: readonly Operand[]) => CallEstimate | undefined

const text = new Set(['string', 'bytes'])
const one: CallEstimate = { cost: fixed(1) }
const nominal: Estimate = () => one

/** The cost of one or two reads of a text. */
const looks =
  (count: number): Estimate =>
  (_, target, args) => {
    const given = args[0] ?? target
    return given && { cost: scaled(given.size, count * perCharacter) }
  }

const transformed: Estimate = (_, target) => target && { cost: scaled(target.size, perCharacter), size: target.size }

/** The cost of reading every item once. */
const traversed: Estimate = (_, target) => {
  if (target === undefined) return undefined
  if (target.items === undefined) return { cost: scaled(target.size, perCharacter) }
  const isText = text.has(target.itemType?.name as string)
  const each = isText ? plus(fixed(1), scaled(target.items, perCharacter)) : fixed(1)
  return { cost: times(target.size, each) }
}

/** The estimate for a new list with a cost of `factor` for each item. */
function makesList(factor: number, size: Range): CallEstimate {
  return { cost: plus(scaled(size, factor), fixed(1 + making.list)), size }
}

/** The sort keys, the items of the last parameter, are compared with each other. */
const sorted: Estimate = ({ parameters }, target, args) => {
  const keys = args[0] ?? target
  const isText = text.has(parameters.at(-1)?.parameters[0]?.name as string)
  return keys && makesList(2 + (isText ? perCharacter : 0), times(keys.size, keys.size))
}

/** The value of a literal whole number, or 0 if it is negative; `otherwise` for any other operand. */
function written(operand: Operand | undefined, otherwise: number): number {
  const literal = operand?.expr.kind === 'literal' ? operand.expr.value : undefined
  return typeof literal === 'bigint' ? Math.max(0, Number(literal)) : otherwise
}

function matching(given: Operand | undefined, pattern: Operand | undefined): Range | undefined {
  // Even an empty text has a cost, because the pattern may be long.
  const looked = given && scaled(plus(given.size, fixed(1)), perCharacter)
  return looked && pattern && times(looked, scaled(pattern.size, perPatternCharacter))
}

const found: Estimate = (_, target, [pattern]) => {
  const cost = matching(target, pattern)
  return cost && { cost, size: { min: 0, max: (target as Operand).size.max } }
}

const addresses = { min: 4, max: 16 }
/** An address that is a text is parsed before the comparison. */
const contains =
  (more: Range): Estimate =>
  (overload, _, [other]) => {
    const read = overload.parameters[1]?.name === 'string' && other ? scaled(other.size, perCharacter) : fixed(0)
    return { cost: plus(scaled(plus(addresses, addresses), perCharacter), more, read) }
  }

const sets =
  (count: number): Estimate =>
  (_, __, [a, b]) =>
    a && b && { cost: plus(scaled(times(a.size, b.size), count), fixed(1)) }

/** The number of times that `from` can be replaced, and the length of the text that stays, for the longest or the shortest result. */
function replaced(length: number, from: number, isSame: boolean): readonly [count: number, stays: number] {
  if (from === 0) return [length < most ? length + 1 : length, length]
  return isSame ? [0, length] : [Math.ceil(length / from), 0]
}

const replace: Estimate = (_, target, [from, to]) => {
  if (target === undefined || from === undefined || to === undefined) return undefined
  const [whole, a, b] = [target.size, from.size, to.size]
  const [maxCount, maxStays] = replaced(whole.max, a.min, b.max <= a.min)
  const [minCount, minStays] = replaced(whole.min, a.max, a.max <= b.min)
  const size = plus(times({ min: minCount, max: maxCount }, b), { min: minStays, max: maxStays })
  return { cost: scaled(whole, 2 * perCharacter), size }
}

const split: Estimate = (_, target, args) => {
  if (target === undefined) return undefined
  const given = args[1]?.expr
  const limit = given?.kind === 'literal' && typeof given.value === 'bigint' ? Number(given.value) : undefined
  const max = limit === undefined ? target.size.max : limit < 0 ? most : limit
  return { cost: scaled(target.size, 2 * perCharacter), size: { min: 0, max } }
}

const join: Estimate = (_, target, [separator]) => {
  if (target === undefined) return undefined
  let size = target.items === undefined ? fixed(0) : times(target.size, target.items)
  if (separator !== undefined) {
    const gaps = { min: Math.max(0, target.size.min - 1), max: Math.max(0, target.size.max - 1) }
    size = plus(size, times(separator.size, gaps))
  }
  return { cost: scaled(size, perCharacter), size }
}

const slice: Estimate = (_, target, [start, end]) => {
  if (target === undefined) return undefined
  const length = written(end, target.size.max) - written(start, 0)
  return makesList(1, fixed(length < 0 ? most : length))
}

/** Values that are compared without their parts. */
const small = new Set(['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver'])

const equals: Estimate = (_, __, [a, b]) => {
  if (a === undefined || b === undefined || !sameType(a.type, b.type)) return undefined
  if (small.has(a.type.name)) return one
  if (a.type.name === 'kubernetes.NamedFormat')
    return { cost: scaled({ min: 1, max: longestFormatName }, perCharacter) }
  if (a.type.name !== 'kubernetes.URL') return undefined
  return { cost: scaled({ min: 1, max: b.isSizeKnown ? b.size.max : 1 }, perCharacter) }
}

const named = (names: string, estimate: Estimate): [string, Estimate][] =>
  names.split(' ').map(name => [name, estimate])

/** The estimates of functions of Kubernetes and the extensions. */
const libraries: ReadonlyMap<string, Estimate> = new Map([
  ...named('isSorted sum max min indexOf lastIndexOf', traversed),
  ...named('lowerAscii upperAscii substring trim', transformed),
  ...named('isIP cidr isCIDR quantity isQuantity semver isSemver', looks(1)),
  ...named('ip.isCanonical', looks(2)),
  ...named('masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast', nominal),
  ...named('isLinkLocalUnicast isGlobalUnicast sign asInteger isInteger asApproximateFloat', nominal),
  ...named('isGreaterThan isLessThan compareTo add sub major minor patch format.named', nominal),
  ...named('getScheme getHostname getHost getPort getEscapedPath getQuery', nominal),
  ...named('find findAll', found),
  ['url', (_, __, [given]) => given && { cost: scaled(given.size, perCharacter), size: given.size }],
  ['ip', (overload, target, args) => (overload.member ? one : looks(1)(overload, target, args))],
  ['replace', replace],
  ['split', split],
  ['join', join],
  ['containsIP', contains(fixed(0))],
  ['containsCIDR', contains(plus(scaled(addresses, perCharacter), fixed(1)))],
  [
    'validate',
    (_, __, [given]) =>
      given && { cost: scaled(scaled(given.size, perCharacter), longestFormatPattern * perPatternCharacter) },
  ],
  ['_==_', equals],
  ['sets.contains', sets(1)],
  ['sets.intersects', sets(1)],
  ['sets.equivalent', sets(2)],
  ['slice', slice],
  ['lists.range', (_, __, [count]) => makesList(1, fixed(written(count, most)))],
  ['reverse', (_, target) => target && makesList(1, target.size)],
  ['flatten', (_, target, [depth]) => target && makesList(depth === undefined ? 1 : written(depth, most), target.size)],
  ['distinct', (_, target) => target && makesList(2, times(target.size, target.size))],
  ...named('sort @sortByAssociatedKeys', sorted),
])

const ordered: Estimate = (overload, _, [a, b]) => {
  const isText = text.has(overload.parameters[0]?.name as string) || overload.parameters[0]?.kind === 'param'
  if (!isText || a === undefined || b === undefined) return undefined
  const max = Math.min(a.size.max, b.size.max)
  return { cost: scaled({ min: max > 0 ? 1 : 0, max }, perCharacter) }
}

const affix: Estimate = (_, __, [part]) => part && { cost: scaled(part.size, perCharacter) }

/** The estimate of a conversion between kinds of text. `grow` returns the length of the result. */
const converted =
  (from: string, grow: (size: Range) => Range): Estimate =>
  (overload, _, [given]) =>
    overload.parameters[0]?.name === from && given
      ? { cost: scaled(given.size, perCharacter), size: grow(given.size) }
      : undefined

/** The estimates of the language's own functions. */
const core: ReadonlyMap<string, Estimate> = new Map([
  ...named('_<_ _<=_ _>_ _>=_ _==_ _!=_', ordered),
  ...named('startsWith endsWith', affix),
  ['format', (_, target) => target && { cost: scaled(target.size, perCharacter) }],
  ['bytes', converted('string', ({ min, max }) => ({ min, max: Math.min(most, max * 4) }))],
  ['string', converted('bytes', ({ min, max }) => ({ min: Math.floor(min / 4), max }))],
  ['strings.quote', converted('string', size => plus(size, { min: 2, max: Math.min(most, size.max + 2) }))],
  [
    '@in',
    (overload, _, [, list]) => (overload.parameters[1]?.kind === 'list' && list ? { cost: list.size } : undefined),
  ],
  [
    'matches',
    (_, target, args) => {
      const cost = target === undefined ? matching(args[0], args[1]) : matching(target, args[0])
      return cost && { cost }
    },
  ],
  [
    'contains',
    (_, target, [part]) =>
      target && part && { cost: times(scaled(target.size, perCharacter), scaled(part.size, perCharacter)) },
  ],
  [
    '_+_',
    (overload, _, [a, b]) => {
      const kind = overload.parameters[0] as Type
      if (a === undefined || b === undefined || (kind.kind !== 'list' && !text.has(kind.name))) return undefined
      const size = plus(a.size, b.size)
      return { cost: kind.kind === 'list' ? fixed(1) : scaled(size, perCharacter), size }
    },
  ],
])

/** The cost of a call of one overload, without its operands. */
export function estimateCall(
  name: string,
  overload: Overload,
  target: Operand | undefined,
  args: readonly Operand[],
): CallEstimate {
  const known = libraries.get(name)?.(overload, target, args) ?? core.get(name)?.(overload, target, args)
  return known ?? one
}
