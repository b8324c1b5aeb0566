import { equal, fingerprint } from './compare.ts'
import { escapeName } from './escape.ts'
import type { Schema } from './structural/schema.ts'
import { List, type ListSemantics, type ListValue, Mapping, type Value } from './values.ts'

/** How lists of a schema are compared and added. In lists of type set and map, the order does not count. */
export function semanticsOf({ listType, listKeys }: Schema): ListSemantics | undefined {
  if (listType === 'set') return byKey(item => item)
  if (listType !== 'map') return undefined
  const keys = listKeys.map(key => escapeName(key) ?? key)
  return byKey(item => new List(keys.map(key => (item instanceof Mapping ? (item.get(key) ?? null) : null))))
}

function byKey(keyOf: (item: Value) => Value): ListSemantics {
  const itemsOf = (list: ListValue): Value[] => Array.from({ length: list.size }, (_, i) => list.at(i))
  const placesOf = (items: readonly Value[]): Map<string, number> =>
    new Map(items.map((item, i) => [fingerprint(keyOf(item)), i]))
  const semantics: ListSemantics = {
    equal(a, b) {
      if (a.size !== b.size) return false
      const places = placesOf(itemsOf(a))
      return itemsOf(b).every(other => {
        const at = places.get(fingerprint(keyOf(other)))
        return at !== undefined && equal(a.at(at), other)
      })
    },
    add(a, b) {
      const items = itemsOf(a)
      const places = placesOf(items)
      for (const other of itemsOf(b)) {
        const key = fingerprint(keyOf(other))
        const at = places.get(key) ?? items.length
        places.set(key, at)
        items[at] = other
      }
      return new List(items, semantics, true)
    },
  }
  return semantics
}
