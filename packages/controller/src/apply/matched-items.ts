import { fieldOf } from './field-of.ts'
import type { FieldsV1 } from './fields-v1.ts'

/**
 * A list has one set of map keys, or two while its definition changes. Paths with further sets of keys match no item, so that an
 * object with other keys in every path costs no more than any other object.
 */
const mostKeySets = 4
/** The maximum number of sets of keys that items of a list may lack, for the same reason. A server fills in one key or two. */
const mostGaps = 8

/**
 * Finds the item of a list that each `k:`, `v:` and `i:` path means. Returns the paths by the indices of the items. An item with all keys has precedence over
 * an item that lacks some, which the server may have filled in.
 *
 * It takes time in proportion to the list and the paths, whatever they contain. A path that would take longer to match is left
 * out: the object then counts as not as desired, which costs one request.
 */
export function matchedItems(fields: FieldsV1, list: readonly unknown[]): Map<number, string> {
  const found = new Map<number, string>()
  const take = (path: string, places: Places | undefined): boolean => {
    const at = next(places, found)
    if (at !== undefined) found.set(at, path)
    return at !== undefined
  }
  let byText: Map<string, Places> | undefined
  const byKeySet = new Map<string, ItemsByKeys>()
  const left: [path: string, items: ItemsByKeys, values: readonly unknown[]][] = []
  for (const path in fields) {
    if (path.startsWith('i:')) found.set(Number(path.slice(2)), path)
    if (path.startsWith('v:')) {
      byText ??= placesBy(list, jsonOf)
      take(path, byText.get(path.slice(2)))
    }
    if (!path.startsWith('k:')) continue
    const keys = JSON.parse(path.slice(2)) as Record<string, unknown>
    const names = Object.keys(keys)
    const values = Object.values(keys)
    const keySet = JSON.stringify(names)
    const items = byKeySet.get(keySet) ?? (byKeySet.size < mostKeySets ? new ItemsByKeys(list, names) : undefined)
    if (items === undefined || values.some(value => typeof value === 'object')) continue
    byKeySet.set(keySet, items)
    if (!take(path, items.with(values))) left.push([path, items, values])
  }
  for (const [path, items, values] of left) take(path, items.lackingSome(values, found))
  return found
}

/** Indices of items in descending order. */
type Places = number[]

/** The first of these items that no path has yet. */
function next(places: Places | undefined, taken: ReadonlyMap<number, string>): number | undefined {
  while (places !== undefined && taken.has(places.at(-1) ?? -1)) places.pop()
  return places?.at(-1)
}

function placesBy(list: readonly unknown[], textOf: (item: unknown) => string): Map<string, Places> {
  const all = new Map<string, Places>()
  for (let at = list.length - 1; at >= 0; at--) {
    const text = textOf(list[at])
    const places = all.get(text)
    if (places === undefined) all.set(text, [at])
    else places.push(at)
  }
  return all
}

/** The items of a list by the values that they have at some keys. */
class ItemsByKeys {
  readonly #places: Map<string, Places>
  /** The combinations of missing keys that occur. Each says of every key whether it is missing. */
  readonly #gaps = new Map<string, readonly boolean[]>()

  constructor(list: readonly unknown[], names: readonly string[]) {
    this.#places = placesBy(list, item => {
      const values = names.map(name => fieldOf(item, name))
      const gap = values.map(value => value === undefined)
      // No path names an item that has none of the keys.
      if (gap.includes(true) && gap.includes(false) && this.#gaps.size < mostGaps) this.#gaps.set(`${gap}`, gap)
      return textOf(values)
    })
  }

  with(values: readonly unknown[]): Places | undefined {
    return this.#places.get(textOf(values))
  }

  /** The items that have some of these values and lack the other keys. If several values are found, the items of the first value count. */
  lackingSome(values: readonly unknown[], taken: ReadonlyMap<number, string>): Places | undefined {
    let best: Places | undefined
    let first = Number.POSITIVE_INFINITY
    for (const gap of this.#gaps.values()) {
      const places = this.#places.get(textOf(values.map((value, at) => (gap[at] ? undefined : value))))
      const at = next(places, taken) ?? Number.POSITIVE_INFINITY
      if (at >= first) continue
      first = at
      best = places
    }
    return best
  }
}

/** The JSON text of an item of a set. An integer beyond 2^53 − 1 is written digit for digit. An item with such an integer in it matches no path. */
function jsonOf(item: unknown): string {
  return typeof item === 'bigint'
    ? `${item}`
    : (JSON.stringify(item, (_, value) => (typeof value === 'bigint' ? 0 : value)) ?? '')
}

/** The values as a text. Missing values, and values that can't be keys, each give a text of their own. */
function textOf(values: readonly unknown[]): string {
  return JSON.stringify(
    values.map(value => {
      if (value === undefined) return []
      return typeof value === 'object' || typeof value === 'bigint' ? {} : value
    }),
  )
}
