import type { Schema } from '@wherry/cel/internal'
import { metadataType } from './builtin-types.ts'
import { atomic, deduced, type FieldType, fieldType } from './field-type.ts'

const read = new WeakMap<Schema, FieldType>()
const scalar = fieldType({ kind: 'scalar' })
const text = fieldType({ kind: 'string' })

/** The type of a custom resource's objects, which determines the owners of their fields, by its schema. */
export function customType(root: Schema): FieldType {
  const known = read.get(root)
  if (known !== undefined) return known
  const type = objectOf(root, false)
  const fields = new Map([...type.fields, ['apiVersion', text], ['kind', text], ['metadata', metadataType()]])
  const made: FieldType = { ...type, kind: 'map', fields: fields as Map<string, FieldType> }
  read.set(root, made)
  return made
}

/** `preserved`: a parent schema keeps unknown fields, so all schemas below do. */
function typeOf(schema: Schema, preserved: boolean): FieldType {
  const preserve = preserved || schema.preserve
  const [type, second] = schema.types
  // An int or a string has no single type.
  if (second !== undefined) return deduced
  switch (type) {
    case 'object':
      return objectOf(schema, preserve)
    case 'array':
      return listOf(schema, preserve)
    case 'string':
      return schema.format === '' || schema.format === 'byte' ? text : scalar
    case 'integer':
    case 'number':
      return fieldType({ kind: 'number' })
    case 'boolean':
      return fieldType({ kind: 'boolean' })
    default:
      return { ...objectOf(schema, preserve), kind: 'any' }
  }
}

function objectOf(schema: Schema, preserved: boolean): FieldType {
  const preserve = preserved || schema.preserve
  const fields = new Map<string, FieldType>()
  for (const [name, property] of schema.properties) fields.set(name, typeOf(property, preserve))
  if (schema.embedded) {
    fields.set('apiVersion', text).set('kind', text).set('metadata', metadataType())
  }
  return fieldType({ kind: 'map', atomic: schema.mapType === 'atomic', fields, others: othersOf(schema, preserve) })
}

function othersOf({ additional, properties }: Schema, preserve: boolean): FieldType | undefined {
  if (typeof additional === 'object') return typeOf(additional, preserve)
  if (additional === true) return deduced
  if (additional === false) return undefined
  return preserve || properties.size === 0 ? deduced : undefined
}

function listOf(schema: Schema, preserve: boolean): FieldType {
  const { listType, listKeys, items } = schema
  return fieldType({
    kind: 'list',
    atomic: listType !== 'set' && listType !== 'map',
    items: items === undefined ? atomic : typeOf(items, preserve),
    keys: listKeys.map(name => ({ name, default: items?.properties.get(name)?.default })),
  })
}
