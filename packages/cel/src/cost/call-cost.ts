import type { Overload } from '../declarations.ts'
import { Custom, List, Mapping, Optional, type Value } from '../values.ts'
import { making, perCharacter, perPatternCharacter } from './factors.ts'

type Cost = (overload: Overload, args: readonly Value[], result: Value | undefined) => number | undefined

/** The number of items, entries or characters of a value; `1` if it has no size. */
function sizeOf(value: Value | undefined): number {
  if (typeof value === 'string') return [...value].length
  if (value instanceof Uint8Array) return value.length
  if (value instanceof Optional) return sizeOf(value.value)
  if (value instanceof Custom) return value.size
  return value instanceof List || value instanceof Mapping ? value.size : 1
}

/** The cost of a read of a value with all values in it. */
function wholeOf(value: Value | undefined): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * perCharacter)
  if (value instanceof Uint8Array) return Math.floor(value.length * perCharacter)
  let cost = 0
  if (value instanceof List) for (let i = 0; i < value.size; i++) cost += wholeOf(value.at(i))
  else if (value instanceof Mapping) for (const key of value.keys()) cost += wholeOf(key) + wholeOf(value.get(key))
  else return 1
  return cost
}

const scaled = (size: number, factor = perCharacter): number => Math.ceil(size * factor)

/** The cost of one or more reads of a text. */
const looks =
  (count: number): Cost =>
  (_, [given]) =>
    scaled(sizeOf(given), count * perCharacter)

const matching: Cost = (_, [given, pattern]) => scaled(1 + sizeOf(given)) * scaled(sizeOf(pattern), perPatternCharacter)

/** The cost of a comparison of networks or addresses, bit by bit. A text is parsed first. */
const within =
  (masks: boolean): Cost =>
  (_, [network, other]) => {
    const size = sizeOf(network)
    const read = typeof other === 'string' ? scaled(sizeOf(other)) : 0
    return scaled(2 * size) + (masks ? scaled(size) + 1 : 0) + read
  }

const validates: Cost = (_, [format, text]) => scaled(1 + sizeOf(text)) * scaled(sizeOf(format), perPatternCharacter)

const makesList = (size: number, factor = 1): number => Math.floor(size * factor) + 1 + making.list
const resultList: Cost = (_, __, result) => makesList(sizeOf(result))

/** The cost of comparing each item with every other item. */
function comparesAll(list: Value | undefined): number {
  const first = list instanceof List && list.size > 0 ? list.at(0) : undefined
  const isText = typeof first === 'string' || first instanceof Uint8Array
  return makesList(sizeOf(list) ** 2, isText ? 2 + perCharacter : 2)
}

const sets =
  (count: number): Cost =>
  (_, [a, b]) =>
    1 + sizeOf(a) * sizeOf(b) * count

const compared: Cost = (overload, [a, b]) => {
  if (a instanceof Custom) return undefined
  const isText = overload.parameters[0]?.name === 'string' || overload.parameters[0]?.name === 'bytes'
  if (!isText && overload.parameters[0]?.kind !== 'param') return undefined
  return scaled(Math.min(sizeOf(a), sizeOf(b)))
}

const ofText =
  (type: string): Cost =>
  (overload, [given]) =>
    overload.parameters[0]?.name === type ? scaled(sizeOf(given)) : undefined

/** The cost of parsing a selector into a list of requirements. */
const selector: Cost = (_, [, given]) => {
  const length = sizeOf(given)
  return making.list + scaled(length) + scaled(length, 0.5) * (making.list + making.struct)
}

const named = (names: string, cost: Cost): [string, Cost][] => names.split(' ').map(name => [name, cost])

const costs: ReadonlyMap<string, Cost> = new Map([
  // Two checks are within the limit of an evaluation, and a third is not.
  ['check', () => 350_000],
  ...named('fieldSelector labelSelector', selector),
  ...named('isSorted sum max min indexOf lastIndexOf', (_, [given]) => wholeOf(given)),
  ...named('url lowerAscii upperAscii substring trim jsonpatch.escapeKey', looks(1)),
  ...named('cidr isIP isCIDR quantity isQuantity semver isSemver format strings.quote', looks(1)),
  ...named('replace split ip.isCanonical', looks(2)),
  ['ip', (overload, args, result) => (overload.member ? 1 : looks(1)(overload, args, result))],
  ['containsIP', within(false)],
  ['containsCIDR', within(true)],
  ['validate', validates],
  ['join', (_, __, result) => scaled(sizeOf(result), 2 * perCharacter)],
  ...named('find findAll matches', matching),
  ['contains', (_, [given, part]) => scaled(sizeOf(given)) * scaled(sizeOf(part))],
  ...named('startsWith endsWith', (_, [, part]) => scaled(sizeOf(part))),
  ['bytes', ofText('string')],
  ['string', ofText('bytes')],
  ['@in', (overload, [, list]) => (overload.parameters[1]?.kind === 'list' ? sizeOf(list) : undefined)],
  ...named('_<_ _<=_ _>_ _>=_ _==_ _!=_', compared),
  [
    '_+_',
    ({ parameters: [first] }, [a, b]) =>
      first?.name === 'string' || first?.name === 'bytes' ? scaled(sizeOf(a) + sizeOf(b)) : undefined,
  ],
  ...named('slice lists.range reverse', resultList),
  ['flatten', (_, [list, depth]) => makesList(sizeOf(list), depth === undefined ? 1 : Number(depth))],
  ...named('distinct sort', (_, [list]) => comparesAll(list)),
  ['@sortByAssociatedKeys', (_, [, keys]) => comparesAll(keys)],
  ...named('sets.contains sets.intersects', sets(1)),
  ['sets.equivalent', sets(2)],
])

/** The cost of a call, without its operands. `result` is undefined if the call failed. */
export function callCost(name: string, overload: Overload, args: readonly Value[], result: Value | undefined): number {
  return costs.get(name)?.(overload, args, result) ?? 1
}
