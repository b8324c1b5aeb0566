import type { Context } from './context.ts'
import { type JsonSchema, propertyOf, type StructuralSchema, same } from './json-schema.ts'

type Inner = (part: unknown, step: string) => StructuralSchema

/** The parts of a list's schema. A tuple is a list of a fixed length if all its items have one type. */
export function arrayParts(schema: JsonSchema, path: string, inner: Inner, context: Context): StructuralSchema {
  const parts: StructuralSchema = lengths(schema)
  const tuple = [schema.prefixItems, schema.items].find(Array.isArray) as readonly unknown[] | undefined
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items
  if (tuple === undefined) parts.items = inner(rest ?? true, '[]')
  else {
    const more = rest === undefined || rest === false ? [] : [rest]
    const [first = {}, ...others] = [...tuple, ...more].map((item, at) => inner(item, `[${at}]`))
    if (!others.every(other => same(other, first)))
      context.refuse(
        path,
        'is a tuple of several types. The API server has lists of one type only: use an object with a field for each item.',
      )
    parts.items = first
    if (more.length === 0) parts.maxItems ??= tuple.length
  }
  const listType = schema['x-kubernetes-list-type']
  if (schema.uniqueItems === true && listType === undefined) {
    if (['string', 'integer', 'number', 'boolean'].includes(parts.items.type ?? ''))
      parts['x-kubernetes-list-type'] = 'set'
    else
      context.refuse(
        path,
        "has unique items that are no scalars. Say which fields make an item unique: 'x-kubernetes-list-type: map' and 'x-kubernetes-list-map-keys'.",
      )
  }
  if (listType === 'set') checkSet(parts.items, path, context)
  if ((listType === 'map' || listType === 'set') && parts.items.nullable === true)
    context.refuse(
      `${path}[]`,
      `may be null, which an item of a list of the type '${listType}' can't be. Leave null out.`,
    )
  if (listType === 'map') checkKeys(schema['x-kubernetes-list-map-keys'], parts.items, path, context)
  return parts
}

/** The limits of a list's length. */
export function lengths({ minItems, maxItems }: JsonSchema): StructuralSchema {
  return { minItems, maxItems } as StructuralSchema
}

/** Checks the items of a set. The server compares them as a whole, so it can't merge their parts. */
function checkSet(items: StructuralSchema, path: string, context: Context): void {
  const listType = items['x-kubernetes-list-type'] ?? 'atomic'
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    context.refuse(
      path,
      "is a list of the type 'set' with items that are objects. Take the type 'map' and say which fields make an item unique, or give the items 'x-kubernetes-map-type: atomic'.",
    )
  else if (items.type === 'array' && listType !== 'atomic')
    context.refuse(
      path,
      `is a list of the type 'set' with items that are lists of the type '${listType}'. Leave that type out.`,
    )
}

/** The server identifies the items of such a list by their keys, so each item must have them. */
function checkKeys(keys: unknown, items: StructuralSchema, path: string, context: Context): void {
  if (!Array.isArray(keys) || keys.length === 0) {
    context.refuse(
      path,
      "is a list of the type 'map' without 'x-kubernetes-list-map-keys'. Name the fields that make an item unique.",
    )
    return
  }
  if (new Set(keys).size < keys.length) context.refuse(path, 'has a key twice. Leave one out.')
  for (const key of keys as string[]) {
    const field = propertyOf(items, key)
    if (field === undefined) context.refuse(path, `has the key '${key}', which its items do not have.`)
    else if (!['string', 'integer', 'number', 'boolean'].includes(field.type ?? ''))
      context.refuse(`${path}[].${key}`, 'is the key of a list, and must be a string, a number or a boolean.')
    else if (field.nullable === true)
      context.refuse(`${path}[].${key}`, 'is the key of a list, and may not be null. Leave null out.')
    else if (field.default === undefined && !items.required?.includes(key))
      context.refuse(`${path}[].${key}`, 'is the key of a list, and must be required or have a default.')
  }
}
