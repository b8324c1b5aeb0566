import { isObject, type Json, own } from '@wherry/cel/internal'
import { type FieldSet, member, node } from './field-set.ts'
import { atomic, type FieldType, fieldOf, hasNamedField, isGranularList } from './field-type.ts'
import { itemsByElement } from './items.ts'
import { fieldElement } from './path-element.ts'

/** The fields that an apply of `value` owns: its leaves, the items of its lists and the entries of its maps. */
export function fieldSetOf(value: Json, type: FieldType): FieldSet | undefined {
  if (type.atomic) return member
  if (isObject(value)) {
    const children: Record<string, FieldSet> = {}
    for (const name of Object.keys(value)) {
      const child = own(value, name)
      if (child === undefined) continue
      const below = fieldSetOf(child, fieldOf(type, name) ?? atomic)
      const itself =
        child === null || (isObject(child) && Object.keys(child).length === 0) || !hasNamedField(type, name)
      const set = itself ? withItself(below) : below
      if (set !== undefined) children[fieldElement(name)] = set
    }
    return node(children, false)
  }
  if (value === null) return undefined
  if (!Array.isArray(value) || !isGranularList(type)) return member
  const children: Record<string, FieldSet> = {}
  for (const [element, items] of itemsByElement(type, value as Json[])) {
    // Items that occur more than once are owned together, without fields below.
    const below = items.length > 1 ? member : fieldSetOf(items[0] as Json, type.items)
    children[element] = withItself(below)
  }
  return node(children, false)
}

function withItself(set: FieldSet | undefined): FieldSet {
  return set === undefined ? member : (node({ ...set }, true) as FieldSet)
}
