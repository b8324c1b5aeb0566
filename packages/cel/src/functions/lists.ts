import { compare, equal } from '../compare.ts'
import { TooCostlyError } from '../cost/meter.ts'
import type { Declaration } from '../declarations.ts'
import { CelError, Duration, List, Uint, type Value } from '../values.ts'
import { itemsOf } from './containers.ts'
import { int64 } from './numbers.ts'

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']

function isSorted(list: List): boolean {
  return itemsOf(list).every((item, i, all) => i === 0 || compare(all[i - 1] as Value, item) <= 0)
}

function best(name: 'min' | 'max'): (list: List) => Value {
  return list => {
    if (list.size === 0) throw new CelError(`${name} called on empty list`)
    return itemsOf(list).reduce((found, item) => {
      const order = compare(found, item)
      return (name === 'min' ? order > 0 : order < 0) ? item : found
    })
  }
}

const sums = {
  int: (list: List) => itemsOf(list).reduce<bigint>((sum, item) => int64(sum + (item as bigint)), 0n),
  uint: (list: List) => new Uint(itemsOf(list).reduce<bigint>((sum, item) => unsigned(sum + (item as Uint).value), 0n)),
  double: (list: List) => itemsOf(list).reduce<number>((sum, item) => sum + (item as number), 0),
  duration: (list: List) =>
    new Duration(itemsOf(list).reduce<bigint>((sum, item) => nanos(sum + (item as Duration).nanos), 0n)),
}

function unsigned(sum: bigint): bigint {
  if (sum >= 2n ** 64n) throw new CelError('unsigned integer overflow')
  return sum
}

function nanos(sum: bigint): bigint {
  if (sum >= 2n ** 63n || sum < -(2n ** 63n)) throw new CelError('duration overflow')
  return sum
}

function slice(list: List, start: bigint, end: bigint): List {
  const refuse = (why: string): CelError => new CelError(`cannot slice(${start}, ${end}), ${why}`)
  if (start < 0 || end < 0) throw refuse('negative indexes not supported')
  if (start > end) throw refuse('start index must be less than or equal to end index')
  if (list.size < end) throw refuse(`list is length ${list.size}`)
  return new List(itemsOf(list).slice(Number(start), Number(end)))
}

function flatten(list: List, depth = 1n): List {
  if (depth < 0) throw new CelError('level must be non-negative')
  const flat = (value: Value, left: bigint): Value[] =>
    value instanceof List && left >= 0 ? itemsOf(value).flatMap(item => flat(item, left - 1n)) : [value]
  return new List(itemsOf(list).flatMap(item => flat(item, depth - 1n)))
}

function sort(list: List, keys: List = list): List {
  const order = itemsOf(keys).map((key, i) => ({ key, item: list.at(i) }))
  return new List(order.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item))
}

function range(size: bigint): List {
  if (size < 0) throw new CelError(`lists.range: size must be non-negative, got ${size}`)
  if (size > 1_000_000) throw new TooCostlyError()
  return new List(Array.from({ length: Number(size) }, (_, i) => BigInt(i)))
}

function distinct(list: List): List {
  const found: Value[] = []
  for (const item of itemsOf(list)) if (!found.some(one => equal(one, item))) found.push(item)
  return new List(found)
}

const contains = (list: List, part: List): boolean => itemsOf(part).every(item => has(list, item))
const has = (list: List, item: Value): boolean => itemsOf(list).some(one => equal(one, item))
const position = (place: number): bigint => BigInt(place)

/** The functions of lists from Kubernetes and from cel-go's extensions, and the functions of `sets`. */
export const lists: readonly Declaration[] = [
  ...comparable.flatMap((type): Declaration[] => [
    [`list<${type}>->isSorted(): bool`, isSorted],
    [`list<${type}>->max(): ${type}`, best('max')],
    [`list<${type}>->min(): ${type}`, best('min')],
    [`list<${type}>->sort(): list<${type}>`, (list: List) => sort(list)],
    [`list<T>->@sortByAssociatedKeys(list<${type}>): list<T>`, sort],
  ]),
  ...Object.entries(sums).map(([type, call]): Declaration => [`list<${type}>->sum(): ${type}`, call]),
  ['list<A>->indexOf(A): int', (list: List, item: Value) => position(itemsOf(list).findIndex(one => equal(one, item)))],
  [
    'list<A>->lastIndexOf(A): int',
    (list: List, item: Value) => position(itemsOf(list).findLastIndex(one => equal(one, item))),
  ],
  ['list<T>->slice(int, int): list<T>', slice],
  ['list<list<T>>->flatten(): list<T>', (list: List) => flatten(list)],
  ['list<dyn>->flatten(int): list<dyn>', flatten],
  ['lists.range(int): list<int>', range],
  ['list<T>->reverse(): list<T>', (list: List) => new List(itemsOf(list).reverse())],
  ['list<T>->distinct(): list<T>', distinct],
  ['sets.contains(list<T>, list<T>): bool', contains],
  ['sets.equivalent(list<T>, list<T>): bool', (a: List, b: List) => contains(a, b) && contains(b, a)],
  ['sets.intersects(list<T>, list<T>): bool', (a: List, b: List) => itemsOf(a).some(item => has(b, item))],
]
