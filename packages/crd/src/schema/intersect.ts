import type { Context } from './context.ts'
import { propertyOf, type StructuralSchema, same } from './json-schema.ts'
import { acceptsAnything, limitsOf, onlyLimits } from './limits.ts'

/** The schema of the values that both schemas accept. Descriptions are from the first schema that has them. */
export function intersect(
  left: StructuralSchema,
  right: StructuralSchema,
  path: string,
  context: Context,
): StructuralSchema {
  if (acceptsAnything(left)) return { ...right, ...without(left, 'x-kubernetes-preserve-unknown-fields') }
  if (acceptsAnything(right)) return { ...without(right, 'x-kubernetes-preserve-unknown-fields'), ...left }
  // Limits without a type limit values of the other side's type.
  if (left.type !== right.type && !onlyLimits(right, left))
    return context.refuse(path, `has the types ${nameOf(left)} and ${nameOf(right)} at once. No value has both.`)
  const merged: StructuralSchema = { ...right, ...left }
  // A value is nullable, or has unknown fields, if both sides allow it.
  for (const field of ['nullable', 'x-kubernetes-preserve-unknown-fields'] as const)
    if (left[field] !== right[field]) delete merged[field]
  if (left.properties && right.properties) {
    merged.properties = { ...left.properties, ...right.properties }
    for (const [name, one] of Object.entries(left.properties)) {
      const other = propertyOf(right, name)
      if (other) merged.properties[name] = intersect(one, other, `${path}.${name}`, context)
    }
  }
  if (isSchema(left.items) && isSchema(right.items))
    merged.items = intersect(left.items, right.items, `${path}[]`, context)
  if (isSchema(left.additionalProperties) && isSchema(right.additionalProperties))
    merged.additionalProperties = intersect(left.additionalProperties, right.additionalProperties, `${path}{}`, context)
  if (merged.properties && isSchema(merged.additionalProperties))
    return context.refuse(path, 'has fields of its own and a type for all others. The API server takes either.')
  const rules = [...(left['x-kubernetes-validations'] ?? []), ...(right['x-kubernetes-validations'] ?? [])]
  // A rule of both sides is written once.
  if (rules.length > 0)
    merged['x-kubernetes-validations'] = [...new Map(rules.map(rule => [JSON.stringify(rule), rule])).values()]
  limit(merged, left, right)
  if (context.closed.has(left) && context.closed.has(right)) context.closed.add(merged)
  return merged
}

/** Merges the limits of both sides. If both have the same limit with different values, all limits of the right side go into `allOf`. */
function limit(merged: StructuralSchema, left: StructuralSchema, right: StructuralSchema): void {
  const required = [...new Set([...(left.required ?? []), ...(right.required ?? [])])]
  if (required.length > 0) merged.required = required
  const one = limitsOf(without(left, 'required', 'allOf'))
  const other = limitsOf(without(right, 'required', 'allOf'))
  const clash = Object.keys(other).some(field => field in one && !same(one[field as 'enum'], other[field as 'enum']))
  const all = [...(left.allOf ?? []), ...(right.allOf ?? [])]
  if (clash) {
    for (const field of Object.keys(other)) if (!(field in one)) delete merged[field as 'enum']
    all.push(other)
  }
  if (all.length > 0) merged.allOf = all
}

function isSchema(value: unknown): value is StructuralSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function without(schema: StructuralSchema, ...fields: readonly (keyof StructuralSchema)[]): StructuralSchema {
  return Object.fromEntries(Object.entries(schema).filter(([field]) => !fields.includes(field as 'type')))
}

/** A schema's type in words. */
export function nameOf(schema: StructuralSchema): string {
  return schema.type ?? (schema['x-kubernetes-int-or-string'] ? 'integer or string' : 'anything')
}
