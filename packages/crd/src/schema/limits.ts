import { isRecord, type StructuralSchema } from './json-schema.ts'

/** The keywords that limit values and that may also be written inside of `anyOf` and the like. */
export const limiting: readonly (keyof StructuralSchema)[] = [
  ...(['enum', 'format', 'minLength', 'maxLength', 'pattern'] as const),
  ...(['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf'] as const),
  ...(['minItems', 'maxItems', 'minProperties', 'maxProperties', 'required'] as const),
  ...(['anyOf', 'oneOf', 'allOf', 'not'] as const),
]

/** The limits that a schema has by itself, without those of its fields. */
export function limitsOf(schema: StructuralSchema): StructuralSchema {
  return Object.fromEntries(limiting.filter(field => schema[field] !== undefined).map(field => [field, schema[field]]))
}

/** Whether a schema accepts anything, unlike an object of unknown fields. */
export function acceptsAnything(schema: StructuralSchema): boolean {
  return (
    schema.type === undefined &&
    schema['x-kubernetes-int-or-string'] !== true &&
    Object.keys(limitsOf(schema)).length === 0
  )
}

/**
 * Whether a part of a union only limits values of `outer`, so that the server accepts the part unchanged: it has no types, and only fields of `outer`.
 */
export function onlyLimits(part: unknown, outer: object): part is StructuralSchema {
  if (!isRecord(outer) || !isRecord(part) || Object.keys(part).length === 0) return false
  return Object.entries(part).every(([field, value]) => {
    if (field === 'properties') {
      const fields = isRecord(outer.properties) ? outer.properties : {}
      return (
        isRecord(value) &&
        Object.entries(value).every(([name, inner]) => isRecord(fields[name]) && onlyLimits(inner, fields[name]))
      )
    }
    if (field === 'items') return isRecord(outer.items) && onlyLimits(value, outer.items)
    if (field === 'not') return onlyLimits(value, outer)
    if (field === 'anyOf' || field === 'oneOf' || field === 'allOf')
      return Array.isArray(value) && value.every(inner => onlyLimits(inner, outer))
    // Draft 2020-12 has a number here.
    if (field === 'exclusiveMinimum' || field === 'exclusiveMaximum') return typeof value === 'boolean'
    return (limiting as readonly string[]).includes(field)
  })
}

/** The types that a keyword limits; undefined for a keyword that limits values of all types. */
export function kindsOf(keyword: string): readonly string[] | undefined {
  return kinds.find(([, keywords]) => keywords.includes(keyword))?.[0]
}

const kinds: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['string'], ['minLength', 'maxLength', 'pattern']],
  [
    ['number', 'integer'],
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ],
  [['array'], ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems']],
  [['object'], ['properties', 'required', 'additionalProperties', 'propertyNames', 'minProperties', 'maxProperties']],
]
