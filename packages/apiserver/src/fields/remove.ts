import { isObject, type Json, type JsonObject, own, setOwn } from '@wherry/cel/internal'
import { below, type FieldSet, hasField, node } from './field-set.ts'
import { atomic, type FieldType, fieldOf, isGranularList } from './field-type.ts'
import { elementOf } from './items.ts'
import { fieldElement } from './path-element.ts'

/** `value` without the fields of `gone`. A map or a list that loses all its fields becomes null. */
export function removeFields(value: Json, gone: FieldSet | undefined, type: FieldType): Json {
  if (gone === undefined) return value
  if (isObject(value)) return type.atomic ? null : removeFromMap(value, gone, type)
  if (!Array.isArray(value)) return value
  return isGranularList(type) ? removeFromList(value as Json[], gone, type) : null
}

function removeFromMap(value: JsonObject, gone: FieldSet, type: FieldType): Json {
  const kept: JsonObject = {}
  let empty = true
  for (const name of Object.keys(value)) {
    const child = own(value, name)
    const element = fieldElement(name)
    if (child === undefined || hasField(gone, element)) continue
    setOwn(kept, name, removeFields(child, below(gone, element), fieldOf(type, name) ?? atomic))
    empty = false
  }
  return empty ? null : kept
}

function removeFromList(value: readonly Json[], gone: FieldSet, type: FieldType & { readonly items: FieldType }): Json {
  const kept: Json[] = []
  for (const item of value) {
    const element = elementOf(type, item)
    if (!hasField(gone, element)) kept.push(removeFields(item, below(gone, element), type.items))
  }
  return kept.length > 0 ? kept : null
}

/** Adds each field of the type that has fields of the set below it: the field is removed when the fields below are removed. */
export function withNamedFields(set: FieldSet | undefined, type: FieldType | undefined): FieldSet | undefined {
  if (set === undefined) return undefined
  const children: Record<string, FieldSet> = {}
  for (const element in set) {
    if (element === '.') continue
    const deeper = withNamedFields(below(set, element), typeBelow(type, element))
    const named = element[0] === 'f' && type !== undefined && isNamed(type, element.slice(2))
    const itself = hasField(set, element) || (named && deeper !== undefined)
    children[element] = node({ ...deeper }, itself) as FieldSet
  }
  return node(children, '.' in set)
}

function isNamed(type: FieldType, name: string): boolean {
  return !type.atomic && type.fields.has(name)
}

function typeBelow(type: FieldType | undefined, element: string): FieldType | undefined {
  if (type === undefined) return undefined
  return element[0] === 'f' ? fieldOf(type, element.slice(2)) : element[0] === 'k' ? type.items : undefined
}
