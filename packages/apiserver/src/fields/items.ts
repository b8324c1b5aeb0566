import { isObject, type Json, type JsonObject, own, setOwn } from '@wherry/cel/internal'
import type { FieldType } from './field-type.ts'
import { keyElement, valueElement } from './path-element.ts'

/** Thrown if an item of a list can't be identified. */
export class ItemError extends Error {}

/** The path element for `item` in a list of `type`. Throws an {@link ItemError}. */
export function elementOf(type: FieldType, item: Json): string {
  if (type.keys.length === 0) {
    if (isObject(item)) throw new ItemError("associative list without keys has an element that's a map type")
    if (Array.isArray(item)) throw new ItemError('not supported: associative list with lists as elements')
    if (item === null) throw new ItemError("associative list without keys has an element that's an explicit null")
    return valueElement(item)
  }
  if (item === null) throw new ItemError('associative list with keys may not have a null element')
  if (!isObject(item)) throw new ItemError('associative list with keys may not have non-map elements')
  const key: JsonObject = {}
  let any = false
  for (const { name, default: byDefault } of type.keys) {
    const value = own(item, name) ?? byDefault
    if (value === undefined) continue
    setOwn(key, name, value)
    any = true
  }
  if (any) return keyElement(key)
  const keys = type.keys.map(({ name }) => JSON.stringify(name)).join(' ')
  throw new ItemError(
    `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`,
  )
}

/** The items of a list by their elements, in the list's order. Items that can't be identified are left out. */
export function itemsByElement(type: FieldType, list: readonly Json[]): Map<string, Json[]> {
  const items = new Map<string, Json[]>()
  for (const item of list) {
    const element = elementOrNone(type, item)
    if (element === undefined) continue
    const same = items.get(element)
    if (same === undefined) items.set(element, [item])
    else same.push(item)
  }
  return items
}

function elementOrNone(type: FieldType, item: Json): string | undefined {
  try {
    return elementOf(type, item)
  } catch (error) {
    if (error instanceof ItemError) return undefined
    throw error
  }
}
