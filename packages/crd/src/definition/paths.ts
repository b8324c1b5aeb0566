import { propertyOf, type StructuralSchema } from '../schema/json-schema.ts'

/** The schema of the field at a JSON path of plain names that begins with a dot: `.spec.players`. Undefined if there is none. */
export function fieldAt(schema: StructuralSchema, path: string): StructuralSchema | undefined {
  return path
    .slice(1)
    .split('.')
    .reduce<StructuralSchema | undefined>((field, name) => {
      const own = field && propertyOf(field, name)
      if (own !== undefined) return own
      const values = field?.additionalProperties
      if (typeof values === 'object') return values
      // Unknown fields may have any fields below them.
      return field?.['x-kubernetes-preserve-unknown-fields'] === true ? field : undefined
    }, schema)
}
