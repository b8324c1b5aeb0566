import type { StructuralSchema } from '../schema/json-schema.ts'

/** The types of values that a schema allows, besides null. Undefined: any. */
export function kindsOf(schema: StructuralSchema): ReadonlySet<string> | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return new Set(['integer', 'string'])
  if (schema.type === undefined || schema.type === '') return undefined
  return new Set(schema.type === 'number' ? ['number', 'integer'] : [schema.type])
}

/** The text of a type in an error. */
export function kindText(schema: StructuralSchema): string {
  return schema['x-kubernetes-int-or-string'] === true ? 'integer or string' : schema.type || 'any'
}

/** The schema of fields that `properties` does not name. True: such fields are kept unchanged. Undefined: the server drops such fields. */
export function schemaOfOthers(schema: StructuralSchema): StructuralSchema | true | undefined {
  const { additionalProperties } = schema
  if (typeof additionalProperties === 'object') return additionalProperties
  return additionalProperties === true || keepsUnknown(schema) ? true : undefined
}

/** Whether the server keeps fields that the schema does not have. */
export function keepsUnknown(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true
}

/** Whether a schema allows every value and keeps it unchanged. */
export function allowsAll(schema: StructuralSchema): boolean {
  const { title: _, description: __, nullable, 'x-kubernetes-preserve-unknown-fields': keeps, ...limits } = schema
  return nullable === true && keeps === true && Object.keys(limits).length === 0
}

/** The schema of a list's items. A definition can't have a schema for each position in a list. */
export function itemsOf({ items }: StructuralSchema): StructuralSchema | undefined {
  return Array.isArray(items) ? undefined : items
}
