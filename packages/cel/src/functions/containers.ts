import { compare, equal } from '../compare.ts'
import type { Declaration } from '../declarations.ts'
import {
  CelError,
  Duration,
  type Entries,
  List,
  Mapping,
  Message,
  Optional,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from '../values.ts'
import { firstNanos } from './time-text.ts'

const ordered = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration']
const numeric = ['int', 'uint', 'double']

function comparison(name: string, holds: (order: number) => boolean): Declaration[] {
  const call = (a: Value, b: Value): boolean => holds(compare(a, b))
  const same = ordered.map((type): Declaration => [`${name}(${type}, ${type}): bool`, call])
  const mixed = numeric.flatMap(a =>
    numeric.filter(b => b !== a).map((b): Declaration => [`${name}(${a}, ${b}): bool`, call]),
  )
  return [...same, ...mixed]
}

/** The position for an index; `undefined` if the index is no whole number. */
function placeOf(index: Value): number | undefined {
  if (typeof index === 'bigint') return Number(index)
  if (index instanceof Uint) return Number(index.value)
  return typeof index === 'number' && Number.isInteger(index) ? index : undefined
}

function itemAt(list: List, index: Value): Value {
  const place = placeOf(index)
  if (place === undefined) {
    const isNumber = typeof index === 'number'
    throw new CelError(`unsupported index ${isNumber ? `value ${index}` : `type '${typeName(index)}'`} in list`)
  }
  if (place < 0 || place >= list.size) throw new CelError(`index out of bounds: ${printKey(index)}`)
  return list.at(place)
}

function findItem(list: List, index: Value): Value | undefined {
  const place = placeOf(index)
  return place === undefined || place < 0 || place >= list.size ? undefined : list.at(place)
}

function valueAt(map: Mapping, key: Value): Value {
  const value = map.get(key)
  if (value === undefined) throw new CelError(`no such key: ${printKey(key)}`)
  return value
}

function printKey(key: Value): string {
  return key instanceof Uint ? String(key.value) : String(key)
}

/** The value at an index of a list, a map or an optional. */
export function indexed(container: Value, key: Value): Value {
  if (container instanceof List) return itemAt(container, key)
  if (container instanceof Mapping) return valueAt(container, key)
  if (container instanceof Optional) return inner(container, value => find(value, key))
  throw new CelError(`no such key: ${printKey(key)}`)
}

/** All items of a list. */
export function itemsOf(list: List): Value[] {
  return Array.from({ length: list.size }, (_, i) => list.at(i))
}

function isIn(value: Value, list: List): boolean {
  let failed: unknown
  for (const item of itemsOf(list)) {
    try {
      if (equal(item, value)) return true
    } catch (error) {
      failed ??= error
    }
  }
  if (failed !== undefined) throw failed
  return false
}

function inner(optional: Optional, look: (value: Value) => Value | undefined): Optional {
  return new Optional(optional.value === undefined ? undefined : look(optional.value))
}

const find = (container: Value, key: Value): Value | undefined =>
  container instanceof List ? findItem(container, key) : (container as Mapping).get(key)

function dereference(optional: Optional): Value {
  if (optional.value === undefined) throw new CelError('optional.none() dereference')
  return optional.value
}

function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return true
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Duration) return value.nanos === 0n
  if (value instanceof Timestamp) return value.nanos === firstNanos
  if (value instanceof Message) return value.type !== 'JSONPatch' && value.fields.size === 0
  if (value instanceof Uint8Array) return value.length === 0
  // As in a real server, lists and maps of an object are never zero, nor are optionals.
  return (value instanceof List || value instanceof Mapping) && !value.strict && value.size === 0
}

function add(a: List, b: List): List {
  if (!a.strict && (a.size === 0 || b.size === 0)) return a.size === 0 ? b : a
  return (a.semantics?.add(a, b) as List | undefined) ?? new List([...itemsOf(a), ...itemsOf(b)])
}

const size = {
  bytes: (of: Uint8Array) => BigInt(of.length),
  'list<A>': (of: List) => BigInt(of.size),
  'map<A, B>': (of: Mapping) => BigInt(of.size),
  string: (of: string) => BigInt([...of].length),
}

/** The functions of comparisons, lists, maps, optionals and types. */
export const containers: readonly Declaration[] = [
  ['_?_:_(bool, A, A): A', () => null],
  ['_&&_(bool, bool): bool', () => null],
  ['_||_(bool, bool): bool', () => null],
  ['@not_strictly_false(bool): bool', () => null],
  ['!_(bool): bool', (a: boolean) => !a],
  ['_==_(A, A): bool', (a: Value, b: Value) => equal(a, b)],
  ['_!=_(A, A): bool', (a: Value, b: Value) => !equal(a, b)],
  ...comparison('_<_', order => order < 0),
  ...comparison('_<=_', order => order <= 0),
  ...comparison('_>_', order => order > 0),
  ...comparison('_>=_', order => order >= 0),
  ['_+_(bytes, bytes): bytes', (a: Uint8Array, b: Uint8Array) => new Uint8Array(Buffer.concat([a, b]))],
  ['_+_(list<A>, list<A>): list<A>', add],
  ['_+_(string, string): string', (a: string, b: string) => a + b],
  ['_[_](list<A>, int): A', itemAt],
  ['_[_](map<A, B>, A): B', valueAt],
  ['_[_](optional<list<A>>, int): optional<A>', (a: Optional, key: Value) => inner(a, value => find(value, key))],
  ['_[_](optional<map<A, B>>, A): optional<B>', (a: Optional, key: Value) => inner(a, value => find(value, key))],
  ['_[?_](list<A>, int): optional<A>', (a: List, key: Value) => new Optional(findItem(a, key))],
  ['_[?_](optional<list<A>>, int): optional<A>', (a: Optional, key: Value) => inner(a, value => find(value, key))],
  ['_[?_](map<A, B>, A): optional<B>', (a: Mapping, key: Value) => new Optional(a.get(key))],
  ['_[?_](optional<map<A, B>>, A): optional<B>', (a: Optional, key: Value) => inner(a, value => find(value, key))],
  ['_?._(dyn, string): optional<A>', (a: Value, field: string) => selectOptional(a, field)],
  ['@in(A, list<A>): bool', isIn],
  ['@in(A, map<A, B>): bool', (key: Value, map: Mapping) => map.get(key) !== undefined],
  ...Object.entries(size).flatMap(([type, call]): Declaration[] => [
    [`size(${type}): int`, call as never],
    [`${type}->size(): int`, call as never],
  ]),
  ['type(A): type<A>', (a: Value) => new TypeValue(typeName(a))],
  ['optional.of(A): optional<A>', (a: Value) => new Optional(a)],
  ['optional.ofNonZeroValue(A): optional<A>', (a: Value) => new Optional(isZero(a) ? undefined : a)],
  ['optional.none(): optional<A>', () => new Optional(undefined)],
  ['optional<A>->value(): A', dereference],
  ['optional<A>->hasValue(): bool', (a: Optional) => a.value !== undefined],
  ['optional<A>->or(optional<A>): optional<A>', (a: Optional, b: Optional) => (a.value === undefined ? b : a)],
  ['optional<A>->orValue(A): A', (a: Optional, b: Value) => a.value ?? b],
  ['list<A>->first(): optional<A>', (list: List) => new Optional(list.size === 0 ? undefined : list.at(0))],
  ['list<A>->last(): optional<A>', (list: List) => new Optional(list.size === 0 ? undefined : list.at(list.size - 1))],
  ['optional.unwrap(list<optional<A>>): list<A>', unwrap],
  ['list<optional<A>>->unwrapOpt(): list<A>', unwrap],
  ['cel.@mapInsert(map<A, B>, A, B): map<A, B>', (map: Entries, key: Value, value: Value) => map.with(key, value)],
  ['cel.@mapInsert(map<A, B>, map<A, B>): map<A, B>', insertAll],
]

function unwrap(list: List): List {
  return new List(
    itemsOf(list).flatMap(item => (item instanceof Optional && item.value !== undefined ? [item.value] : [])),
  )
}

function insertAll(map: Entries, entries: Mapping): Entries {
  return entries.keys().reduce<Entries>((all, key) => all.with(key, entries.get(key) as Value), map)
}

function selectOptional(operand: Value, field: string): Optional {
  if (operand instanceof Optional) return inner(operand, value => selectOptional(value, field).value)
  if (operand === null) return new Optional(undefined)
  if (!(operand instanceof Mapping)) throw new CelError('no such overload')
  return new Optional(operand.get(field))
}
