import { isObject, type Json, own, sameJson } from '@wherry/cel/internal'
import { StrategicError } from './strategic-error.ts'

/** The field that identifies the items of a list, or `''` if the items identify themselves. */
export type MergeKey = string

/** The identity of an item. Throws a {@link StrategicError} for an item without its key. */
export function keyOf(item: Json, key: MergeKey): Json {
  if (key === '') return item
  const value = isObject(item) ? own(item, key) : undefined
  if (value !== undefined) return value
  throw StrategicError.noMergeKey(item, key)
}

/** The index of the item with the identity `value` in a list; -1 if there is none. */
export function indexOf(list: readonly Json[], value: Json, key: MergeKey): number {
  return list.findIndex(item => {
    const its = key === '' ? item : isObject(item) ? own(item, key) : undefined
    return its !== undefined && sameJson(its, value)
  })
}

/**
 * Orders a merged list. Items in `wanted` have its order, and the others have the order of `before`. Two items that were both in `before` keep their relative
 * order.
 */
export function ordered(
  merged: readonly Json[],
  wanted: readonly Json[],
  before: readonly Json[],
  key: MergeKey,
): Json[] {
  for (const item of before) keyOf(item, key)
  const isWanted = (item: Json): boolean => indexOf(wanted, keyOf(item, key), key) !== -1
  const named = sorted(merged.filter(isWanted), wanted, key)
  const others = sorted(
    merged.filter(item => !isWanted(item)),
    before,
    key,
  )
  const result: Json[] = []
  let i = 0
  let j = 0
  while (i < others.length || j < named.length) {
    const other = others[i]
    const name = named[j]
    if (name === undefined || (other !== undefined && comesFirst(other, name, before, key))) {
      result.push(other as Json)
      i++
    } else {
      result.push(name)
      j++
    }
  }
  return result
}

function sorted(items: readonly Json[], order: readonly Json[], key: MergeKey): Json[] {
  const place = new Map(items.map(item => [item, indexOf(order, keyOf(item, key), key)]))
  return items.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0))
}

function comesFirst(a: Json, b: Json, before: readonly Json[], key: MergeKey): boolean {
  const first = indexOf(before, keyOf(a, key), key)
  const second = indexOf(before, keyOf(b, key), key)
  return first !== -1 && second !== -1 && first < second
}
